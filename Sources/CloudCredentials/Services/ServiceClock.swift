internal import StorageAuth

/// The time by a service's clock, as far as the service has said that this machine's is wrong.
///
/// It is counted on from what the service said without jumps, so that a correction of the wall clock does no harm.
final class ServiceClock: Sendable {
  private struct Anchor {
    let time: Timestamp
    let uptime: Duration
  }

  /// A smaller difference is not why a service refuses: they allow five minutes and more.
  private static let tolerance = Duration.seconds(30)

  private let anchor = Lock<Anchor?>(nil)

  /// The present: by this machine's clock, until the service has refused it.
  func now(by time: any SigningClock) -> Timestamp {
    guard let anchor = anchor.withLock({ $0 }) else { return time.now }
    return anchor.time.advanced(by: time.uptime - anchor.uptime)
  }

  /// Takes over the service's time after it has refused a signature for its date.
  ///
  /// - Parameters:
  ///   - answer: The answer that refused.
  ///   - date: The date of the signature.
  ///   - time: The clocks of this machine.
  /// - Returns: Whether signing again can help.
  func correct(by answer: ServiceAnswer, signedAt date: Timestamp, _ time: any SigningClock) -> Bool {
    guard let issuerTime = answer.issuerTime else { return false }
    let difference = date.duration(to: issuerTime)
    guard difference > Self.tolerance || difference < .zero - Self.tolerance else { return false }
    let uptime = time.uptime
    anchor.withLock { $0 = Anchor(time: issuerTime, uptime: uptime) }
    return true
  }
}
