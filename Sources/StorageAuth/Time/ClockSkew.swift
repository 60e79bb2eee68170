// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The clock skew between this machine and each of the hosts that it signs requests for.
///
/// A skew is determined from a response that rejects a request for its time, and applied to every later signature. Each
/// client has one `ClockSkew`, which its copies share; give several clients the same one to let them share what they
/// learn.
///
/// ```swift
/// let date = time.now.advanced(by: skew.offset(for: "oss-cn-hangzhou.aliyuncs.com"))
/// ```
public final class ClockSkew: Sendable {
  /// The largest skew that is accepted; a larger one indicates an invalid response rather than a wrong clock.
  public static let limit = Duration.seconds(24 * 3600)

  /// The smallest change of a skew that is applied; responses state the time in whole seconds.
  ///
  /// It is small because some signatures are valid from the time of signing on, and a clock that is only seconds behind
  /// rejects them.
  public static let tolerance = Duration.seconds(1)

  private let offsets = Lock<[String: Duration]>([:])

  /// Creates an object that assumes no skew.
  public init() {}

  /// Returns the offset to be added to this machine's clock to obtain the host's time.
  ///
  /// - Parameter host: The host, in lowercase, with the port if it is not the scheme's default.
  /// - Returns: Zero for a host whose skew is not known.
  public func offset(for host: String) -> Duration {
    offsets.withLock { $0[host] } ?? .zero
  }

  /// Determines the skew of a host from the time that it reports.
  ///
  /// Call it only for a response that rejects a request for its time: any other response may come from the cache of a
  /// proxy. The new skew replaces the previous one.
  ///
  /// - Parameters:
  ///   - host: The host, in lowercase, with the port if it is not the scheme's default.
  ///   - serverTime: The time by the host's clock.
  ///   - localTime: The time by this machine's clock when the response arrived, not corrected.
  /// - Returns: The new offset; `nil` if it differs from the known one by at most ``tolerance``, or exceeds ``limit``.
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
  /// The absolute value of the duration.
  package var magnitude: Duration { self < .zero ? .zero - self : self }
}
