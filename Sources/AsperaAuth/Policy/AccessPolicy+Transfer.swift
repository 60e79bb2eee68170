public import StorageAuth
internal import StorageJSON

extension AccessPolicy {
  /// A transfer as it may be set up under the policy: every path on the server is absolute and allowed, and the token
  /// ends with the rule.
  ///
  /// A path that does not start with a slash is taken below the prefix of the rule; an upload without a root goes to that
  /// prefix. A token opens what lies below its paths as well, and so a rule has to allow all of it.
  ///
  /// ```swift
  /// let allowed = try policy.transfer(specification, with: "access-key", at: .now)
  /// let grant = try await issuer.grant(for: TokenRequest(session: "s", specification: allowed))
  /// ```
  ///
  /// - Parameters:
  ///   - specification: What is asked for. An upload is a write of its destinations, a download a read of its sources.
  ///   - accessKey: What the rules name as their bucket: the access key, or the root that the node has for it.
  ///   - date: The present.
  /// - Returns: The specification to ask the node with.
  /// - Throws: A ``PolicyError``: `refused` if no rule allows it, and `unsupportedCondition` or `unsupportedKey` if the
  ///   only rule that would has a size, a media type, an address or a single key, which no token of a node is bound to.
  public func transfer(
    _ specification: TransferSpec, with accessKey: String, at date: Timestamp
  ) throws(PolicyError) -> TransferSpec {
    let action: AccessAction
    switch specification.direction {
    case .send?: action = .write
    case .receive?: action = .read
    case nil:
      throw PolicyError(
        .refused, "The transfer has no direction, so that nothing can be allowed.",
        remedy: "Set direction to send or receive.")
    }
    var problem: PolicyError?
    for rule in try checkedRules(isBucket: { _ in true })
    where rule.bucket == accessKey && rule.actions.contains(action) {
      do throws(PolicyError) {
        return try TransferScope(rule, action, at: date).applied(to: specification)
      } catch {
        // What a rule cannot express is of more use to the caller than that another one does not match.
        if problem == nil || error.code != .refused { problem = error }
      }
    }
    throw problem
      ?? PolicyError(
        .refused, "No rule allows to \(action) with the access key \"\(accessKey)\".",
        remedy: "Ask for what the policy allows.")
  }
}
