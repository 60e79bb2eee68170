// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth

/// Access to a node whose secrets contain `c4nary0`.
enum NodeSamples {
  static let usable: [(name: String, access: AsperaNodeAccess)] = [
    ("a node user", .basic(user: "mia", password: Secret("c4nary0 pass:wörd"))),
    ("an access key", .accessKey(id: "ak-1", secret: Secret("c4nary0secret"))),
    ("a token", .bearer(Secret("c4nary0token"), accessKey: "ak-2")),
  ]

  static let unusable: [(name: String, credential: AsperaNodeAccess)] = [
    ("a user with a colon", .basic(user: "mia:c4nary0", password: Secret("c4nary0"))),
    ("an empty user", .basic(user: "", password: Secret("c4nary0"))),
    ("a user with a line break", .basic(user: "mia\n", password: Secret("c4nary0"))),
    ("an empty password", .basic(user: "mia", password: Secret(""))),
    ("a password with a line break", .basic(user: "mia", password: Secret("c4nary0\r\n"))),
    ("a password with a NUL", .basic(user: "mia", password: Secret("c4nary0\0"))),
    ("an access key with a colon", .accessKey(id: "a:b", secret: Secret("c4nary0"))),
    ("an access key without an id", .accessKey(id: "", secret: Secret("c4nary0"))),
    ("an access key without a secret", .accessKey(id: "ak", secret: Secret(""))),
    ("an empty token", .bearer(Secret(""), accessKey: "ak")),
    ("a token that is only the word", .bearer(Secret("Bearer "), accessKey: "ak")),
    ("a token with a line break", .bearer(Secret("c4nary0\r\nX-Injected: a"), accessKey: "ak")),
    ("a token with a blank", .bearer(Secret("c4nary0 b"), accessKey: "ak")),
    ("a token beyond ASCII", .bearer(Secret("c4nary0é"), accessKey: "ak")),
    ("a token without an access key", .bearer(Secret("c4nary0"), accessKey: "")),
    ("a token of an access key with a line break", .bearer(Secret("c4nary0"), accessKey: "ak\nX-Injected: a")),
  ]

  /// Returns the same access with another secret.
  static func withOtherSecret(_ access: AsperaNodeAccess) -> AsperaNodeAccess {
    switch access.method {
    case .basic(let user, _): .basic(user: user, password: Secret("other"))
    case .accessKey(let id, _): .accessKey(id: id, secret: Secret("other"))
    case .bearer(_, let id): .bearer(Secret("other"), accessKey: id)
    }
  }
}
