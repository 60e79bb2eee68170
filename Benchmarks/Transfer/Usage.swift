// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The resource usage of this process so far.
struct Usage {
  let processorNanoseconds: Double

  static var now: Usage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Usage(processorNanoseconds: Double(time.tv_sec) * 1e9 + Double(time.tv_nsec))
  }
}

/// Returns a number with two decimal places.
func rounded(_ value: Double) -> String {
  "\((value * 100).rounded() / 100)"
}

/// Writes what was printed so far, although the output may be a pipe.
func flushOutput() {
  fflush(nil)
}
