// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#define OPENSSL_SUPPRESS_DEPRECATED

#include <CommonCrypto/CommonDigest.h>
#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <string.h>

// The sizes on Apple's 64-bit systems.
_Static_assert(sizeof(CC_MD5_CTX) == 92, "");
_Static_assert(sizeof(CC_SHA1_CTX) == 96, "");
_Static_assert(sizeof(CC_SHA256_CTX) == 104, "");
_Static_assert(sizeof(CC_SHA512_CTX) == 208, "");

// The contexts of MD5 and SHA-1 have the layout of libcrypto's.
_Static_assert(sizeof(CC_MD5_CTX) == sizeof(MD5_CTX), "");
_Static_assert(sizeof(CC_SHA1_CTX) == sizeof(SHA_CTX), "");

int CC_MD5_Init(CC_MD5_CTX *c) { return MD5_Init((MD5_CTX *)c); }
int CC_MD5_Update(CC_MD5_CTX *c, const void *data, CC_LONG len) { return MD5_Update((MD5_CTX *)c, data, len); }
int CC_MD5_Final(unsigned char *md, CC_MD5_CTX *c) { return MD5_Final(md, (MD5_CTX *)c); }

int CC_SHA1_Init(CC_SHA1_CTX *c) { return SHA1_Init((SHA_CTX *)c); }
int CC_SHA1_Update(CC_SHA1_CTX *c, const void *data, CC_LONG len) { return SHA1_Update((SHA_CTX *)c, data, len); }
int CC_SHA1_Final(unsigned char *md, CC_SHA1_CTX *c) { return SHA1_Final(md, (SHA_CTX *)c); }

// The other contexts are smaller than libcrypto's, which also have the fill of the last block and the length of the
// digest. The one follows from the length of the message, the other from the function.
#define DEFINE_COPIES(size, block)                                                    \
  static void load##size(SHA##size##_CTX *to, const CC_SHA##size##_CTX *from, unsigned digest_length) { \
    memcpy(to->h, from->hash, sizeof from->hash);                                     \
    memcpy(&to->block, from->wbuf, sizeof from->wbuf);                                \
    to->Nl = from->count[0];                                                          \
    to->Nh = from->count[1];                                                          \
    to->num = (unsigned)(from->count[0] / 8 % sizeof from->wbuf);                     \
    to->md_len = digest_length;                                                       \
  }                                                                                   \
                                                                                      \
  static void store##size(CC_SHA##size##_CTX *to, SHA##size##_CTX *from) {            \
    memcpy(to->hash, from->h, sizeof to->hash);                                       \
    memcpy(to->wbuf, &from->block, sizeof to->wbuf);                                  \
    to->count[0] = from->Nl;                                                          \
    to->count[1] = from->Nh;                                                          \
    OPENSSL_cleanse(from, sizeof *from);                                              \
  }

DEFINE_COPIES(256, data)
DEFINE_COPIES(512, u)

#define DEFINE_FUNCTIONS(name, size)                                         \
  int CC_SHA##name##_Init(CC_SHA##size##_CTX *c) {                           \
    SHA##size##_CTX context;                                                 \
    int status = SHA##name##_Init(&context);                                 \
    store##size(c, &context);                                                \
    return status;                                                           \
  }                                                                          \
                                                                             \
  int CC_SHA##name##_Update(CC_SHA##size##_CTX *c, const void *data, CC_LONG len) { \
    SHA##size##_CTX context;                                                 \
    load##size(&context, c, CC_SHA##name##_DIGEST_LENGTH);                   \
    int status = SHA##name##_Update(&context, data, len);                    \
    store##size(c, &context);                                                \
    return status;                                                           \
  }                                                                          \
                                                                             \
  int CC_SHA##name##_Final(unsigned char *md, CC_SHA##size##_CTX *c) {       \
    SHA##size##_CTX context;                                                 \
    load##size(&context, c, CC_SHA##name##_DIGEST_LENGTH);                   \
    int status = SHA##name##_Final(md, &context);                            \
    store##size(c, &context);                                                \
    return status;                                                           \
  }

DEFINE_FUNCTIONS(256, 256)
DEFINE_FUNCTIONS(384, 512)
DEFINE_FUNCTIONS(512, 512)
