// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  ///
  /// Policies that restrict addresses need the caller's address.
  public var address: NetworkAddress?

  /// Creates the rules for signing one caller's strings.
  ///
  /// - Parameters:
  ///   - policy: The caller's access policy.
  ///   - lifetime: The maximum validity of a signature that contains its expiration.
  ///   - clockTolerance: The maximum difference between a request's date and the server's clock.
  ///   - address: The address from which the caller sends its requests, or `nil` if it is not known.
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
  package func check(_ intent: AuthorizedRequest, with key: AccessKey, at now: Timestamp) throws(SigningRefusal) {
    try intent.requireKey(key)
    try checkTime(of: intent, with: key, at: now)
    let lastUse = intent.expiration ?? max(intent.date ?? now, now)
    for operation in try RequestedOperation.possibleOperations(of: intent) {
      do throws(AccessRefusal) {
        try policy.check(
          AccessRequest(
            operation.action, operation.key, in: operation.bucket, size: operation.size,
            contentType: operation.contentType, from: address, at: lastUse))
      } catch {
        throw SigningRefusal(
          .notAllowed, "\(error)", remedy: "Request only what the policy allows, or have the policy changed.")
      }
    }
  }

  private func checkTime(of intent: AuthorizedRequest, with key: AccessKey, at now: Timestamp) throws(SigningRefusal) {
    if let date = intent.date {
      // A validity window may have begun long ago, but it must not begin later than now.
      let isEarly = date < now.advanced(by: .zero - clockTolerance) && !intent.signableNames.datesWindows
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
    if let keyEnd = key.expiration, end > keyEnd {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), and the key expires at \(keyEnd).",
        remedy: "Ask for a shorter lifetime.")
    }
  }
}
