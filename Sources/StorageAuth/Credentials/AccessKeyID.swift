/// The public name of an access key, which a request says it was signed with.
///
/// Ids are compared by their bytes. An id that is to sign, or that a request names, holds ASCII characters only: what does
/// not is refused before a key is looked up, so that a store that folds equivalent characters finds no key for it either.
public struct AccessKeyID: Sendable, Hashable, Comparable {
  private let text: WireText

  /// Creates an id from text; nothing is checked until it is to sign or is claimed by a request.
  public init(_ string: String) {
    text = WireText(string)
  }

  /// Creates the id that a request names.
  ///
  /// - Parameter claimed: The id as it stands in the request.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/malformed`` if it is empty or holds anything
  ///   but visible ASCII characters.
  public init(claimed: some StringProtocol) throws(VerificationError) {
    guard !claimed.isEmpty, claimed.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw VerificationError(
        .malformed, "The access key id is empty or holds a blank, a control character or one that is not ASCII.",
        remedy: "Copy the id again from where the key was made.")
    }
    self.init(String(claimed))
  }

  /// The id as a `String`, to be shown or sent.
  public var string: String { text.string }

  /// The bytes in UTF-8.
  public var utf8: String.UTF8View { text.utf8 }

  /// Whether there are no bytes.
  public var isEmpty: Bool { text.isEmpty }

  /// Returns whether an id stands before another one in the order of their bytes.
  public static func < (first: AccessKeyID, second: AccessKeyID) -> Bool { first.text < second.text }
}

extension AccessKeyID: ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible {
  /// Creates an id from a literal.
  public init(stringLiteral id: String) { self.init(id) }

  /// The id, with control characters escaped.
  public var description: String { string.onOneLine }

  /// The id as a Swift literal.
  public var debugDescription: String { text.debugDescription }
}
