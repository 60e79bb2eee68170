/// What a server signs for one caller.
public struct SigningRules: Sendable {
  /// What the caller may do.
  public var policy: AccessPolicy

  /// The longest that a signature may be valid, where it says how long it is: from now on, or from its own date if that
  /// is later, as a clock that is fast has it.
  public var lifetime: Duration

  /// How far the date of a request may be from the server's time; the services accept fifteen minutes.
  public var clockTolerance: Duration

  /// Where the caller's requests to the storage service will come from, for policies that say from where.
  public var address: NetworkAddress?

  /// Sets rules.
  ///
  /// - Parameters:
  ///   - policy: What the caller may do.
  ///   - lifetime: The longest that a signature may be valid from now on.
  ///   - clockTolerance: How far the date of a request may be from the server's time.
  ///   - address: Where the caller's requests to the storage service will come from.
  public init(
    _ policy: AccessPolicy, lifetime: Duration = .seconds(3600),
    clockTolerance: Duration = VerificationLimits.clockTolerance,
    from address: NetworkAddress? = nil
  ) {
    self.policy = policy
    self.lifetime = lifetime
    self.clockTolerance = clockTolerance
    self.address = address
  }
}

extension SigningRules {
  /// Refuses what is outside of the rules, or made for another key.
  package func check(_ intent: SigningIntent, with key: AccessKey, at date: Timestamp) throws(SigningRefusal) {
    try intent.check(key)
    try checkTime(of: intent, with: key, at: date)
    let last = intent.expiration ?? max(intent.date ?? date, date)
    for operation in try RequestedOperation.readings(of: intent) {
      do throws(AccessRefusal) {
        try policy.check(
          AccessRequest(
            operation.action, operation.key, in: operation.bucket, size: operation.size,
            contentType: operation.contentType, from: address, at: last))
      } catch {
        throw SigningRefusal(
          .notAllowed, "\(error)", remedy: "Ask for what the policy allows, or have the policy changed.")
      }
    }
  }

  private func checkTime(
    of intent: SigningIntent, with key: AccessKey, at now: Timestamp
  ) throws(SigningRefusal) {
    if let date = intent.date {
      // A window may have begun long ago; it must not begin later than the present.
      let isEarly = date < now.advanced(by: .zero - clockTolerance) && !intent.vocabulary.datesWindows
      guard !isEarly, date <= now.advanced(by: clockTolerance) else {
        throw SigningRefusal(
          .clockSkew, "The request is dated \(date), and it is \(now).", remedy: "Set the clock of the client.")
      }
    }
    guard let end = intent.expiration else { return }
    guard end > now else {
      throw SigningRefusal(
        .lifetime, "The signature would have ended at \(end).", remedy: "Set the clock of the client.")
    }
    let start = max(intent.date ?? now, now)
    guard end <= start.advanced(by: lifetime) else {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), which is more than \(lifetime) from now.",
        remedy: "Ask for a shorter lifetime.")
    }
    if let last = key.expiration, end > last {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), and the key ends at \(last).",
        remedy: "Ask for a shorter lifetime.")
    }
  }
}
