public import StorageAuth
public import StorageJSON

/// What a bearer token of a node says: who it is for, what it is good for, and until when.
///
/// Every claim is kept as it came, those that this package does not know too.
public struct NodeBearerClaims: Sendable, Equatable {
  /// The claims, in the order in which they came.
  public var fields: JSONObject

  /// Takes over claims.
  public init(fields: JSONObject) {
    self.fields = fields
  }

  /// Makes the claims of a user.
  ///
  /// - Parameters:
  ///   - userID: The user, as the permissions on the node name it.
  ///   - scope: What the token is good for.
  ///   - expiration: When it ends, by the node's clock; a fraction of a second is left out.
  ///   - groupIDs: The groups that the user is in, as the permissions name them.
  ///   - organizationID: The organization, for servers that ask for one.
  public init(
    userID: String, scope: NodeScope, expiration: Timestamp, groupIDs: [String] = [], organizationID: String? = nil
  ) {
    fields = JSONObject()
    fields["user_id"] = .string(userID)
    fields["scope"] = .string(scope.description)
    fields["auth_type"] = "access_key"
    fields["expires_at"] = .string(expiration.iso8601)
    if !groupIDs.isEmpty { fields["group_ids"] = .array(groupIDs.map { .string($0) }) }
    fields["organization_id"] = organizationID.map { .string($0) }
  }

  /// The user (`user_id`).
  public var userID: String? { fields["user_id"]?.code }

  /// What the token is good for (`scope`).
  public var scope: NodeScope? { fields["scope"]?.string.flatMap { NodeScope($0) } }

  /// Whether the user is one of the access key (`access_key`) or of the node (`node_user`) (`auth_type`).
  public var authType: String? { fields["auth_type"]?.string }

  /// When the token ends, by the node's clock (`expires_at`).
  public var expiration: Timestamp? { fields["expires_at"]?.string.flatMap { Timestamp(iso8601: $0) } }

  /// The groups that the user is in (`group_ids`).
  public var groupIDs: [String] { (fields["group_ids"]?.array ?? []).compactMap(\.code) }

  /// The organization (`organization_id`).
  public var organizationID: String? { fields["organization_id"]?.code }
}
