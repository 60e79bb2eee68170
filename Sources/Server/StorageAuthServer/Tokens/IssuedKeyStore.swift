// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A type that shares issued keys between the instances of a token service.
///
/// Each instance caches the keys that it issues in memory. Without a shared store, each instance therefore requests a key
/// for each scope from the cloud. A shared store lets one instance ask, and passes the key to the others.
public protocol IssuedKeyStore: Sendable {
  /// Returns the key for a scope that an instance has issued, or issues and stores a key.
  ///
  /// - Parameters:
  ///   - scope: The scope of the key.
  ///   - issue: A closure that requests a key from the cloud.
  /// - Returns: A key with at least half of its lifetime remaining, or with the whole lifetime that the cloud granted. A
  ///   key from the store has a `lifetime`, and the current time according to the issuer's clock if it is known.
  /// - Throws: A `CredentialError`: that of `issue`, or a retryable one if the store is out of reach.
  func key(
    for scope: TokenScope, issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey>

  /// Removes the key for a scope from the store.
  ///
  /// - Parameter scope: The scope whose key was revoked.
  /// - Throws: A ``StoreError`` if the store is out of reach.
  func forget(_ scope: TokenScope) async throws(StoreError)
}

/// A store without keys: each instance asks the cloud, and caches its own keys.
public struct PassThroughKeyStore: IssuedKeyStore {
  /// Creates a store without keys.
  public init() {}

  /// Issues a key.
  ///
  /// - Parameters:
  ///   - scope: The scope of the key.
  ///   - issue: A closure that requests a key from the cloud.
  /// - Returns: The key that the cloud issued.
  /// - Throws: The `CredentialError` of `issue`.
  public func key(
    for scope: TokenScope, issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    try await issue()
  }

  /// Returns at once, because the store contains no key.
  ///
  /// - Parameter scope: The scope whose key was revoked.
  public func forget(_ scope: TokenScope) {}
}
