// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef FUZZ_ENGINE_H
#define FUZZ_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/// The entry point of libFuzzer, which `-sanitize=fuzzer` links: runs inputs until a limit from the arguments is reached.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
