// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The corrections of a client's clock, in order.
final class SkewLog: Sendable {
  private let offsets = Lock<[Duration]>([])

  var last: Duration? { offsets.withLock { $0.last } }

  func add(_ offset: Duration) { offsets.withLock { $0.append(offset) } }
}
