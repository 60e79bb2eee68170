// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The claims of a node bearer token, such as its user, its scope and its expiration.
///
/// Every claim is stored as it was received, including claims that this package does not know. The claim names are
/// those in IBM's support page ["How to create and use bearer
/// are those of IBM's support page ["How to create and use bearer
/// tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens).
public struct NodeBearerClaims: Sendable, Equatable {
  /// The claims as JSON members, in the order in which they were received or added.
  public var fields: JSONObject

  /// Creates claims from a JSON object, without validation.
  ///
  /// - Parameter fields: The claims as JSON members.
  public init(fields: JSONObject) {
    self.fields = fields
  }

  /// Creates the claims of a node user's bearer token.
  ///
  /// - Parameters:
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - scope: The access key and the role that the token grants.
  ///   - expiration: The time at which the token expires according to the node's clock. Fractions of a second are
  ///     dropped.
  ///   - groupIDs: The IDs of the user's groups, as the permissions on the node refer to them.
  ///   - organizationID: The ID of the user's organization, for servers that require it.
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

  /// The user ID (`user_id`), or `nil` if the claim is missing or malformed.
  public var userID: String? { fields["user_id"]?.code }

  /// The access key and the role that the token grants (`scope`), or `nil` if the claim is missing or malformed.
  public var scope: NodeScope? { fields["scope"]?.string.flatMap { NodeScope($0) } }

  /// The user type (`auth_type`): `access_key` for a user of the access key, `node_user` for a node user.
  public var authType: String? { fields["auth_type"]?.string }

  /// The time at which the token expires according to the node's clock (`expires_at`), or `nil` if the claim is missing
  /// or malformed.
  public var expiration: Timestamp? { fields["expires_at"]?.string.flatMap { Timestamp(iso8601: $0) } }

  /// The IDs of the user's groups (`group_ids`).
  public var groupIDs: [String] { (fields["group_ids"]?.array ?? []).compactMap(\.code) }

  /// The ID of the user's organization (`organization_id`), or `nil` if the claim is missing or malformed.
  public var organizationID: String? { fields["organization_id"]?.code }
}
