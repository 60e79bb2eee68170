// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#include "allocation_counter.h"

#include <stddef.h>
#include <stdlib.h>

// A sanitizer has its own malloc, which must not be replaced.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_MALLOC 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OWN_MALLOC)

#include <errno.h>
#include <stdatomic.h>

// A malloc that the program defines replaces that of the C library; these functions pass every call on and count it.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;

void *malloc(size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_realloc(block, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  void *block = __libc_memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

#else

long allocation_count(void) { return -1; }

#endif
