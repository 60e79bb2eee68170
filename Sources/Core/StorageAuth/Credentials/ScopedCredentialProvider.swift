// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A source of credentials that are limited to what a request needs.
///
/// ```swift
/// struct Uploads: ScopedCredentialProvider {
///   func provider(for scope: CredentialScope) -> any CredentialProvider<AccessKey> {
///     AlibabaAssumeRoleProvider(roleARN: role, …, policy: try? scope.policy.ramDocument())
///   }
/// }
/// ```
///
/// A ``ScopedCredentialCache`` caches the credentials of each scope.
public protocol ScopedCredentialProvider<Value>: Sendable {
  /// The type of the credentials that the provider fetches.
  associatedtype Value: Credential

  /// Returns the scope of the credential that is requested for a request.
  ///
  /// By default it is the scope of the request. A provider that returns a wider scope, such as the folder of a key,
  /// needs fewer credentials, because requests with equal scopes share one.
  ///
  /// - Parameter request: The scope of the request.
  func scope(granting request: CredentialScope) -> CredentialScope

  /// Returns the provider of the credentials for a scope, which is called for each credential.
  ///
  /// - Parameter scope: The result of ``scope(granting:)``.
  func provider(for scope: CredentialScope) -> any CredentialProvider<Value>
}

extension ScopedCredentialProvider {
  /// Returns the scope of the request itself.
  public func scope(granting request: CredentialScope) -> CredentialScope { request }
}

/// A scoped credential provider that calls a function for each scope.
public struct ClosureScopedCredentialProvider<Value: Credential>: ScopedCredentialProvider {
  private let make: @Sendable (CredentialScope) -> any CredentialProvider<Value>

  /// Creates a provider from a function.
  ///
  /// - Parameter make: A function that returns the provider of the credentials for a scope.
  public init(_ make: @escaping @Sendable (CredentialScope) -> any CredentialProvider<Value>) {
    self.make = make
  }

  /// Returns the provider that the function returns.
  ///
  /// - Parameter scope: The scope of the credentials.
  public func provider(for scope: CredentialScope) -> any CredentialProvider<Value> { make(scope) }
}
