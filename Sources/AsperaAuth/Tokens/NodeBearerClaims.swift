// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
public import StorageJSON

/// The claims of a node bearer token: its user, its scope and its expiration, among others.
///
/// Every claim is stored as it was received, including those that this package does not know. The names of the claims
/// are those of IBM's support page ["How to create and use bearer
/// tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens).
public struct NodeBearerClaims: Sendable, Equatable {
  /// The claims, in the order in which they were received or added.
  public var fields: JSONObject

  /// Creates claims from a JSON object, without validation.
  ///
  /// - Parameter fields: The claims.
  public init(fields: JSONObject) {
    self.fields = fields
  }

  /// Creates the claims of a user.
  ///
  /// - Parameters:
  ///   - userID: The user, as the permissions on the node name it.
  ///   - scope: The access key and the role that the token grants.
  ///   - expiration: The time at which the token expires, by the node's clock; a fraction of a second is dropped.
  ///   - groupIDs: The groups of the user, as the permissions name them.
  ///   - organizationID: The organization, for servers that require one.
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

  /// The identifier of the user (`user_id`).
  public var userID: String? { fields["user_id"]?.code }

  /// The access key and the role that the token grants (`scope`); `nil` if the claim is missing or malformed.
  public var scope: NodeScope? { fields["scope"]?.string.flatMap { NodeScope($0) } }

  /// The kind of the user (`auth_type`): `access_key` for a user of the access key, `node_user` for a user of the node.
  public var authType: String? { fields["auth_type"]?.string }

  /// The time at which the token expires by the node's clock (`expires_at`); `nil` if the claim is missing or
  /// malformed.
  public var expiration: Timestamp? { fields["expires_at"]?.string.flatMap { Timestamp(iso8601: $0) } }

  /// The groups of the user (`group_ids`).
  public var groupIDs: [String] { (fields["group_ids"]?.array ?? []).compactMap(\.code) }

  /// The organization of the user (`organization_id`).
  public var organizationID: String? { fields["organization_id"]?.code }
}
