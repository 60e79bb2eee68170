// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The access that a credential is for: the rights that one request needs.
///
/// A copy needs two rules, one for its source. Every other request needs one rule, which names the bucket, the key or
/// the prefix, and the action.
public struct CredentialScope: Sendable, Hashable {
  /// The rules that the credential must satisfy.
  public var rules: [AccessRule]

  /// Creates a scope from rules.
  ///
  /// - Parameter rules: The rules that the credential must satisfy.
  public init(_ rules: [AccessRule]) {
    self.rules = rules
  }

  /// Creates the scope of one action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - objects: The object key; for a list, the prefix.
  ///   - bucket: The bucket that contains the objects.
  public init(_ action: AccessAction, _ objects: ObjectScope, in bucket: String) {
    rules = [AccessRule(action, objects: objects, in: bucket)]
  }

  /// The policy that allows exactly the rules of the scope.
  public var policy: AccessPolicy { AccessPolicy(rules) }
}
