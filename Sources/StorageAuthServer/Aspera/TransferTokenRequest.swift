// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request for tokens of Aspera transfers, with its caller and the policy that the app grants.
public struct TransferTokenRequest: Sendable, Hashable {
  /// The caller, for rate limits and the audit log: the user's ID, not a name or an address.
  public var caller: String

  /// The policy for the caller's transfers, whose rules have ``accessKey`` as their bucket.
  public var policy: AccessPolicy

  /// The name that the rules of the policy have as their bucket.
  public var accessKey: String

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - caller: The caller, for rate limits and the audit log.
  ///   - policy: The policy for the caller's transfers.
  ///   - accessKey: The name that the rules of the policy have as their bucket.
  public init(caller: String, policy: AccessPolicy, accessKey: String) {
    self.caller = caller
    self.policy = policy
    self.accessKey = accessKey
  }
}
