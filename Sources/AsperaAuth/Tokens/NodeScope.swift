/// What a bearer token of a node is good for: an access key, and a role on it.
public struct NodeScope: Sendable, Hashable, CustomStringConvertible {
  /// The role of a user, whose rights are those of the permissions on folders.
  public static let user = "user:all"

  /// The role of whoever may do everything with the access key.
  public static let admin = "admin:all"

  /// The access key.
  public let accessKey: String

  /// The role.
  public let role: String

  /// Names a scope.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - role: The role on it.
  public init(accessKey: String, role: String = user) {
    self.accessKey = accessKey
    self.role = role
  }

  /// Reads a scope.
  ///
  /// - Parameter text: The text of the claim: `node.<access key>:user:all`.
  /// - Returns: Nothing for a text of another form.
  public init?(_ text: String) {
    guard text.hasPrefix("node."), let colon = text.firstIndex(of: ":") else { return nil }
    accessKey = String(text[..<colon].dropFirst("node.".count))
    role = String(text[colon...].dropFirst())
    if accessKey.isEmpty || role.isEmpty { return nil }
  }

  /// The text of the claim.
  public var description: String { "node.\(accessKey):\(role)" }
}
