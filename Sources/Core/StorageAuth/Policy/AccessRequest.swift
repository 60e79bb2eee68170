// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An access to a storage service, with the properties that an access policy checks.
public struct AccessRequest: Sendable, Hashable {
  /// The action to perform on the object.
  public var action: AccessAction

  /// The name of the bucket that is accessed.
  public var bucket: String

  /// The object key, or for the ``AccessAction/list`` action the requested prefix.
  public var key: String

  /// The size of the object to write in bytes, or `nil` if the request does not bind the size.
  public var size: Int64?

  /// The media type of the object to write, or `nil` if the request does not bind the media type.
  public var contentType: String?

  /// The client's network address, or `nil` if it is not known.
  public var address: NetworkAddress?

  /// The time of the access, in UTC, which is compared with a rule's expiration.
  public var date: Timestamp

  /// Creates an access from the properties that an access policy checks.
  ///
  /// - Parameters:
  ///   - action: The action to perform on the object.
  ///   - key: The object key, or for the ``AccessAction/list`` action the requested prefix.
  ///   - bucket: The name of the bucket that is accessed.
  ///   - size: The size of the object to write in bytes, or `nil` if the request does not bind the size.
  ///   - contentType: The media type of the object to write, or `nil` if the request does not bind the media type.
  ///   - address: The client's network address, or `nil` if it is not known.
  ///   - date: The time of the access, in UTC.
  public init(
    _ action: AccessAction, _ key: String, in bucket: String, size: Int64? = nil, contentType: String? = nil,
    from address: NetworkAddress? = nil, at date: Timestamp
  ) {
    self.action = action
    self.bucket = bucket
    self.key = key
    self.size = size
    self.contentType = contentType
    self.address = address
    self.date = date
  }

  /// Returns whether the object's media type, without its parameters, matches a rule's media type, such as `image/*`.
  ///
  /// A list of types, such as `image/png, text/html`, never matches: a browser would use the last type of the list, and
  /// would thus show a page to which the rule does not apply.
  func matches(mediaType allowed: String) -> Bool {
    guard let contentType, !contentType.utf8.contains(UInt8(ascii: ",")) else { return false }
    let types = contentType.bytes(before: ";").split { $0 == " " || $0 == "\t" }
    guard types.count == 1, let type = types.first?.asciiLowercased, AccessRule.isMediaType(type) else { return false }
    let allowed = allowed.asciiLowercased
    guard allowed.hasByteSuffix("/*") else { return type == allowed }
    return type.hasBytePrefix(allowed.dropLast()) && type.count >= allowed.count
  }
}
