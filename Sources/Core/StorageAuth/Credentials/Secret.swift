// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// A secret string that is masked when shown, compared in constant time, and wiped from memory when released.
///
/// `print`, `debugPrint`, `dump` and `Mirror` show a fixed mask. A secret is neither `Codable` nor `Hashable`.
public struct Secret: Sendable, Equatable {
  package let bytes: SecretBytes

  /// Creates a secret by copying a string, which is not wiped, into memory that is wiped on release.
  public init(_ text: String) { bytes = withBytes(of: text) { SecretBytes($0) } }
  /// Creates a secret by copying bytes from an array, which is not wiped, into memory that is wiped on release.
  public init(bytes: [UInt8]) { self.bytes = SecretBytes(bytes) }

  /// Whether the secret is empty.
  public var isEmpty: Bool { bytes.withBytes { $0.isEmpty } }
  /// Returns the secret in clear text, in a copy that is not wiped; call it only for values that must be sent.
  public func reveal() -> String { String(writing: { writer in bytes.withBytes { writer.append($0) } }) }

  /// Returns whether two secrets are equal, in a time that depends only on their lengths.
  public static func == (first: Secret, second: Secret) -> Bool {
    first.bytes.withBytes { first in second.bytes.withBytes { constantTimeEqual(first, $0) } }
  }
}

extension Secret: ExpressibleByStringLiteral {
  /// Creates a secret from a string literal, for examples and tests: a program's own text holds no real secret.
  public init(stringLiteral text: String) { self.init(text) }
}

extension Secret: Redacted {
  /// The text that is shown instead of a secret, which is the same for every secret.
  public static let mask = "‹redacted›"

  /// The text that is shown instead of the secret, ``mask``.
  public var description: String { Self.mask }
  /// The text that is shown instead of the secret, ``mask``.
  public var debugDescription: String { Self.mask }
}

extension ByteWriter {
  package mutating func append(percentEncoding secret: Secret) {
    secret.bytes.withBytes { append(percentEncoding: $0) }
  }
}

/// A type whose values can hold secrets, and that shows no more of a value than its description.
///
/// A type implements `description` without secrets, and `print`, `dump`, `Mirror` and debuggers show only this text.
///
/// ```swift
/// extension Login: Redacted {
///   public var description: String { "Login(\(user))" }
/// }
/// ```
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The same text as `description`.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
