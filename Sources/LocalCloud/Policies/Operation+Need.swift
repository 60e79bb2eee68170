// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension Operation {
  /// The permission that an operation requires of a policy.
  struct Need: Sendable {
    /// The name of the action.
    let action: String

    /// The kind of resource that the action applies to.
    let target: Target

    /// A kind of resource in a policy.
    enum Target: Sendable {
      case service, bucket, object
      /// The prefix of a listing, at services whose resource names contain it.
      case list
      /// Each object that the request body names.
      case objectsOfBody
    }

    init(_ action: String, on target: Target) {
      self.action = action
      self.target = target
    }
  }
}
