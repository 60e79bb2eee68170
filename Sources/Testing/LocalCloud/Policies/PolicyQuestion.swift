// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request to evaluate a policy: an action, a resource, and the values that conditions can test.
struct PolicyQuestion: Sendable {
  /// The requested action, such as `sts:AssumeRole`.
  let action: String

  /// The colon-separated parts of the resource name; the last part can contain colons.
  let resource: [String]

  /// The request's values that conditions can test, by condition key.
  let facts: [String: String]
}

/// An error that explains why a document is not a policy that this server can apply.
struct PolicyFault: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
