#ifndef STORAGE_CARRYLESS_H
#define STORAGE_CARRYLESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// 16 bytes as two words in the order of memory, each little-endian.
typedef struct {
  uint64_t low;
  uint64_t high;
} carryless_block;

/// What the two halves of a block are multiplied by to move it by 64 bytes, and by 16.
typedef struct {
  carryless_block far;
  carryless_block near;
} carryless_factors;

/// Whether this processor multiplies without carry.
bool carryless_is_available(void);

/// Folds bytes into a block that has the same remainder as all of them.
///
/// `count` is a multiple of 16 and at least 64. To be called only where `carryless_is_available()`.
carryless_block carryless_fold(
    uint64_t state, const uint8_t *bytes, size_t count, const carryless_factors *factors);

#endif
