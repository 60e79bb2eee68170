// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension AccessPolicy {
  /// Restricts a transfer specification to the paths and the token lifetime that the policy allows.
  ///
  /// In the result, every path on the server is absolute and allowed, and the requested token lifetime does not exceed
  /// the rule's remaining lifetime. A path without a leading slash is relative to the folder of the rule's prefix. An
  /// upload without a destination root goes to that folder. Because a token also grants access to everything below its
  /// paths, a rule must allow all of it.
  ///
  /// ```swift
  /// let allowed = try policy.transfer(specification, with: "access-key", at: .now)
  /// let grant = try await issuer.grant(for: TokenRequest(session: "s", specification: allowed))
  /// ```
  ///
  /// - Parameters:
  ///   - specification: The requested transfer. An upload requires permission to write its destinations, and a download
  ///     requires permission to read its sources.
  ///   - accessKey: The bucket name in the rules: the access key, or the root that the node has for the access key.
  ///   - date: The current time.
  /// - Returns: The specification to send to the node.
  /// - Throws: A `PolicyError`: `refused` if no rule allows the transfer; `unsupportedCondition` or `unsupportedKey`
  ///   if the only rule that would allow the transfer is limited to a size, a media type, an address or a single key,
  ///   because a node cannot bind a token to such a condition.
  public func transfer(
    _ specification: TransferSpec, with accessKey: String, at date: Timestamp
  ) throws(PolicyError) -> TransferSpec {
    let action: AccessAction
    switch specification.direction {
    case .send?: action = .write
    case .receive?: action = .read
    case nil:
      throw PolicyError(
        .refused, "The transfer has no direction, so that no rule can be applied to it.",
        remedy: "Set direction to send or receive.")
    }
    var problem: PolicyError?
    for rule in try checkedRules(isBucket: { _ in true })
    where rule.bucket == accessKey && rule.actions.contains(action) {
      do throws(PolicyError) {
        return try TransferScope(rule, action, at: date).applied(to: specification)
      } catch {
        // An error about a condition that a token cannot express is more useful to the caller than an error about a
        // rule that does not match.
        if problem == nil || error.code != .refused { problem = error }
      }
    }
    throw problem
      ?? PolicyError(
        .refused, "No rule allows to \(action) with the access key \"\(accessKey)\".",
        remedy: "Request a transfer that the policy allows.")
  }
}
