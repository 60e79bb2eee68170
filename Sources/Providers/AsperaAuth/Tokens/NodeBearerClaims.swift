// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The claims of a node bearer token, such as its user, its scope and its expiration.
///
/// Every claim is stored as it was received, including claims that this package does not know. The claim names are
/// those of IBM's support page ["How to create and use bearer
/// tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens).
public struct NodeBearerClaims: Sendable, Equatable {
  /// The claims as JSON members, in the order in which they were received or added.
  public var fields: JSONObject

  /// Creates claims from JSON members, without validation.
  public init(fields: JSONObject) { self.fields = fields }

  /// Creates the claims of a node user's bearer token.
  ///
  /// - Parameters:
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - scope: The access key and the role that the token grants.
  ///   - expiration: The time at which the token expires by the node's clock, without fractions of a second.
  ///   - groupIDs: The IDs of the user's groups, as the permissions on the node refer to them.
  ///   - organizationID: The ID of the user's organization, for servers that require it.
  public init(
    userID: String, scope: NodeScope, expiration: Timestamp, groupIDs: [String] = [], organizationID: String? = nil
  ) {
    fields = [
      "user_id": .string(userID), "scope": .string(scope.description), "auth_type": "access_key",
      "expires_at": .string(expiration.iso8601),
    ]
    if !groupIDs.isEmpty { fields["group_ids"] = .array(groupIDs.map { .string($0) }) }
    fields["organization_id"] = organizationID.map { .string($0) }
  }

  /// The user ID (`user_id`), or `nil` if the claim is missing or malformed.
  public var userID: String? { fields["user_id"]?.code }
  /// The access key and the role that the token grants (`scope`), or `nil` if the claim is missing or malformed.
  public var scope: NodeScope? { fields["scope"]?.string.flatMap { NodeScope($0) } }
  /// The user type (`auth_type`): `access_key` for a user of the access key, `node_user` for a node user.
  public var authType: String? { fields["auth_type"]?.string }
  /// The time at which the token expires by the node's clock (`expires_at`), or `nil` if it is missing or malformed.
  public var expiration: Timestamp? { fields["expires_at"]?.string.flatMap { Timestamp(iso8601: $0) } }
  /// The IDs of the user's groups (`group_ids`).
  public var groupIDs: [String] { (fields["group_ids"]?.array ?? []).compactMap(\.code) }
  /// The ID of the user's organization (`organization_id`), or `nil` if the claim is missing or malformed.
  public var organizationID: String? { fields["organization_id"]?.code }
}

/// The scope of a node bearer token: an access key and a role on the access key.
public struct NodeScope: Sendable, Hashable, CustomStringConvertible {
  /// The role of a user, whose rights are determined by the permissions on folders.
  public static let user = "user:all"
  /// The role of an administrator, who has all rights of the access key.
  public static let admin = "admin:all"

  /// The identifier of the access key.
  public let accessKey: String
  /// The role that the token grants on the access key, such as ``user``.
  public let role: String

  /// Creates a scope from an access key and a role; the parameters are the properties.
  public init(accessKey: String, role: String = user) {
    self.accessKey = accessKey
    self.role = role
  }

  /// Parses the value of a token's `scope` claim, or returns `nil` if the text has another form.
  ///
  /// - Parameter text: The claim value, such as `node.<access key>:user:all`.
  public init?(_ text: String) {
    guard let parts = text.removingBytePrefix("node.")?.parts(between: ":", maxSplits: 1), parts.count == 2 else {
      return nil
    }
    accessKey = String(parts[0])
    role = String(parts[1])
    if accessKey.isEmpty || role.isEmpty { return nil }
  }

  /// The value of a token's `scope` claim, such as `node.<access key>:user:all`.
  public var description: String { "node.\(accessKey):\(role)" }
}
