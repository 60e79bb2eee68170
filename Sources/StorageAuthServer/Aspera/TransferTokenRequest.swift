/// A request for tokens of Aspera transfers: who asks, and what the app lets them transfer.
public struct TransferTokenRequest: Sendable, Hashable {
  /// Who asks, for rates and the audit log: the user's id, not a name or an address.
  public var caller: String

  /// What they may transfer; a rule's bucket is ``accessKey``.
  public var policy: AccessPolicy

  /// What the rules of the policy name as their bucket.
  public var accessKey: String

  /// Puts a decision together.
  ///
  /// - Parameters:
  ///   - caller: Who asks, for rates and the audit log.
  ///   - policy: What they may transfer.
  ///   - accessKey: What the rules of the policy name as their bucket.
  public init(caller: String, policy: AccessPolicy, accessKey: String) {
    self.caller = caller
    self.policy = policy
    self.accessKey = accessKey
  }
}
