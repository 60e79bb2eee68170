// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation

/// A writer of bytes into a stream, as fast as the stream accepts them.
final class StreamWriter: NSObject, StreamDelegate, @unchecked Sendable {
  // Safe: after the initializer, everything below is used on this queue only, on which the stream calls its delegate too.
  let queue = DispatchQueue(label: "StreamWriter")
  private var output: OutputStream?
  private var rest: ArraySlice<UInt8> = []
  private var writer: CheckedContinuation<Bool, Never>?

  init(_ output: OutputStream?) {
    self.output = output
    super.init()
    setDelegate(self)
  }

  private func setDelegate(_ delegate: StreamWriter?) {
    #if canImport(FoundationNetworking)
      output?.delegate = delegate
    #else
      // Safe: the queue retains this object until `end` has removed it as the delegate.
      unsafe output?.delegate = delegate
    #endif
  }

  /// Writes bytes, and waits until the stream has accepted them.
  ///
  /// The next call has to begin after this one has returned: one call at a time waits.
  ///
  /// - Returns: Whether the stream has accepted all bytes.
  func write(_ bytes: [UInt8]) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        (rest, writer) = (bytes[...], continuation)
        proceed()
      }
    }
  }

  /// Closes the stream, which ends a call of `write` that waits.
  func close() {
    queue.async { [self] in end() }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) { proceed() }

  private func end() {
    // An event that the queue delivers later must not reach this object, which may be released by then.
    setDelegate(nil)
    output?.close()
    output = nil
    proceed()
  }

  private func proceed() {
    while let output, output.hasSpaceAvailable, !rest.isEmpty {
      // Safe: the stream reads at most as many bytes as the memory has.
      let count = unsafe rest.withUnsafeBufferPointer { bytes in
        unsafe bytes.baseAddress.map { unsafe output.write($0, maxLength: bytes.count) } ?? 0
      }
      guard count > 0 else { return end() }
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty || output == nil else { return }
    writer?.resume(returning: output != nil)
    writer = nil
  }
}
