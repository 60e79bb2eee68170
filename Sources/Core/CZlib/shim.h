// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_CZLIB_SHIM_H
#define STORAGE_AUTH_CZLIB_SHIM_H

#include <zlib.h>

#endif
