/// How far this machine's clock is from the clocks of the hosts that it signs for.
///
/// A difference is learnt from a refusal that is about time, and used for every signature after it. Each client has one
/// of these, which its copies share; give several clients the same one to make them learn together.
///
/// ```swift
/// let date = time.now.advanced(by: skew.offset(for: "oss-cn-hangzhou.aliyuncs.com"))
/// ```
public final class ClockSkew: Sendable {
  /// The largest difference that is believed; what claims more is a broken answer, not a clock.
  public static let limit = Duration.seconds(24 * 3600)

  /// The smallest change that counts; answers tell the time to the second.
  ///
  /// It is small because some signatures are valid from now on and are refused by a clock that is only seconds behind.
  public static let tolerance = Duration.seconds(1)

  private let offsets = Lock<[String: Duration]>([:])

  /// Starts with the belief that the clocks agree.
  public init() {}

  /// What has to be added to this machine's clock to get the host's time.
  ///
  /// - Parameter host: The host, and the port where it is not the scheme's own, in lower case.
  /// - Returns: Zero for a host that nothing is known about.
  public func offset(for host: String) -> Duration {
    offsets.withLock { $0[host] } ?? .zero
  }

  /// Learns from what a host says about the time.
  ///
  /// Only an answer that refuses a request for its time is evidence: a proxy may have kept any other one. What was
  /// learnt before is replaced.
  ///
  /// - Parameters:
  ///   - host: The host, and the port where it is not the scheme's own, in lower case.
  ///   - serverTime: What the host's clock showed.
  ///   - localTime: What this machine's clock showed when the answer came, not corrected.
  /// - Returns: The new offset; nothing if it is as good as the known one, or beyond ``limit``.
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
  /// The duration without its sign.
  package var magnitude: Duration { self < .zero ? .zero - self : self }
}
