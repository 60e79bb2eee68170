// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A search for bytes in all writable memory of this process: heap, stacks and globals.
///
/// The value is given masked, so that the memory never contains it for the search itself: each byte exclusively-ored
/// with 0xAA.
public enum MemoryScan {
  private static let mask: UInt8 = 0xaa
  private static let chunkByteCount = 1 << 20

  /// The largest mapping that is searched, in bytes.
  ///
  /// Only the shadow memory of a sanitizer is larger, with several terabytes. It contains no data of the process.
  private static let largestMapping: UInt = 1 << 36

  /// Runs `work` on a separate thread, and `scan` while that thread waits.
  ///
  /// The bytes that `work` left on its stack are not yet overwritten then, and its released heap memory is not yet
  /// reused.
  public static func behind<Result>(
    _ work: @escaping @Sendable () -> Void, _ scan: () throws -> Result
  ) rethrows -> Result {
    let (isDone, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      work()
      isDone.signal()
      mayEnd.wait()
    }
    isDone.wait()
    defer { mayEnd.signal() }
    return try scan()
  }

  /// Counts the positions at which a value appears in memory.
  ///
  /// - Parameter masked: The masked value in hexadecimal.
  /// - Returns: The count, or `nil` where a process cannot read its own memory (on systems other than Linux).
  public static func count(ofMasked masked: String) -> Int? {
    #if os(Linux)
      let digits = Array(masked.utf8)
      let needle = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
      }
      guard let maps = read("/proc/self/maps") else { return nil }
      let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
      guard memory >= 0, !needle.isEmpty else { return nil }
      defer { _ = close(memory) }
      let chunk = UnsafeMutableRawPointer.allocate(byteCount: chunkByteCount, alignment: 16)
      defer { chunk.deallocate() }
      var found = 0
      for line in maps.split(separator: "\n") {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count > 1, words[1].hasPrefix("rw") else { continue }
        let ends = words[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
        guard ends.count == 2, ends[0] < ends[1], ends[1] - ends[0] <= largestMapping else { continue }
        // A chunk that contained the chunk itself would contain copies of what was read before it.
        let chunkStart = UInt(bitPattern: chunk)
        let chunkEnd = chunkStart + UInt(chunkByteCount)
        found += count(of: needle, from: ends[0], to: min(ends[1], chunkStart), of: memory, chunk)
        found += count(of: needle, from: max(ends[0], chunkEnd), to: ends[1], of: memory, chunk)
      }
      return found
    #else
      return nil
    #endif
  }

  #if os(Linux)
    private static func count(
      of needle: [UInt8], from start: UInt, to end: UInt, of memory: Int32, _ chunk: UnsafeMutableRawPointer
    ) -> Int {
      var found = 0
      var place = start
      while place < end {
        let length = min(Int(end - place), chunkByteCount)
        let count = pread(memory, chunk, length, off_t(place))
        guard count >= needle.count else { break }
        found += matches(of: needle, in: chunk, count)
        memset(chunk, 0, count)
        if count < length || place + UInt(count) >= end { break }
        place += UInt(count - needle.count + 1)
      }
      return found
    }

    private static func matches(of needle: [UInt8], in chunk: UnsafeMutableRawPointer, _ count: Int) -> Int {
      let first = Int32(needle[0] ^ mask)
      var found = 0
      var start = 0
      while count - start >= needle.count {
        guard let place = memchr(chunk + start, first, count - start - needle.count + 1) else { break }
        if needle.indices.allSatisfy({ place.load(fromByteOffset: $0, as: UInt8.self) == needle[$0] ^ mask }) {
          found += 1
        }
        start = place - chunk + 1
      }
      return found
    }

    private static func read(_ path: String) -> String? {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { _ = close(file) }
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = pread(file, &chunk, chunk.count, off_t(bytes.count))
        guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
        bytes += chunk[..<count]
      }
    }
  #endif
}
