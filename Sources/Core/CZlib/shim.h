// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_CZLIB_SHIM_H
#define STORAGE_AUTH_CZLIB_SHIM_H

#include <zlib.h>

#endif
