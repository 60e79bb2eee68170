// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// Sends requests to callgrind, the part of Valgrind that counts instructions, as described in its manual under "client
// requests". The words of a request are passed with an instruction sequence that has no effect on a real processor, so a
// program that runs without Valgrind receives zeros; the sequences are those of valgrind.h, which do not change.
#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

#include <stdint.h>

static inline uintptr_t instruction_counter_request(uintptr_t request, uintptr_t argument) {
  volatile uintptr_t words[6] = {request, argument, 0, 0, 0, 0};
  uintptr_t result = 0;
#if defined(__x86_64__) && defined(__linux__)
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "=d"(result)
      : "a"(words), "0"(result)
      : "cc", "memory");
#elif defined(__aarch64__) && defined(__linux__)
  __asm__ volatile(
      "mov x3, %1; mov x4, %2; ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61;"
      "orr x10, x10, x10; mov %0, x3"
      : "=r"(result)
      : "r"(result), "r"(words)
      : "cc", "memory", "x3", "x4");
#else
  (void)words;
#endif
  return result;
}

/// Whether the program runs under Valgrind.
static inline int instruction_counter_is_present(void) { return instruction_counter_request(0x1001, 0) != 0; }

/// Resets the count and starts counting.
static inline void instruction_counter_start(void) {
  const uintptr_t callgrind = ((uintptr_t)'C' << 24) | ((uintptr_t)'T' << 16);
  instruction_counter_request(callgrind + 4, 0);
  instruction_counter_request(callgrind + 1, 0);
}

/// Writes the count to the next output file of callgrind.
static inline void instruction_counter_write(void) {
  const uintptr_t callgrind = ((uintptr_t)'C' << 24) | ((uintptr_t)'T' << 16);
  instruction_counter_request(callgrind + 3, (uintptr_t)"count");
}

#endif
