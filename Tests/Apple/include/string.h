// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// Declares what CCommonCrypto uses of the C library, for Tests/Apple/check.py.

#include <stddef.h>

void *memset(void *bytes, int value, size_t count);
