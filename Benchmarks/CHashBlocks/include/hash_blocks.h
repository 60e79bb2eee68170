// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_HASH_BLOCKS_H
#define STORAGE_AUTH_HASH_BLOCKS_H

#include <stdint.h>

// The hash functions of a signature.
typedef enum {
  hash_blocks_sha1,
  hash_blocks_sha256,
} hash_blocks_function;

// Hashes the blocks of a signature the given number of times and returns a byte that depends on all results: a string of
// `hashed` bytes, if that is above zero, and then a string of `authenticated` bytes with HMAC, whose key state is computed
// once.
uint8_t hash_blocks_run(hash_blocks_function function, int hashed, int authenticated, int count);

// Returns the processor time of this process in nanoseconds.
int64_t hash_blocks_processor_time(void);

#endif
