/// What somebody may do in a storage service: least privilege, said once for every provider.
///
/// Nothing is allowed that no rule allows, and there are no rules that forbid. A provider's own document is made from it
/// (OSS RAM, COS CAM, form conditions, Aspera setup requests); what the provider cannot express is an error then and
/// never left out.
///
/// ```swift
/// let policy = AccessPolicy([
///   AccessRule(.write, objects: .prefix("uploads/alice/"), in: "photos", upTo: 10 << 20, types: ["image/*"])
/// ])
/// ```
public struct AccessPolicy: Sendable, Hashable {
  /// What is allowed: an access that any one of them allows.
  public var rules: [AccessRule]

  /// Puts rules together.
  public init(_ rules: [AccessRule]) {
    self.rules = rules
  }

  /// Checks an access.
  ///
  /// - Throws: An ``AccessRefusal`` with what was missing for the rule that came nearest.
  public func check(_ access: AccessRequest) throws(AccessRefusal) {
    var nearest: AccessRefusal.Reason?
    for rule in rules {
      guard let reason = rule.refusal(of: access) else { return }
      nearest = max(nearest ?? reason, reason)
    }
    throw AccessRefusal(nearest ?? .action, of: access)
  }
}
