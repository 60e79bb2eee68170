package import StorageCrypto

/// Text that must not be seen: it never prints itself, compares in constant time and is wiped when it is released.
///
/// `print`, `debugPrint`, `dump` and `Mirror` show a fixed mask. A secret is deliberately not `Codable` and not
/// `Hashable`.
public struct Secret: Sendable, Equatable {
  package let bytes: SecretBytes

  /// Copies text into memory that is wiped on release.
  ///
  /// The string that is passed in is not wiped: Swift gives no way to do that.
  public init(_ text: String) {
    bytes = withBytes(of: text) { SecretBytes($0) }
  }

  /// Copies bytes into memory that is wiped on release.
  public init(bytes: [UInt8]) {
    self.bytes = SecretBytes(bytes.span)
  }

  /// Whether there is nothing in it.
  public var isEmpty: Bool {
    bytes.withBytes { $0.isEmpty }
  }

  /// The text in clear, in a copy that is not wiped; only for what has to be sent.
  public func reveal() -> String {
    String(writing: { writer in bytes.withBytes { writer.append($0) } })
  }

  /// Whether two secrets are the same; takes a time that depends on their lengths alone.
  public static func == (first: Secret, second: Secret) -> Bool {
    first.bytes.withBytes { first in second.bytes.withBytes { constantTimeEqual(first, $0) } }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A mask, the same for every secret.
  public static let mask = "‹redacted›"

  /// The mask.
  public var description: String { Self.mask }

  /// The mask.
  public var debugDescription: String { Self.mask }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ByteWriter {
  /// Appends a secret percent-encoded.
  package mutating func append(percentEncoding secret: Secret) {
    secret.bytes.withBytes { append(percentEncoding: $0) }
  }
}
