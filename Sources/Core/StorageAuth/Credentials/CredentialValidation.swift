// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The validation of a credential's ID, secret and session token, which a signer performs before any other step.
enum CredentialValidation {
  /// The maximum length of an access key ID, in bytes; the vendors' IDs have about 40 bytes.
  private static let idByteLimit = 1_024
  /// The maximum length of a secret or a session token, in bytes; the vendors' values have up to 2,000 bytes.
  private static let secretByteLimit = 16_384

  /// Validates a credential, and returns the reason why it cannot be sent, or `nil` if it can.
  ///
  /// - Parameter secret: The secret, or `nil` for a key whose secret is not in this process.
  static func validate(id: AccessKeyID, secret: Secret?, token: Secret?) -> SigningError? {
    if id.utf8.count > idByteLimit {
      return invalid(
        "The access key id has \(id.utf8.count) bytes; at most \(idByteLimit) are allowed.",
        remedy: "Check that it is an id and not a file or a page.")
    }
    if id.isEmpty {
      return invalid(
        "The access key id is empty.", remedy: "Set both the id and the secret, or use the anonymous credential.")
    }
    if !id.utf8.allSatisfy(\.isVisibleASCII) { return invalidCharacterInID }
    return secret.flatMap { validate($0, named: "secret") } ?? token.flatMap { validate($0, named: "session token") }
  }

  static let invalidCharacterInID = invalid(
    "The access key id contains a space, a separator or a character that is not ASCII.",
    remedy: "Copy the id again; a space or a line break at its end is the usual cause.")

  private static func validate(_ secret: Secret, named name: String) -> SigningError? {
    let byteCount = secret.bytes.withBytes { $0.count }
    if byteCount > secretByteLimit {
      return invalid(
        "The \(name) has \(byteCount) bytes; at most \(secretByteLimit) are allowed.",
        remedy: "Check that it is a \(name) and not a file or a page.")
    }
    if byteCount == 0 { return invalid("The \(name) is empty.", remedy: "Set it, or leave the credential out.") }
    let isSendable = secret.bytes.withBytes { bytes in
      let hasSpaceAtEdge = bytes[0] == UInt8(ascii: " ") || bytes[bytes.count - 1] == UInt8(ascii: " ")
      return !hasSpaceAtEdge && bytes.indices.allSatisfy { !bytes[$0].isASCIIControl }
    }
    if isSendable { return nil }
    return invalid(
      "The \(name) starts or ends with a space, or contains a line break or a control character.",
      remedy: "Copy the \(name) again; a line break at its end is the usual cause.")
  }

  private static func invalid(_ message: String, remedy: String) -> SigningError {
    SigningError(.invalidCredential, message, remedy: remedy)
  }
}

extension AccessKey {
  /// Validates the access key before it signs; signers call this method before any other step.
  ///
  /// - Parameter allowsSlashInID: Whether the scheme can distinguish a slash in the ID from those in its scope.
  /// - Throws: A ``SigningError`` with the code `invalidCredential` if the ID, the secret or the session token is empty
  ///   or too long, or contains a character that would end the line or the field in which it appears.
  public func check(allowsSlashInID: Bool = false) throws(SigningError) {
    try check(idWithout: allowsSlashInID ? .all.subtracting(.slash) : .all)
  }

  /// Validates the key for a scheme whose authorizations have the delimiters.
  package func check(idWithout delimiters: IDDelimiters) throws(SigningError) {
    if let error = storage.validationError { throw error }
    if !storage.idDelimiters.isDisjoint(with: delimiters) { throw CredentialValidation.invalidCharacterInID }
  }
}

/// Characters with which a signature scheme can end an access key ID in an authorization.
///
/// The services that define a scheme issue IDs of letters and digits. Compatible services have others, such as
/// `user@example.test/sub=1`, so that each scheme refuses only the IDs that its authorizations cannot carry.
package struct IDDelimiters: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let comma = IDDelimiters(rawValue: 1 << 0)
  package static let semicolon = IDDelimiters(rawValue: 1 << 1)
  package static let colon = IDDelimiters(rawValue: 1 << 2)
  package static let ampersand = IDDelimiters(rawValue: 1 << 3)
  package static let equals = IDDelimiters(rawValue: 1 << 4)
  package static let percent = IDDelimiters(rawValue: 1 << 5)
  package static let quote = IDDelimiters(rawValue: 1 << 6)
  package static let slash = IDDelimiters(rawValue: 1 << 7)
  /// The delimiters of all schemes, for a scheme that is not known here.
  static let all = IDDelimiters(rawValue: .max)

  init(in id: AccessKeyID) {
    self = id.utf8.reduce(into: []) { found, byte in
      switch byte {
      case UInt8(ascii: ","): found.insert(.comma)
      case UInt8(ascii: ";"): found.insert(.semicolon)
      case UInt8(ascii: ":"): found.insert(.colon)
      case UInt8(ascii: "&"): found.insert(.ampersand)
      case UInt8(ascii: "="): found.insert(.equals)
      case UInt8(ascii: "%"): found.insert(.percent)
      case UInt8(ascii: "\""): found.insert(.quote)
      case UInt8(ascii: "/"): found.insert(.slash)
      default: break
      }
    }
  }
}
