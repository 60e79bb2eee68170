// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// One permission: actions, the objects of a bucket that they may be performed on, and conditions.
///
/// A condition that is not `nil` must be met; an access that lacks the property that the condition tests does not meet
/// it.
public struct AccessRule: Sendable, Hashable {
  /// The allowed actions.
  public var actions: Set<AccessAction>

  /// The objects that the actions may be performed on; for a list, the prefixes that may be requested.
  public var objects: ObjectScope

  /// The bucket; for Aspera, the access key or the root that the node has for it.
  public var bucket: String

  /// The largest size of an object that is written, in bytes, or `nil` for any size.
  public var maximumSize: Int64?

  /// The media types of objects that may be written, or `nil` for any type.
  ///
  /// Each is a media type such as `image/png`, or a pattern such as `image/*`.
  public var contentTypes: [String]?

  /// The addresses that requests may come from, or `nil` for any address.
  public var addresses: [AddressRange]?

  /// The time at which the permission expires, or `nil` if it does not.
  public var end: Timestamp?

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - actions: The allowed actions.
  ///   - objects: The objects that the actions may be performed on.
  ///   - bucket: The bucket that contains the objects.
  ///   - maximumSize: The largest size of an object that is written, in bytes, or `nil` for any size.
  ///   - contentTypes: The media types of objects that may be written, such as `image/png`, or `image/*` for all
  ///     images; `nil` for any type.
  ///   - addresses: The addresses that requests may come from, or `nil` for any address.
  ///   - end: The time at which the permission expires, or `nil` if it does not.
  public init(
    _ actions: AccessAction..., objects: ObjectScope, in bucket: String, upTo maximumSize: Int64? = nil,
    types contentTypes: [String]? = nil, from addresses: [AddressRange]? = nil, until end: Timestamp? = nil
  ) {
    self.actions = Set(actions)
    self.objects = objects
    self.bucket = bucket
    self.maximumSize = maximumSize
    self.contentTypes = contentTypes
    self.addresses = addresses
    self.end = end
  }

  /// Returns the reason why the rule does not allow an access, or `nil` if it does.
  func refusal(of access: AccessRequest) -> AccessRefusal.Reason? {
    guard access.bucket == bucket else { return .bucket }
    guard actions.contains(access.action) else { return .action }
    guard objects.contains(access.key) else { return .key }
    if let end, access.date >= end { return .time }
    if let addresses, !addresses.contains(where: { access.address.map($0.contains) ?? false }) { return .address }
    guard access.action == .write else { return nil }
    if let maximumSize, access.size.map({ $0 > maximumSize }) ?? true { return .size }
    if let contentTypes, !contentTypes.contains(where: { access.hasType($0) }) { return .contentType }
    return nil
  }
}

/// An action on objects.
public enum AccessAction: String, Sendable, Hashable, CaseIterable {
  /// Read an object or its metadata.
  case read
  /// Write an object, in one request or as a multipart upload, and abort such an upload.
  case write
  /// Delete an object.
  case delete
  /// List the keys below a prefix.
  case list
}

/// A set of keys of a bucket.
public enum ObjectScope: Sendable, Hashable {
  /// Every key.
  case all
  /// Each key that starts with a prefix, compared byte for byte; end it with a slash for a folder.
  case prefix(String)
  /// One key.
  case key(String)

  /// Returns a Boolean value that indicates whether a key, or the prefix of a list, belongs to the scope.
  ///
  /// - Parameter key: The key or the prefix.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .all: true
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    case .key(let one): key.isIdentical(to: one)
    }
  }

  /// Returns a Boolean value that indicates whether two scopes are equal, byte for byte.
  public static func == (first: ObjectScope, second: ObjectScope) -> Bool {
    switch (first, second) {
    case (.all, .all): true
    case (.prefix(let first), .prefix(let second)), (.key(let first), .key(let second)): first.isIdentical(to: second)
    default: false
    }
  }
}
