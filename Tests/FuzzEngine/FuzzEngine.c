// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#include "FuzzEngine.h"

// The main function of libFuzzer calls this function. Our own main function replaces it, but a debug build still links it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data;
  (void)size;
  return -1;
}
