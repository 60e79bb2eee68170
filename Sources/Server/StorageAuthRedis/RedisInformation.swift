// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// The report of a Redis server about itself when a connection is opened.
struct RedisInformation: Sendable {
  /// The maximum error of the server's uptime: a second of rounding, and one for the wall clock.
  private static let uptimeTolerance = Duration.seconds(2)

  /// The time at which the connection was opened.
  let openTime: NIODeadline
  /// The time for which the server process had run then, in whole seconds.
  private let uptimeSeconds: Int64
  /// Whether the server removes keys before they expire when its memory is full.
  let evictsKeys: Bool
  /// The code of the error with which the server would refuse to store data, or `nil` if it serves.
  let outageCode: String?

  /// Parses the reply to the command `INFO`, or returns `nil` if it lacks the server's uptime.
  init?(_ report: String, openedAt openTime: NIODeadline) {
    var fields: [Substring: Substring] = [:]
    for line in report.split(whereSeparator: \.isNewline) {
      let pair = line.split(separator: ":", maxSplits: 1)
      if pair.count == 2 { fields[pair[0]] = pair[1] }
    }
    guard let uptimeSeconds = fields["uptime_in_seconds"].flatMap({ Int64(digits: $0) }) else { return nil }
    self.uptimeSeconds = uptimeSeconds
    self.openTime = openTime
    let hasMemoryLimit = fields["maxmemory"].map { $0 != "0" } ?? false
    // `INFO` still uses the old name of a replica.
    let isReplica = fields["role"] == "slave" && fields["slave_read_only"] != "0"
    outageCode = fields["loading"] == "1" ? "LOADING" : isReplica ? "READONLY" : nil
    evictsKeys = hasMemoryLimit && fields["maxmemory_policy"].map { $0 != "noeviction" } ?? false
  }

  /// The time for which the server process has certainly run.
  ///
  /// The server counts whole seconds with its wall clock, so that ``uptimeTolerance`` is subtracted.
  var age: Duration {
    let timeSinceOpening = NIODeadline.now() - openTime
    return max(.zero, .seconds(uptimeSeconds) + .nanoseconds(timeSinceOpening.nanoseconds) - Self.uptimeTolerance)
  }
}
