// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_CCOMMONCRYPTO_SHIM_H
#define STORAGE_AUTH_CCOMMONCRYPTO_SHIM_H

#include <CommonCrypto/CommonDigest.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Apple deprecates MD5 since macOS 10.15 and iOS 13, because it is broken. The services require it for checksums, and
// Swift cannot silence a deprecation, so the calls of MD5 and of SHA-1, which may follow, are made in C.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static inline int storage_auth_md5_init(CC_MD5_CTX *context) { return CC_MD5_Init(context); }

static inline int storage_auth_md5_update(CC_MD5_CTX *context, const void *bytes, CC_LONG count) {
  return CC_MD5_Update(context, bytes, count);
}

static inline int storage_auth_md5_final(unsigned char *digest, CC_MD5_CTX *context) {
  return CC_MD5_Final(digest, context);
}

static inline int storage_auth_sha1_init(CC_SHA1_CTX *context) { return CC_SHA1_Init(context); }

static inline int storage_auth_sha1_update(CC_SHA1_CTX *context, const void *bytes, CC_LONG count) {
  return CC_SHA1_Update(context, bytes, count);
}

static inline int storage_auth_sha1_final(unsigned char *digest, CC_SHA1_CTX *context) {
  return CC_SHA1_Final(digest, context);
}

#pragma clang diagnostic pop

// CommonCrypto has no public function for the following two.

// Returns whether two pieces of memory are equal. No branch and no address depends on their contents.
static inline bool storage_auth_is_equal(const void *first, const void *second, size_t count) {
  const volatile uint8_t *left = (const volatile uint8_t *)first;
  const volatile uint8_t *right = (const volatile uint8_t *)second;
  uint8_t difference = 0;
  for (size_t index = 0; index < count; index++) difference |= left[index] ^ right[index];
  return difference == 0;
}

// Overwrites memory with zeros. The optimizer keeps this, because the empty assembly could read the memory.
static inline void storage_auth_wipe(void *bytes, size_t count) {
  if (count > 0) memset(bytes, 0, count);
  __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

#endif
