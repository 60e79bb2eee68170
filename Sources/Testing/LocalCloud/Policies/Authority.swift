// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The upper bound of the permissions of a caller's access key.
enum Authority: Sendable {
  /// No permissions, for requests without a signature.
  case nothing
  /// All permissions of the account that the caller's key belongs to.
  case everything
  /// The permissions that the session policy of a temporary credential allows.
  case session(SessionPolicy)

  func allows(_ question: PolicyQuestion) -> Bool {
    switch self {
    case .nothing: false
    case .everything: true
    case .session(let policy): policy.allows(question)
    }
  }
}
