// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The rules that a server applies when it signs strings for one caller.
public struct SigningRules: Sendable {
  /// The caller's access policy, which must allow the operation of the request to sign.
  public var policy: AccessPolicy
  /// The maximum validity of a signature that contains its expiration.
  ///
  /// It is counted from now, or from the signature's own date if this is later, because the client's clock may be fast.
  public var lifetime: Duration
  /// The maximum difference between a request's date and the server's clock; the services accept 15 minutes.
  public var clockTolerance: Duration
  /// The address from which the caller sends its requests to the storage service, or `nil` if it is not known.
  public var address: NetworkAddress?

  /// Creates the rules for signing one caller's strings; the parameters are the properties.
  public init(
    _ policy: AccessPolicy, lifetime: Duration = .seconds(3600),
    clockTolerance: Duration = VerificationLimits.clockTolerance, from address: NetworkAddress? = nil
  ) {
    self.policy = policy
    self.lifetime = lifetime
    self.clockTolerance = clockTolerance
    self.address = address
  }

  /// Throws an error if a request to sign violates the rules, or was prepared for another key.
  package func check(_ request: AuthorizedRequest, with key: AccessKey, at now: Timestamp) throws(SigningRefusal) {
    try request.requireKey(key)
    try checkTime(of: request, with: key, at: now)
    // The policy must allow the access at each time at which the signature can be used.
    let lastUseTime = request.expiration ?? max(request.date ?? now, now)
    for operation in try RequestedOperation.possibleOperations(of: request) {
      let access = AccessRequest(
        operation.action, operation.key, in: operation.bucket, size: operation.size, contentType: operation.contentType,
        from: address, at: lastUseTime)
      do throws(AccessRefusal) {
        try policy.check(access)
      } catch {
        throw SigningRefusal(
          .notAllowed, "\(error)", remedy: "Request only what the policy allows, or have the policy changed.")
      }
    }
  }

  private func checkTime(of request: AuthorizedRequest, with key: AccessKey, at now: Timestamp) throws(SigningRefusal) {
    if let date = request.date {
      // A validity window may have begun long ago, but it must not begin later than now.
      let isTooEarly = date < now.advanced(by: .zero - clockTolerance) && !request.signableNames.datesWindows
      guard !isTooEarly, date <= now.advanced(by: clockTolerance) else {
        throw SigningRefusal(
          .clockSkew, "The request is dated \(date), and it is \(now).", remedy: "Set the clock of the client.")
      }
    }
    guard let expiration = request.expiration else { return }
    guard expiration > now else {
      throw SigningRefusal(
        .lifetime, "The signature would have expired at \(expiration).", remedy: "Set the clock of the client.")
    }
    // The client's clock may be fast, so that the lifetime is counted from the later one of the two times.
    if expiration > max(request.date ?? now, now).advanced(by: lifetime) {
      throw Self.tooLong(until: expiration, "which is more than \(lifetime) from its start")
    }
    if let keyExpiration = key.expiration, expiration > keyExpiration {
      throw Self.tooLong(until: expiration, "and the key expires at \(keyExpiration)")
    }
  }

  private static func tooLong(until expiration: Timestamp, _ limit: String) -> SigningRefusal {
    SigningRefusal(
      .lifetime, "The signature would be valid until \(expiration), \(limit).", remedy: "Ask for a shorter lifetime.")
  }
}
