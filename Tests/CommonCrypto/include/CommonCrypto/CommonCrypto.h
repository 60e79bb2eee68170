// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_COMMONCRYPTO_H
#define STORAGE_AUTH_COMMONCRYPTO_H

// This folder stands in for CommonCrypto of Apple's systems, so that what is compiled there can be tested on Linux.
#include <CommonCrypto/CommonDigest.h>

#endif
