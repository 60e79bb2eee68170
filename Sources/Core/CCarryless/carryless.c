// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#include "carryless.h"

// A block `low, high` at a distance of n bits has the remainder of `low * x^(n+64) + high * x^n`. A product of reflected
// words is one bit short of that, which the factors compensate. Four blocks are processed in parallel, because the
// processor can start a multiplication long before the previous one has finished.

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

bool carryless_is_available(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_PCLMUL);
}

typedef __m128i block;
#define FOLDING __attribute__((target("pclmul")))

FOLDING static inline block load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
FOLDING static inline block words(uint64_t low, uint64_t high) { return _mm_set_epi64x((int64_t)high, (int64_t)low); }
FOLDING static inline block add(block a, block b) { return _mm_xor_si128(a, b); }
FOLDING static inline uint64_t low(block a) { return (uint64_t)_mm_cvtsi128_si64(a); }
FOLDING static inline uint64_t high(block a) { return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(a, a)); }
FOLDING static inline block moved(block a, block by) {
  return add(_mm_clmulepi64_si128(a, by, 0x00), _mm_clmulepi64_si128(a, by, 0x11));
}

#elif defined(__aarch64__) && !defined(__AARCH64EB__)

#include <arm_neon.h>

#if defined(__APPLE__)
bool carryless_is_available(void) { return true; }
#elif defined(__linux__)
#include <sys/auxv.h>
bool carryless_is_available(void) { return (getauxval(AT_HWCAP) & (1 << 4)) != 0; }
#else
bool carryless_is_available(void) { return false; }
#endif

typedef uint64x2_t block;
#define FOLDING __attribute__((target("aes")))

FOLDING static inline block load(const uint8_t *bytes) { return vreinterpretq_u64_u8(vld1q_u8(bytes)); }
FOLDING static inline block words(uint64_t low, uint64_t high) {
  return vcombine_u64(vcreate_u64(low), vcreate_u64(high));
}
FOLDING static inline block add(block a, block b) { return veorq_u64(a, b); }
FOLDING static inline uint64_t low(block a) { return vgetq_lane_u64(a, 0); }
FOLDING static inline uint64_t high(block a) { return vgetq_lane_u64(a, 1); }
FOLDING static inline block moved(block a, block by) {
  return add(
      vreinterpretq_u64_p128(vmull_p64((poly64_t)low(a), (poly64_t)low(by))),
      vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(by))));
}

#else

bool carryless_is_available(void) { return false; }

carryless_block carryless_fold(
    uint64_t state, const uint8_t *bytes, size_t count, const carryless_factors *factors) {
  (void)state, (void)bytes, (void)count, (void)factors;
  __builtin_trap();
}

#endif

#if defined(FOLDING)

FOLDING carryless_block carryless_fold(
    uint64_t state, const uint8_t *bytes, size_t count, const carryless_factors *factors) {
  const block far = words(factors->far.low, factors->far.high);
  const block near = words(factors->near.low, factors->near.high);
  block a = add(load(bytes), words(state, 0));
  block b = load(bytes + 16);
  block c = load(bytes + 32);
  block d = load(bytes + 48);
  for (bytes += 64, count -= 64; count >= 64; bytes += 64, count -= 64) {
    a = add(moved(a, far), load(bytes));
    b = add(moved(b, far), load(bytes + 16));
    c = add(moved(c, far), load(bytes + 32));
    d = add(moved(d, far), load(bytes + 48));
  }
  a = add(moved(a, near), b);
  a = add(moved(a, near), c);
  a = add(moved(a, near), d);
  for (; count >= 16; bytes += 16, count -= 16) a = add(moved(a, near), load(bytes));
  return (carryless_block){low(a), high(a)};
}

#endif
