// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// The declarations of zlib that AsperaAuth uses.

#ifndef ZLIB_H
#define ZLIB_H

#define Z_OK 0
#define Z_BUF_ERROR (-5)
#define Z_DEFAULT_COMPRESSION (-1)

typedef unsigned char Bytef;
typedef unsigned long uLong;
typedef uLong uLongf;

uLong compressBound(uLong sourceLen);
int compress2(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen, int level);
int uncompress2(Bytef *dest, uLongf *destLen, const Bytef *source, uLong *sourceLen);

#endif
