// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A user's permissions in a storage service, defined once for every provider.
///
/// For least privilege, an access is denied unless a rule allows it; there are no rules that deny. A provider's own
/// document is generated from the policy (OSS RAM, COS CAM, form conditions, Aspera setup requests). If the provider
/// cannot express a permission or condition, the conversion fails instead of omitting the condition.
///
/// ```swift
/// let policy = AccessPolicy([
///   AccessRule(.write, objects: .prefix("uploads/alice/"), in: "photos", upTo: 10 << 20, types: ["image/*"])
/// ])
/// ```
public struct AccessPolicy: Sendable, Hashable {
  /// The rules of the policy; an access is allowed if at least one rule allows it.
  public var rules: [AccessRule]

  /// Creates an access policy from rules.
  ///
  /// - Parameter rules: The rules of the policy; an access is allowed if at least one rule allows it.
  public init(_ rules: [AccessRule]) {
    self.rules = rules
  }

  /// Checks whether the policy allows an access, and throws an error if no rule allows it.
  ///
  /// - Parameter access: The properties of the access.
  /// - Throws: An ``AccessRefusal`` with the reason of the rule that came closest to allowing the access.
  public func check(_ access: AccessRequest) throws(AccessRefusal) {
    var nearest: AccessRefusal.Reason?
    for rule in rules {
      guard let reason = rule.refusal(of: access) else { return }
      nearest = max(nearest ?? reason, reason)
    }
    throw AccessRefusal(nearest ?? .action, of: access)
  }
}
