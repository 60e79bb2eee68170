/// One permission: what may be done to which objects of a bucket, and under which conditions.
///
/// A condition that is given has to be met; an access that does not say what the condition is about does not meet it.
public struct AccessRule: Sendable, Hashable {
  /// What may be done.
  public var actions: Set<AccessAction>

  /// Which objects it may be done to; for a list, which prefixes may be asked for.
  public var objects: ObjectScope

  /// The bucket; for Aspera, the access key or the root that the node has for it.
  public var bucket: String

  /// The greatest size of an object that is written, in bytes.
  public var maximumSize: Int64?

  /// The media types of objects that are written: whole ones, or `image/*` for all of a kind.
  public var contentTypes: [String]?

  /// Where requests may come from.
  public var addresses: [AddressRange]?

  /// When it ends.
  public var end: Timestamp?

  /// Says what is allowed.
  ///
  /// - Parameters:
  ///   - actions: What may be done.
  ///   - objects: To which objects.
  ///   - bucket: In which bucket.
  ///   - maximumSize: The greatest size of an object that is written, in bytes.
  ///   - contentTypes: The media types of objects that are written: whole ones, or `image/*` for all of a kind.
  ///   - addresses: Where requests may come from.
  ///   - end: When it ends.
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

  /// Why an access is not allowed; nothing if it is.
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

/// What can be done to objects.
public enum AccessAction: String, Sendable, Hashable, CaseIterable {
  /// Read an object or what is known about it.
  case read
  /// Write an object, at once or in parts, and abort such an upload.
  case write
  /// Delete an object.
  case delete
  /// List the keys below a prefix.
  case list
}

/// Some of the keys of a bucket.
public enum ObjectScope: Sendable, Hashable {
  /// Every key.
  case all
  /// Each key that starts with a text, byte for byte; end it with a slash for a folder.
  case prefix(String)
  /// One key.
  case key(String)

  /// Whether a key, or the prefix of a list, is one of them.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .all: true
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    case .key(let one): key.isIdentical(to: one)
    }
  }

  /// Whether two are the same, byte for byte.
  public static func == (first: ObjectScope, second: ObjectScope) -> Bool {
    switch (first, second) {
    case (.all, .all): true
    case (.prefix(let first), .prefix(let second)), (.key(let first), .key(let second)): first.isIdentical(to: second)
    default: false
    }
  }
}
