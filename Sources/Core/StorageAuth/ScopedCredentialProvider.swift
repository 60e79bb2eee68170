// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  /// Returns the scope of the credential for a request, given the scope of the request itself, which is the default.
  ///
  /// A provider that returns a wider scope, such as the folder of a key, needs fewer credentials, because requests with
  /// equal scopes share one.
  func scope(granting request: CredentialScope) -> CredentialScope

  /// Returns the provider of the credentials for a result of ``scope(granting:)``, which is called for each credential.
  func provider(for scope: CredentialScope) -> any CredentialProvider<Value>
}

extension ScopedCredentialProvider {
  /// Returns the scope of the request itself, which is the default.
  public func scope(granting request: CredentialScope) -> CredentialScope { request }
}

/// A scoped credential provider that calls a function for each scope.
public struct ClosureScopedCredentialProvider<Value: Credential>: ScopedCredentialProvider {
  private let makeProvider: @Sendable (CredentialScope) -> any CredentialProvider<Value>

  /// Creates a provider from a function that returns the provider of the credentials for a scope.
  public init(_ makeProvider: @escaping @Sendable (CredentialScope) -> any CredentialProvider<Value>) {
    self.makeProvider = makeProvider
  }

  /// Calls the function for a scope.
  public func provider(for scope: CredentialScope) -> any CredentialProvider<Value> { makeProvider(scope) }
}

/// The access rights that a request needs of its credential.
///
/// A copy needs two rules, one for its source and one for its destination; every other request needs one.
public struct CredentialScope: Sendable, Hashable {
  /// The rules that the credential must satisfy.
  public var rules: [AccessRule]

  /// Creates a scope from the rules that the credential must satisfy.
  public init(_ rules: [AccessRule]) { self.rules = rules }

  /// Creates the scope of one action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - objects: The objects to access, such as a single key; for a list, the prefix.
  ///   - bucket: The bucket that contains the objects.
  public init(_ action: AccessAction, _ objects: ObjectScope, in bucket: String) {
    rules = [AccessRule(action, objects: objects, in: bucket)]
  }

  /// The policy that allows exactly the rules of the scope.
  public var policy: AccessPolicy { AccessPolicy(rules) }
}
