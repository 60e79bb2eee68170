// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_CARRYLESS_H
#define STORAGE_CARRYLESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A block of 16 bytes as two little-endian words in memory order.
typedef struct {
  uint64_t low;
  uint64_t high;
} carryless_block;

/// The factors for the two halves of a block that move it by 64 bytes (`far`) and by 16 bytes (`near`).
typedef struct {
  carryless_block far;
  carryless_block near;
} carryless_factors;

/// Returns whether this processor supports carry-less multiplication.
bool carryless_is_available(void);

/// Folds bytes into a block that has the same remainder as all of them.
///
/// `count` must be a multiple of 16 and at least 64. Call it only if `carryless_is_available()` returns true.
carryless_block carryless_fold(
    uint64_t state, const uint8_t *bytes, size_t count, const carryless_factors *factors);

#endif
