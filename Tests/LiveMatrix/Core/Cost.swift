// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The most that a step, or all of them, may cost at a service.
package struct Cost: Sendable, Equatable, CustomStringConvertible {
  /// The number of requests, including those to a token service.
  package var requests: Int

  /// The number of objects or files that are created.
  package var objects: Int

  /// The number of bytes of objects that are sent and received.
  package var bytes: Int64

  init(requests: Int, objects: Int = 0, bytes: Int64 = 0) {
    self.requests = requests
    self.objects = objects
    self.bytes = bytes
  }

  static func + (first: Cost, second: Cost) -> Cost {
    Cost(
      requests: first.requests + second.requests, objects: first.objects + second.objects,
      bytes: first.bytes + second.bytes)
  }

  /// The cost as text, such as `3 requests, 1 objects, 2048 bytes`.
  package var description: String { "\(requests) requests, \(objects) objects, \(bytes) bytes" }
}
