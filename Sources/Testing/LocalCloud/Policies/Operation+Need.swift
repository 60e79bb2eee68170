// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension Operation {
  /// The permission that a policy must grant for an operation.
  struct Need: Sendable {
    /// The action name in the policy language, such as `oss:GetObject`.
    let action: String

    /// The kind of resource that the policy must allow the action for.
    let target: Target

    /// The kind of resource that an action applies to in a policy.
    enum Target: Sendable {
      case service, bucket, object
      /// The prefix that a list request specifies, for services whose resource names contain it.
      case list
      /// Every object that the request body lists.
      case objectsOfBody
    }

    init(_ action: String, on target: Target) {
      self.action = action
      self.target = target
    }
  }
}
