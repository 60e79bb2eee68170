// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The rules by which a server signs strings for one caller.
public struct SigningRules: Sendable {
  /// The access policy of the caller.
  public var policy: AccessPolicy

  /// The longest validity of a signature that states its expiration.
  ///
  /// It is counted from the present, or from the signature's own date if that is later, because the client's clock may
  /// be fast.
  public var lifetime: Duration

  /// The largest difference between the date of a request and the server's time; the services accept 15 minutes.
  public var clockTolerance: Duration

  /// The address from which the caller sends its requests to the storage service, for policies that restrict it.
  public var address: NetworkAddress?

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - policy: The access policy of the caller.
  ///   - lifetime: The longest validity of a signature from the present.
  ///   - clockTolerance: The largest difference between the date of a request and the server's time.
  ///   - address: The address from which the caller sends its requests to the storage service.
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
  /// Rejects a request to sign that is outside of the rules, or that was prepared for another key.
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
          .notAllowed, "\(error)", remedy: "Request only what the policy allows, or have the policy changed.")
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
        .lifetime, "The signature would have expired at \(end).", remedy: "Set the clock of the client.")
    }
    let start = max(intent.date ?? now, now)
    guard end <= start.advanced(by: lifetime) else {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), which is more than \(lifetime) from now.",
        remedy: "Ask for a shorter lifetime.")
    }
    if let last = key.expiration, end > last {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), and the key expires at \(last).",
        remedy: "Ask for a shorter lifetime.")
    }
  }
}
