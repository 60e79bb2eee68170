// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A check of something that a server needs before it can respond to requests.
///
/// ```swift
/// router.addHealthRoutes([.credential("key", in: cache), HealthCheck("redis") { await pool.isReachable() }])
/// ```
public struct HealthCheck: Sendable {
  /// The name of the check in the response of `/readyz`.
  public let name: String

  let isReady: @Sendable @concurrent () async -> Bool

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - name: The name of the check in the response of `/readyz`.
  ///   - isReady: A closure that returns whether the server can respond to requests. It counts as failed if it takes
  ///     longer than the time limit of the health routes.
  public init(_ name: String, isReady: @escaping @Sendable @concurrent () async -> Bool) {
    self.name = name
    self.isReady = isReady
  }

  /// Returns a check that succeeds if a cache contains a valid credential, or receives one from its provider.
  ///
  /// - Parameters:
  ///   - name: The name of the check in the response of `/readyz`.
  ///   - cache: The cache of the credential.
  public static func credential(_ name: String, in cache: CredentialCache<some Credential>) -> HealthCheck {
    HealthCheck(name) {
      if cache.current() != nil { return true }
      return (try? await cache.credential()) != nil
    }
  }
}
