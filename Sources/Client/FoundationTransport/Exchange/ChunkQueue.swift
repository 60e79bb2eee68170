// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The bytes of a response that have arrived and have not been read.
struct ChunkQueue {
  /// The number of buffered bytes at which the connection is paused.
  private static let upperLimit = 256 * 1_024

  /// The number of buffered bytes below which a paused connection continues.
  private static let lowerLimit = 64 * 1_024

  private var chunks: [Data] = []
  private var byteCount = 0
  private var receivedCount: Int64 = 0

  /// Whether the connection is paused because the reader is slow.
  private(set) var isPaused = false

  /// The number of bytes in the whole body, or `nil` if it is not known.
  var expectedCount: Int64?

  /// Whether fewer bytes have arrived than the body has.
  var isShort: Bool { expectedCount.map { receivedCount < $0 } ?? false }

  /// Notes bytes that a waiting reader receives.
  mutating func pass(_ data: Data) {
    receivedCount += Int64(data.count)
  }

  /// Appends bytes.
  ///
  /// - Returns: Whether the connection must be paused.
  mutating func append(_ data: Data) -> Bool {
    chunks.append(data)
    byteCount += data.count
    pass(data)
    guard byteCount >= Self.upperLimit, !isPaused else { return false }
    isPaused = true
    return true
  }

  /// Removes the bytes that arrived first.
  ///
  /// - Returns: The bytes, and whether the paused connection must continue; `nil` if there are no bytes.
  mutating func removeFirst() -> (data: Data, isSpaceFree: Bool)? {
    guard !chunks.isEmpty else { return nil }
    let data = chunks.removeFirst()
    byteCount -= data.count
    guard isPaused, byteCount < Self.lowerLimit else { return (data, false) }
    isPaused = false
    return (data, true)
  }
}
