// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The clock skew between this machine and each host that it signs requests for.
///
/// A skew is determined from a response that rejects a request because of its time, and applied to all later
/// signatures. A client shares one `ClockSkew` with its copies, and with other clients that are given the same.
///
/// ```swift
/// let date = time.now.advanced(by: skew.offset(for: "oss-cn-hangzhou.aliyuncs.com"))
/// ```
public final class ClockSkew: Sendable {
  /// The largest clock skew that is accepted; a larger one indicates an invalid response rather than a wrong clock.
  public static let limit = Duration.seconds(24 * 3600)
  /// The smallest change of a clock skew that is applied; responses contain the time in whole seconds.
  ///
  /// The tolerance is small because some signatures are valid from the time of signing, which a slow clock rejects.
  public static let tolerance = Duration.seconds(1)

  private let offsets = Lock<[String: Duration]>([:])

  /// Creates a clock skew of zero for all hosts.
  public init() {}

  /// Returns the offset to add to this machine's clock to obtain a host's time, or zero if it is not known.
  ///
  /// - Parameter host: The host in lowercase, with the port if it is not the scheme's default.
  public func offset(for host: String) -> Duration { offsets.withLock { $0[host] } ?? .zero }

  /// Determines a host's clock skew from the time that the host reports.
  ///
  /// Call this method only for a response that rejects a request because of its time, because any other response may
  /// come from the cache of a proxy. The new skew replaces the host's previous skew.
  ///
  /// - Parameters:
  ///   - host: The host in lowercase, with the port if it is not the scheme's default.
  ///   - serverTime: The time of the response according to the host's clock.
  ///   - localTime: The time according to this machine's clock when the response arrived, without correction.
  /// - Returns: The new offset, or `nil` if it is within ``tolerance`` of the known one, or exceeds ``limit``.
  public func learn(host: String, serverTime: Timestamp, at localTime: Timestamp) -> Duration? {
    let offset = localTime.duration(to: serverTime)
    guard offset.magnitude <= Self.limit else { return nil }
    return offsets.withLock { offsets in
      guard (offset - (offsets[host] ?? .zero)).magnitude > Self.tolerance else { return nil }
      offsets[host] = offset
      return offset
    }
  }
}

extension Duration {
  package var magnitude: Duration { self < .zero ? .zero - self : self }
  /// The maximum of a duration in microseconds or milliseconds, which is a hundred years.
  private static var maximum: Duration { .seconds(100 * 365 * 86_400) }

  /// The duration in whole microseconds, of at least zero and at most a hundred years.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero), Self.maximum).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The duration in whole milliseconds, rounded down, of at least zero and at most a hundred years.
  package var milliseconds: Int64 { microseconds / 1000 }
}
