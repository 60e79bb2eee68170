// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// The report of a Redis server about itself when a connection is opened.
struct RedisInformation: Sendable {
  private static let uptimeTolerance = Duration.seconds(2)

  /// The time at which the connection was opened.
  let opened: NIODeadline
  /// The time for which the server process had run then, in whole seconds.
  private let uptimeSeconds: Int64
  /// Whether the server removes keys before they expire when its memory is full.
  let evicts: Bool
  /// The error with which the server would refuse to store data, or `nil` if it serves.
  let refusal: String?

  /// Parses the reply to the command `INFO`, or returns `nil` if it lacks the server's uptime.
  init?(_ report: String, opened: NIODeadline) {
    var fields: [Substring: Substring] = [:]
    for line in report.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1] }
    }
    guard let uptimeSeconds = fields["uptime_in_seconds"].flatMap({ Int64(digits: $0) }) else { return nil }
    self.uptimeSeconds = uptimeSeconds
    self.opened = opened
    let isBounded = fields["maxmemory"].map { $0 != "0" } ?? false
    let isReplica = fields["role"] == "slave" && fields["slave_read_only"] != "0"
    refusal = fields["loading"] == "1" ? "LOADING" : isReplica ? "READONLY" : nil
    evicts = isBounded && fields["maxmemory_policy"].map { $0 != "noeviction" } ?? false
  }

  /// The time for which the server process has certainly run.
  ///
  /// The server counts whole seconds with its wall clock, so that ``uptimeTolerance`` is subtracted.
  var age: Duration {
    let waited = NIODeadline.now() - opened
    return max(.zero, .seconds(uptimeSeconds) + .nanoseconds(waited.nanoseconds) - Self.uptimeTolerance)
  }
}
