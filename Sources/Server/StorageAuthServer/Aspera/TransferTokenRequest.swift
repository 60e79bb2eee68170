// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request for Aspera transfer tokens, with its caller and the policy that the app grants.
public struct TransferTokenRequest: Sendable, Hashable {
  /// The user ID of the caller, for rate limits and the audit log.
  ///
  /// Do not use a user's name or address.
  public var caller: String

  /// The policy for the caller's transfers, whose rules contain ``accessKey`` as the bucket.
  public var policy: AccessPolicy

  /// The name that the policy's rules contain as the bucket.
  public var accessKey: String

  /// Creates a request for transfer tokens.
  ///
  /// - Parameters:
  ///   - caller: The user ID of the caller, for rate limits and the audit log.
  ///   - policy: The policy for the caller's transfers.
  ///   - accessKey: The name that the policy's rules contain as the bucket.
  public init(caller: String, policy: AccessPolicy, accessKey: String) {
    self.caller = caller
    self.policy = policy
    self.accessKey = accessKey
  }
}
