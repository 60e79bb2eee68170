// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The authenticated caller of a Node API request.
enum NodeCaller: Sendable {
  /// The caller is the node user with the given name.
  case user(String)
  /// The caller used the access key with the given ID, authenticated by its secret or by a bearer token.
  case accessKey(String)

  /// The ID of the caller's access key, or `nil` if the caller is a node user.
  var accessKeyID: String? {
    if case .accessKey(let id) = self { id } else { nil }
  }
}
