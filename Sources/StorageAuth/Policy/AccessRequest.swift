// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// One access to a storage service, with the properties that a policy examines.
public struct AccessRequest: Sendable, Hashable {
  /// The action.
  public var action: AccessAction

  /// The bucket.
  public var bucket: String

  /// The object key; for a list, the requested prefix.
  public var key: String

  /// The number of bytes that are written, or `nil` if the request does not bind it.
  public var size: Int64?

  /// The media type of the object that is written, or `nil` if the request does not bind it.
  public var contentType: String?

  /// The address of the client, or `nil` if it is not known.
  public var address: NetworkAddress?

  /// The time of the access, in UTC.
  public var date: Timestamp

  /// Creates the description of an access.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - key: The object key; for a list, the requested prefix.
  ///   - bucket: The bucket.
  ///   - size: The number of bytes that are written, or `nil` if the request does not bind it.
  ///   - contentType: The media type of the object that is written, or `nil` if the request does not bind it.
  ///   - address: The address of the client, or `nil` if it is not known.
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

  /// Returns whether the media type without its parameters matches the one that a rule names.
  ///
  /// A browser uses the last of several comma-separated types, and guesses if it finds none: a value that is not
  /// exactly one media type matches no rule.
  func hasType(_ named: String) -> Bool {
    guard let contentType, !contentType.utf8.contains(UInt8(ascii: ",")) else { return false }
    let words = contentType.bytes(before: ";").split { $0 == " " || $0 == "\t" }
    guard words.count == 1, let type = words.first?.asciiLowercased, AccessRule.isMediaType(type) else { return false }
    let named = named.asciiLowercased
    return named.hasByteSuffix("/*") ? type.hasBytePrefix(named.dropLast()) && type.count >= named.count : type == named
  }
}

/// The reason why a policy does not allow an access.
public struct AccessRefusal: Error, Sendable, Hashable {
  /// The requirement that is not met; a later case came closer to being allowed.
  public enum Reason: Int, Sendable, Hashable, Comparable {
    /// No rule covers the bucket.
    case bucket
    /// No rule for the bucket allows the action.
    case action
    /// No rule that allows the action covers the key.
    case key
    /// The rule has expired.
    case time
    /// The rule does not cover the client's address, or the address is not known.
    case address
    /// The object is too large, or the request does not bind its size.
    case size
    /// The rule does not allow the media type, or the request does not bind it.
    case contentType

    /// Returns a Boolean value that indicates whether the second reason came closer to being allowed than the first.
    public static func < (first: Reason, second: Reason) -> Bool { first.rawValue < second.rawValue }
  }

  /// The requirement that is not met.
  public let reason: Reason

  /// The refused access.
  public let access: AccessRequest

  init(_ reason: Reason, of access: AccessRequest) {
    self.reason = reason
    self.access = access
  }
}

extension AccessRefusal: CustomStringConvertible {
  /// The reason, in a sentence without the key.
  public var description: String { "The policy does not allow the action \(access.action.rawValue): \(reason.words)." }
}

extension AccessRefusal.Reason {
  fileprivate var words: String {
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
