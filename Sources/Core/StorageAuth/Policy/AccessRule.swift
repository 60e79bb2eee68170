// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A permission in an access policy: the allowed actions, the objects of a bucket, and conditions.
///
/// A condition that is not `nil` must be satisfied; an access without the tested property does not satisfy it.
public struct AccessRule: Sendable, Hashable {
  /// The actions that the rule allows.
  public var actions: Set<AccessAction>
  /// The objects on which the actions are allowed; for ``AccessAction/list``, the prefixes that may be requested.
  public var objects: ObjectScope
  /// The bucket that contains the objects; for Aspera, the access key or the node's root for the access key.
  public var bucket: String
  /// The maximum size of an object to write, in bytes, or `nil` for any size.
  public var maximumSize: Int64?
  /// The media types that may be written, such as `image/png`, or a pattern such as `image/*`, or `nil` for any type.
  public var contentTypes: [String]?
  /// The IP addresses that requests may come from, or `nil` for any address.
  public var addresses: [AddressRange]?
  /// The time at which the permission expires, or `nil` if the permission does not expire.
  public var end: Timestamp?

  /// Creates an access rule for objects in a bucket; the parameters are the properties.
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

  /// Returns the first reason why the rule does not allow an access, or `nil` if it allows the access.
  func refusalReason(for access: AccessRequest) -> AccessRefusal.Reason? {
    guard access.bucket.isIdentical(to: bucket) else { return .bucket }
    guard actions.contains(access.action) else { return .action }
    guard objects.contains(access.key) else { return .key }
    if let end, access.date >= end { return .time }
    if let addresses, !addresses.contains(where: { access.address.map($0.contains) ?? false }) { return .address }
    guard access.action == .write else { return nil }
    if let maximumSize, access.size.map({ $0 > maximumSize }) ?? true { return .size }
    if let contentTypes, !contentTypes.contains(where: { access.matches(mediaType: $0) }) { return .contentType }
    return nil
  }
}

/// An action on objects that an access rule can allow.
public enum AccessAction: String, Sendable, Hashable, CaseIterable {
  /// The client reads an object or its metadata.
  case read
  /// The client writes an object, in one request or as a multipart upload, or aborts a multipart upload.
  case write
  /// The client deletes an object.
  case delete
  /// The client lists the keys that start with a prefix.
  case list
}

extension AccessPolicy {
  /// Returns the rules with an action after validating them; rules for Aspera contain access keys, not bucket names.
  package func checkedRules(isBucket: (String) -> Bool = isBucketName) throws(PolicyError) -> [AccessRule] {
    let rules = rules.filter { !$0.actions.isEmpty }
    guard !rules.isEmpty else {
      throw PolicyError(.empty, "The policy has no rule with an action.", remedy: "Add one.")
    }
    for rule in rules { try rule.requireValidity(isBucket: isBucket) }
    return rules
  }
}

extension AccessRule {
  fileprivate func requireValidity(isBucket: (String) -> Bool) throws(PolicyError) {
    guard isBucket(bucket) else {
      throw PolicyError(
        .invalidBucket, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use 3 to 63 lower-case letters, digits and hyphens.")
    }
    if addresses?.isEmpty == true {
      throw invalidRule("has an empty list of addresses", remedy: "Leave the list out, or fill it.")
    }
    if case .key("") = objects { throw invalidRule("applies to the empty key", remedy: "Use a prefix, or all keys.") }
    guard actions.contains(.write) else { return }
    if let maximumSize, maximumSize < 0 { throw invalidRule("has a negative size", remedy: "Use 0 or more.") }
    guard let contentTypes else { return }
    guard !contentTypes.isEmpty else {
      throw invalidRule("has an empty list of media types", remedy: "Leave the list out, or fill it.")
    }
    for type in contentTypes where !Self.isMediaType(type) {
      throw invalidRule(
        "has the invalid media type \"\(type)\"", remedy: "Use a type such as image/png, or image/* for all images.")
    }
  }

  private func invalidRule(_ problem: String, remedy: String) -> PolicyError {
    PolicyError(.invalidRule, "A rule for the bucket \"\(bucket)\" \(problem).", remedy: remedy)
  }

  /// Returns whether a string is a media type (RFC 6838, section 4.2), or a type and an asterisk, such as `image/*`.
  static func isMediaType(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    func isToken(_ part: Substring.UTF8View) -> Bool {
      !part.isEmpty && part.allSatisfy { $0.isASCIILetterOrDigit || "!#$&-^_.+".utf8.contains($0) }
    }
    return parts.count == 2 && isToken(parts[0]) && (isToken(parts[1]) || parts[1].elementsEqual("*".utf8))
  }
}

/// The error for an access policy that a provider cannot express, or that does not allow a request.
///
/// The error describes the problem, its location and the remedy. A provider's document that would allow more than the
/// policy, or that omits a condition, is never generated.
public struct PolicyError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error from its code, its message and its remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// A code that identifies the kind of problem with an access policy.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The access policy contains no rule with an action.
    public static let empty = Code(name: "empty")
    /// A rule of the policy is invalid, for example because its list of addresses is empty.
    public static let invalidRule = Code(name: "invalidRule")
    /// A bucket name in the policy is invalid for the provider.
    public static let invalidBucket = Code(name: "invalidBucket")
    /// The provider does not support a condition of the policy.
    public static let unsupportedCondition = Code(name: "unsupportedCondition")
    /// The provider cannot express a key or prefix in the policy.
    public static let unsupportedKey = Code(name: "unsupportedKey")
    /// The region of a bucket in the policy is not specified.
    public static let unknownRegion = Code(name: "unknownRegion")
    /// The generated policy document is longer than the provider accepts.
    public static let tooLong = Code(name: "tooLong")
    /// The policy does not allow the requested access.
    public static let refused = Code(name: "refused")

    /// The name of the error code, such as `tooLong`.
    public var description: String { name }
  }
}
