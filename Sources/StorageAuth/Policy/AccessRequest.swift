/// One access to a storage service, as far as a policy looks at it.
public struct AccessRequest: Sendable, Hashable {
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
  ///
  /// - Parameters:
  ///   - action: What is done.
  ///   - key: The key; for a list, the prefix that is asked for.
  ///   - bucket: The bucket.
  ///   - size: How many bytes are written; nothing if the request does not bind it.
  ///   - contentType: The media type of what is written; nothing if the request does not bind it.
  ///   - address: Where the request comes from; nothing if that is not known.
  ///   - date: When, in UTC.
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
  /// A browser takes the last of several types that are separated by commas, and guesses where it finds none: a value
  /// that is not one type has none.
  func hasType(_ named: String) -> Bool {
    guard let contentType, !contentType.utf8.contains(UInt8(ascii: ",")) else { return false }
    let words = contentType.bytes(before: ";").split { $0 == " " || $0 == "\t" }
    guard words.count == 1, let type = words.first?.asciiLowercased, AccessRule.isMediaType(type) else { return false }
    let named = named.asciiLowercased
    return named.hasByteSuffix("/*") ? type.hasBytePrefix(named.dropLast()) && type.count >= named.count : type == named
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
  public let access: AccessRequest

  init(_ reason: Reason, of access: AccessRequest) {
    self.reason = reason
    self.access = access
  }
}

extension AccessRefusal: CustomStringConvertible {
  /// What was missing, in a sentence without the key.
  public var description: String { "The policy does not allow to \(access.action.rawValue) this: \(reason.words)." }
}

extension AccessRefusal.Reason {
  fileprivate var words: String {
    switch self {
    case .bucket: "no rule is about the bucket"
    case .action: "no rule is about that"
    case .key: "no rule is about the key"
    case .time: "the permission has ended"
    case .address: "no rule is about the address that asks"
    case .size: "it is too large, or its size is not said"
    case .contentType: "it is of another media type, or its type is not said"
    }
  }
}
