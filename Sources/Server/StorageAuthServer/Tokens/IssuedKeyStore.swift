// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A type that shares issued keys between the instances of a token service.
///
/// Without a shared store, each instance requests a key for each scope from the cloud, and caches it in memory. A
/// shared store lets one instance ask, and passes the key to the others.
public protocol IssuedKeyStore: Sendable {
  /// Returns the stored key for a scope, or issues a key for the scope and stores it.
  ///
  /// - Parameters:
  ///   - scope: The scope of the key.
  ///   - issue: A closure that requests a key from the cloud.
  /// - Returns: A key with at least half of its lifetime remaining, or with the whole lifetime that the cloud granted.
  ///   For a stored key, the result contains its `lifetime`, and the current time of the issuer if the store knows it.
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

  /// Issues a key; the parameters are those of ``IssuedKeyStore``.
  ///
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

/// The error of a shared store of keys, used signatures or rates that cannot be used, without secrets.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that describes the failure.
  public let message: String
  /// A sentence that describes how to fix the failure.
  public let remedy: String

  /// Creates the error, for implementations of the store protocols; the parameters are the properties.
  public init(_ message: String, remedy: String) {
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The message and the remedy.
  public var description: String { "\(message) \(remedy)" }
}

extension CredentialError {
  /// Creates the retryable error of a store that is out of reach.
  package init(_ error: StoreError, source: String) {
    self.init(.failed, source: source, error.message, remedy: error.remedy, isRetryable: true)
  }
}
