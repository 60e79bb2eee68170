// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_COMMONDIGEST_H
#define STORAGE_AUTH_COMMONDIGEST_H

// The names, signatures and sizes are those of Apple's header of the same name; only what this package uses is declared.

#include <stdint.h>

typedef uint32_t CC_LONG;
typedef uint64_t CC_LONG64;

#define CC_DEPRECATED_DIGEST \
  __attribute__((deprecated("This function is cryptographically broken and should not be used in security contexts.")))

#define CC_MD5_DIGEST_LENGTH 16
#define CC_MD5_BLOCK_BYTES 64
#define CC_MD5_BLOCK_LONG (CC_MD5_BLOCK_BYTES / sizeof(CC_LONG))

typedef struct CC_MD5state_st {
  CC_LONG A, B, C, D;
  CC_LONG Nl, Nh;
  CC_LONG data[CC_MD5_BLOCK_LONG];
  int num;
} CC_MD5_CTX;

extern int CC_MD5_Init(CC_MD5_CTX *c) CC_DEPRECATED_DIGEST;
extern int CC_MD5_Update(CC_MD5_CTX *c, const void *data, CC_LONG len) CC_DEPRECATED_DIGEST;
extern int CC_MD5_Final(unsigned char *md, CC_MD5_CTX *c) CC_DEPRECATED_DIGEST;

#define CC_SHA1_DIGEST_LENGTH 20
#define CC_SHA1_BLOCK_BYTES 64
#define CC_SHA1_BLOCK_LONG (CC_SHA1_BLOCK_BYTES / sizeof(CC_LONG))

typedef struct CC_SHA1state_st {
  CC_LONG h0, h1, h2, h3, h4;
  CC_LONG Nl, Nh;
  CC_LONG data[CC_SHA1_BLOCK_LONG];
  int num;
} CC_SHA1_CTX;

extern int CC_SHA1_Init(CC_SHA1_CTX *c);
extern int CC_SHA1_Update(CC_SHA1_CTX *c, const void *data, CC_LONG len);
extern int CC_SHA1_Final(unsigned char *md, CC_SHA1_CTX *c);

#define CC_SHA256_DIGEST_LENGTH 32
#define CC_SHA256_BLOCK_BYTES 64

typedef struct CC_SHA256state_st {
  CC_LONG count[2];
  CC_LONG hash[8];
  CC_LONG wbuf[16];
} CC_SHA256_CTX;

extern int CC_SHA256_Init(CC_SHA256_CTX *c);
extern int CC_SHA256_Update(CC_SHA256_CTX *c, const void *data, CC_LONG len);
extern int CC_SHA256_Final(unsigned char *md, CC_SHA256_CTX *c);

#define CC_SHA384_DIGEST_LENGTH 48
#define CC_SHA384_BLOCK_BYTES 128
#define CC_SHA512_DIGEST_LENGTH 64
#define CC_SHA512_BLOCK_BYTES 128

typedef struct CC_SHA512state_st {
  CC_LONG64 count[2];
  CC_LONG64 hash[8];
  CC_LONG64 wbuf[16];
} CC_SHA512_CTX;

extern int CC_SHA384_Init(CC_SHA512_CTX *c);
extern int CC_SHA384_Update(CC_SHA512_CTX *c, const void *data, CC_LONG len);
extern int CC_SHA384_Final(unsigned char *md, CC_SHA512_CTX *c);

extern int CC_SHA512_Init(CC_SHA512_CTX *c);
extern int CC_SHA512_Update(CC_SHA512_CTX *c, const void *data, CC_LONG len);
extern int CC_SHA512_Final(unsigned char *md, CC_SHA512_CTX *c);

#endif
