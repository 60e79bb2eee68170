/// One access to a storage service, as far as a policy looks at it.
public struct Access: Sendable, Hashable {
  /// What is done.
  public var action: AccessAction

  /// The bucket.
  public var bucket: String

  /// The key; for a list, the prefix that is asked for.
  public var key: String

  /// How many bytes are written; nothing if the request does not bind it.
  public var size: Int64?

  /// The media type of what is written; nothing if the request does not bind it.
  public var contentType: String?

  /// Where the request comes from; nothing if that is not known.
  public var address: NetworkAddress?

  /// When.
  public var date: Timestamp

  /// Describes an access.
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

  /// Whether the media type is the one that a rule names, its parameters aside.
  ///
  /// A value with a comma has none: browsers read it as two values, and the last one counts for them.
  func hasType(_ named: String) -> Bool {
    guard let contentType, !contentType.utf8.contains(UInt8(ascii: ",")) else { return false }
    var essence = contentType.lowercased().parts(between: ";")[0]
    while let last = essence.utf8.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { essence.removeLast() }
    let type = String(essence)
    let named = named.lowercased()
    return named.hasSuffix("/*") ? type.hasPrefix(named.dropLast()) && type.count >= named.count : type == named
  }
}

/// Why a policy does not allow an access.
public struct AccessRefusal: Error, Sendable, Hashable {
  /// What was missing; the later ones came nearer to being allowed.
  public enum Reason: Int, Sendable, Hashable, Comparable {
    /// No rule is about the bucket.
    case bucket
    /// No rule allows the action there.
    case action
    /// No rule allows it for the key.
    case key
    /// It has ended.
    case time
    /// Not from this address.
    case address
    /// It is too large, or its size is not said.
    case size
    /// It is of another media type, or the type is not said.
    case contentType

    /// Whether one came less near than another.
    public static func < (first: Reason, second: Reason) -> Bool { first.rawValue < second.rawValue }
  }

  /// What was missing.
  public let reason: Reason

  /// What was refused.
  public let access: Access

  init(_ reason: Reason, of access: Access) {
    self.reason = reason
    self.access = access
  }
}
