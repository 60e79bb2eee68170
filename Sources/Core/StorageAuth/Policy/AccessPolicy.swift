// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A user's permissions in a storage service, defined once for every provider.
///
/// For least privilege, an access is denied unless a rule allows it; there are no rules that deny. A provider's own
/// document is generated from the policy (OSS RAM, COS CAM, form conditions, Aspera setup requests). If the provider
/// cannot express a permission or condition, the conversion fails instead of omitting the condition.
///
/// ```swift
/// let policy = AccessPolicy([
///   AccessRule(.write, objects: .prefix("uploads/alice/"), in: "photos", upTo: 10 << 20, types: ["image/*"])
/// ])
/// ```
public struct AccessPolicy: Sendable, Hashable {
  /// The rules of the policy; an access is allowed if at least one rule allows it.
  public var rules: [AccessRule]

  /// Creates an access policy; the parameter is the property.
  public init(_ rules: [AccessRule]) { self.rules = rules }

  /// Checks whether the policy allows an access, and throws an error if no rule allows it.
  ///
  /// - Throws: An ``AccessRefusal`` with the reason of the rule that came closest to allowing the access.
  public func check(_ access: AccessRequest) throws(AccessRefusal) {
    var nearestReason: AccessRefusal.Reason?
    for rule in rules {
      guard let reason = rule.refusalReason(for: access) else { return }
      nearestReason = max(nearestReason ?? reason, reason)
    }
    throw AccessRefusal(reason: nearestReason ?? .action, access: access)
  }

  /// Returns whether the policy allows everything that a rule, such as one that a client requests, allows.
  ///
  /// For each action of the given rule, a single rule of the policy must allow this action with at least the same
  /// objects, addresses, times, sizes and media types. The result is `false` for a rule without actions.
  public func allows(_ rule: AccessRule) -> Bool {
    !rule.actions.isEmpty && rule.actions.allSatisfy { action in rules.contains { $0.allows(action, of: rule) } }
  }
}

extension AccessRule {
  /// Returns whether this rule allows everything that another rule allows for an action.
  fileprivate func allows(_ action: AccessAction, of narrower: AccessRule) -> Bool {
    guard narrower.bucket.isIdentical(to: bucket), actions.contains(action), objects.contains(narrower.objects) else {
      return false
    }
    // A rule without a condition is the wider one.
    if let end { guard let narrowerEnd = narrower.end, narrowerEnd <= end else { return false } }
    if let addresses {
      guard let narrowerAddresses = narrower.addresses,
        narrowerAddresses.allSatisfy({ range in addresses.contains { $0.contains(range) } })
      else { return false }
    }
    guard action == .write else { return true }
    if let maximumSize {
      guard let narrowerSize = narrower.maximumSize, narrowerSize <= maximumSize else { return false }
    }
    guard let contentTypes else { return true }
    return narrower.contentTypes?.allSatisfy { type in contentTypes.contains { $0.covers(type) } } ?? false
  }
}

extension String {
  /// Returns whether this media type of a rule, such as `image/*`, includes all that another one includes.
  fileprivate func covers(_ other: String) -> Bool {
    let (own, other) = (asciiLowercased, other.asciiLowercased)
    return own == other || own.hasByteSuffix("/*") && other.hasBytePrefix(own.dropLast())
  }
}

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
  public var description: String { "The policy does not allow the action \(access.action.rawValue): \(clause)." }

  private var clause: String {
    switch reason {
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

  /// Creates an access; the parameters are the properties.
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
  /// A list such as `image/png, text/html` never matches, because a browser would use its last type.
  func matches(mediaType allowed: String) -> Bool {
    guard let contentType, !contentType.utf8.contains(UInt8(ascii: ",")) else { return false }
    let types = contentType.bytes(before: ";").split { $0 == " " || $0 == "\t" }
    guard types.count == 1, let type = types.first?.asciiLowercased, AccessRule.isMediaType(type) else { return false }
    let allowed = allowed.asciiLowercased
    guard allowed.hasByteSuffix("/*") else { return type == allowed }
    return type.hasBytePrefix(allowed.dropLast()) && type.count >= allowed.count
  }
}
