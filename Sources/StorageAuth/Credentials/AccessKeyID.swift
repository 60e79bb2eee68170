// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The public identifier of an access key, which a request states as the id of its signer.
///
/// Ids are compared by their bytes. An id that signs, or that a request states, consists of visible ASCII characters.
/// Any other id is rejected before the key lookup, so that a store that folds equivalent characters finds no key for it
/// either.
public struct AccessKeyID: Sendable, Hashable, Comparable {
  private let text: WireText

  /// Creates an id from a string; it is not validated until it signs or is stated by a request.
  ///
  /// - Parameter string: The id.
  public init(_ string: String) {
    text = WireText(string)
  }

  /// Creates the id that a request states.
  ///
  /// - Parameter claimed: The id as it appears in the request.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/malformed`` if the id is empty or
  ///   contains any character but visible ASCII characters.
  public init(claimed: some StringProtocol) throws(VerificationError) {
    guard !claimed.isEmpty, claimed.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw VerificationError(
        .malformed, "The access key id is empty or contains a space, a control character or one that is not ASCII.",
        remedy: "Copy the id again from the service that issued the key.")
    }
    self.init(String(claimed))
  }

  /// The id as a `String`, to be displayed or sent.
  public var string: String { text.string }

  /// The UTF-8 bytes of the id.
  public var utf8: String.UTF8View { text.utf8 }

  /// A Boolean value that indicates whether the id has no bytes.
  public var isEmpty: Bool { text.isEmpty }

  /// Returns a Boolean value that indicates whether the first id precedes the second in the order of their bytes.
  public static func < (first: AccessKeyID, second: AccessKeyID) -> Bool { first.text < second.text }
}

extension AccessKeyID: ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible {
  /// Creates an id from a string literal.
  public init(stringLiteral id: String) { self.init(id) }

  /// The id, with control characters escaped.
  public var description: String { string.onOneLine }

  /// The id as a Swift literal.
  public var debugDescription: String { text.debugDescription }
}
