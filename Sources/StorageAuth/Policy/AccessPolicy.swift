// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The permissions of a user in a storage service, defined once for every provider, for least privilege.
///
/// An access is denied unless a rule allows it; there are no rules that deny. A provider's own document is generated
/// from the policy (OSS RAM, COS CAM, form conditions, Aspera setup requests). A permission or condition that the
/// provider cannot express is then an error, and is never left out.
///
/// ```swift
/// let policy = AccessPolicy([
///   AccessRule(.write, objects: .prefix("uploads/alice/"), in: "photos", upTo: 10 << 20, types: ["image/*"])
/// ])
/// ```
public struct AccessPolicy: Sendable, Hashable {
  /// The rules; an access is allowed if at least one of them allows it.
  public var rules: [AccessRule]

  /// Creates a policy from rules.
  ///
  /// - Parameter rules: The rules; an access is allowed if at least one of them allows it.
  public init(_ rules: [AccessRule]) {
    self.rules = rules
  }

  /// Checks whether the policy allows an access.
  ///
  /// - Parameter access: The access.
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
