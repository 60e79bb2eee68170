// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The authenticated caller of the Node API.
enum NodeCaller: Sendable {
  /// A node user.
  case user(String)
  /// An access key, authenticated by its secret or by a bearer token.
  case accessKey(String)

  /// The id of the caller's access key, or `nil` for a node user.
  var accessKeyID: String? {
    if case .accessKey(let id) = self { id } else { nil }
  }
}
