// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#include "hash_blocks.h"

#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>
#else
// The streaming digest functions are deprecated since OpenSSL 3.0; they are the fastest that it has.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#endif
#include <string.h>
#include <time.h>

enum { longest = 4096 };

static uint8_t text[longest];

#define DEFINE_RUN(name, context, prefix, digest_size)                                                    \
  static uint8_t name(int hashed, int authenticated, int count) {                                         \
    uint8_t pad[64], digest[digest_size], seen = 0;                                                       \
    context inner, outer, hash;                                                                           \
    memset(pad, 0x36 ^ 'k', sizeof pad);                                                                  \
    prefix##_Init(&inner);                                                                                \
    prefix##_Update(&inner, pad, sizeof pad);                                                             \
    memset(pad, 0x5c ^ 'k', sizeof pad);                                                                  \
    prefix##_Init(&outer);                                                                                \
    prefix##_Update(&outer, pad, sizeof pad);                                                             \
    for (int index = 0; index < count; index++) {                                                         \
      if (hashed > 0) {                                                                                   \
        prefix##_Init(&hash);                                                                             \
        prefix##_Update(&hash, text, hashed);                                                             \
        prefix##_Final(digest, &hash);                                                                    \
        text[0] = digest[0];                                                                              \
      }                                                                                                   \
      hash = inner;                                                                                       \
      prefix##_Update(&hash, text, authenticated);                                                        \
      prefix##_Final(digest, &hash);                                                                      \
      hash = outer;                                                                                       \
      prefix##_Update(&hash, digest, sizeof digest);                                                      \
      prefix##_Final(digest, &hash);                                                                      \
      seen ^= digest[0];                                                                                  \
    }                                                                                                     \
    return seen;                                                                                          \
  }

#ifdef __APPLE__
DEFINE_RUN(run_sha1, CC_SHA1_CTX, CC_SHA1, CC_SHA1_DIGEST_LENGTH)
DEFINE_RUN(run_sha256, CC_SHA256_CTX, CC_SHA256, CC_SHA256_DIGEST_LENGTH)
#else
DEFINE_RUN(run_sha1, SHA_CTX, SHA1, SHA_DIGEST_LENGTH)
DEFINE_RUN(run_sha256, SHA256_CTX, SHA256, SHA256_DIGEST_LENGTH)
#endif

uint8_t hash_blocks_run(hash_blocks_function function, int hashed, int authenticated, int count) {
  if (hashed > longest || authenticated > longest) return 0;
  return function == hash_blocks_sha1 ? run_sha1(hashed, authenticated, count)
                                      : run_sha256(hashed, authenticated, count);
}

int64_t hash_blocks_processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
