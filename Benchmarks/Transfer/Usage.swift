// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  /// The largest resident memory so far, in bytes.
  let peakBytes: Double

  static var now: Usage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    var usage = rusage()
    #if canImport(Darwin)
      let unit = 1.0
      getrusage(RUSAGE_SELF, &usage)
    #else
      let unit = 1024.0
      getrusage(RUSAGE_SELF.rawValue, &usage)
    #endif
    return Usage(
      processorNanoseconds: Double(time.tv_sec) * 1e9 + Double(time.tv_nsec),
      peakBytes: Double(usage.ru_maxrss) * unit)
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
