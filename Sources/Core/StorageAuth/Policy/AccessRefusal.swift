// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error for an access that a policy does not allow.
public struct AccessRefusal: Error, Sendable, Hashable {
  /// The reason why a policy does not allow an access; a later case came closer to allowing the access.
  public enum Reason: Int, Sendable, Hashable, Comparable {
    /// The policy has no rule for the bucket.
    case bucket
    /// The policy has no rule for the bucket that allows the action.
    case action
    /// The rules that allow the action do not cover the object key.
    case key
    /// The rule that allows the action on the object has expired.
    case time
    /// The rule does not cover the client's address, or the client's address is not known.
    case address
    /// The object to write is too large, or the request does not bind its size.
    case size
    /// The rule does not allow the object's media type, or the request does not bind the media type.
    case contentType

    /// Returns whether the second reason came closer to allowing the access.
    public static func < (first: Reason, second: Reason) -> Bool { first.rawValue < second.rawValue }
  }

  /// The reason of the rule that came closest to allowing the access.
  public let reason: Reason

  /// The access that the policy does not allow.
  public let access: AccessRequest
}

extension AccessRefusal: CustomStringConvertible {
  /// A sentence that describes why the access is not allowed, without the object key.
  public var description: String { "The policy does not allow the action \(access.action.rawValue): \(reason.clause)." }
}

extension AccessRefusal.Reason {
  /// The reason as a clause without a period.
  fileprivate var clause: String {
    switch self {
    case .bucket: "no rule covers the bucket"
    case .action: "no rule for the bucket allows it"
    case .key: "no rule covers the key"
    case .time: "the permission has expired"
    case .address: "no rule covers the client's address"
    case .size: "the object is too large, or the request does not bind its size"
    case .contentType: "no rule allows the media type, or the request does not bind it"
    }
  }
}
