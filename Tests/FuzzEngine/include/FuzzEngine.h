#ifndef FUZZ_ENGINE_H
#define FUZZ_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/// The entry of libFuzzer, which `-sanitize=fuzzer` links: runs inputs until a limit that is given as an argument.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
