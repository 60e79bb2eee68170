// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The authenticated caller of a Node API request.
enum NodeCaller: Sendable {
  /// The caller is the node user with the given name.
  case user(String)
  /// The caller authenticated with the ID and the secret of an access key.
  case accessKey(LocalCloud.NodeAccessKey)
  /// The caller authenticated with a bearer token of an access key.
  case bearer(LocalCloud.NodeAccessKey, BearerUser)

  /// The caller's access key, or `nil` if the caller is a node user.
  var accessKey: LocalCloud.NodeAccessKey? {
    switch self {
    case .user: nil
    case .accessKey(let key), .bearer(let key, _): key
    }
  }

  /// The creator of what a caller with Basic authorization creates, as IBM's description of the Node API names it.
  static let administratorID = "ASPERA_ACCESS_KEY_ADMIN"

  /// The ID of the caller, as the creator of permissions and in events.
  var userID: String {
    switch self {
    case .user(let name): name
    case .accessKey: Self.administratorID
    case .bearer(_, let user): user.id
    }
  }

  /// The folder that is the root of the caller's paths: the root of the access key, or of the node for a node user.
  var root: NodePath {
    get throws(ErrorResponse) {
      guard let path = NodePath(accessKey?.path ?? "/") else {
        throw .node(.internalServerError, "The storage path of the access key is invalid.")
      }
      return path
    }
  }

  /// The user of the bearer token, or `nil` if the caller authenticated with Basic authorization.
  var bearerUser: BearerUser? {
    if case .bearer(_, let user) = self { user } else { nil }
  }
}

/// The user whom a bearer token names.
struct BearerUser: Sendable {
  let id: String
  let groupIDs: [String]

  /// Whether the token's scope grants all rights of the access key (`admin:all`).
  let isAdministrator: Bool
}
