// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The public identifier of an access key, which a request contains as its signer's ID.
///
/// IDs are compared by their UTF-8 bytes. An ID that signs, or that a request contains, consists of visible ASCII
/// characters. Any other ID is rejected before the key lookup, because a key store could find an equivalent ID's key.
public struct AccessKeyID: Sendable, Hashable, Comparable {
  private let text: ByteExactString

  /// Creates an access key ID from the vendor's string, which is not validated until the ID signs or is in a request.
  public init(_ string: String) { text = ByteExactString(string) }

  /// Creates an access key ID from the signer's ID in a request.
  ///
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/malformed`` if the ID is empty or
  ///   contains characters other than visible ASCII characters.
  public init(claimed: some StringProtocol) throws(VerificationError) {
    guard !claimed.isEmpty, claimed.utf8.allSatisfy(\.isVisibleASCII) else {
      throw VerificationError(
        .malformed, "The access key id is empty or contains a space, a control character or one that is not ASCII.",
        remedy: "Copy the id again from the service that issued the key.")
    }
    self.init(String(claimed))
  }

  /// The access key ID as a `String`, to be displayed or sent.
  public var string: String { text.string }
  /// The UTF-8 bytes of the access key ID.
  public var utf8: String.UTF8View { text.utf8 }
  /// Whether the access key ID is empty.
  public var isEmpty: Bool { text.isEmpty }

  /// Returns whether the first ID precedes the second in the order of their UTF-8 bytes.
  public static func < (first: AccessKeyID, second: AccessKeyID) -> Bool { first.text < second.text }
}

extension AccessKeyID: ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible {
  /// Creates an access key ID from a string literal.
  public init(stringLiteral id: String) { self.init(id) }
  /// The access key ID, with control characters escaped.
  public var description: String { string.onOneLine }
  /// The access key ID as a Swift string literal.
  public var debugDescription: String { text.debugDescription }
}
