// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A token that an Aspera server requires for a transfer.
///
/// `print`, `dump` and `Mirror` do not show the token; ``description`` tells tokens apart by a fingerprint.
public struct AsperaToken: Sendable, Equatable, Redacted {
  /// The kind of a token, determined by its form.
  public enum Kind: String, Sendable, Hashable {
    /// A transfer token, issued by a server for certain paths and one direction: `ATM2_…`.
    case transfer
    /// A basic token, which contains the identifier and the secret of an access key: `Basic …`.
    case basic
    /// A bearer token, signed with the private key whose public key is registered with an access key: `Bearer …`.
    case bearer
    /// A token of another form, which only the server can interpret.
    case other
  }

  /// The token itself.
  public let secret: Secret
  /// The kind of the token, determined by its form.
  public let kind: Kind
  /// A description of a defect in the token's format, such as truncation, or `nil` if the token is well formed.
  public let note: String?

  /// The time at which the token expires according to the issuer's clock, or `nil` if the time is unknown.
  ///
  /// A bearer token contains it. A transfer token does not, and a basic token is valid as long as its access key.
  public let expiration: Timestamp?

  /// Creates a token from its textual form.
  ///
  /// - Parameters:
  ///   - secret: The token, in a single line.
  ///   - expiration: The time at which the token expires. If `nil`, the expiration that a bearer token contains.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the token is empty or contains a control character,
  ///   such as a line break, because ascp rejects such tokens.
  public init(_ secret: Secret, expiration: Timestamp? = nil) throws(AsperaError) {
    let text = secret.reveal()
    guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      throw AsperaError(
        .invalidToken, text.isEmpty ? "The token is empty." : "The token holds a line break or a control character.",
        remedy: "Pass the token as it was issued, in one line.")
    }
    self.secret = secret
    (kind, note) = Self.kindAndNote(of: text)
    self.expiration = expiration ?? (kind == .bearer ? BearerText.expiration(of: text) : nil)
  }

  /// Creates a token from its text; the parameters are those of the initializer with a `Secret`.
  ///
  /// - Throws: The errors of the initializer with a `Secret`.
  public init(_ text: String, expiration: Timestamp? = nil) throws(AsperaError) {
    try self.init(Secret(text), expiration: expiration)
  }

  /// Creates a basic token, which contains the Base64-encoded identifier and secret of an access key.
  ///
  /// The token does not expire and grants everything that the access key grants. Give it only to clients that are also
  /// allowed to know the secret. The form is that of IBM's High-Speed Transfer Server, "Basic Tokens".
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - secret: The secret of the access key.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier contains a colon, or if the identifier
  ///   or the secret is empty or contains a control character.
  public static func basic(accessKey: String, secret: Secret) throws(AsperaError) -> AsperaToken {
    let value: String
    do {
      value = try BasicAuthorization.value(user: accessKey, password: secret, terms: .accessKey)
    } catch { throw AsperaError(.invalidToken, error.message, remedy: error.remedy) }
    return try AsperaToken(Secret(value))
  }

  private static let basicPrefix = "Basic "

  /// Returns the kind of a token, and a note if its form is irregular.
  ///
  /// A transfer token starts with `AT`, `B` or `M`, a version and an underscore, and ends with an underscore and the
  /// reversed header. A basic or bearer token starts with the name of its scheme and a space.
  private static func kindAndNote(of text: String) -> (kind: Kind, note: String?) {
    if text.hasBytePrefix(basicPrefix) { return (.basic, nil) }
    if text.hasPrefix(BearerText.prefix) { return (.bearer, nil) }
    if let header = transferHeader(of: text) {
      let footer = "_" + String(header.reversed())
      // The payload between the underscores of the header and the footer has at least one byte.
      if text.hasSuffix(footer), text.utf8.count > header.utf8.count + 1 + footer.utf8.count { return (.transfer, nil) }
      let truncation =
        "It begins like a transfer token and does not end with \(footer): it was probably truncated when it was copied."
      return (.other, truncation)
    }
    guard BearerText.expiration(of: text) != nil else { return (.other, nil) }
    return (.other, "It looks like a bearer token without the word Bearer before it, which the server requires.")
  }

  /// Returns the header of a transfer token: `AT`, a letter for tokens of one or of several sessions, and the version.
  private static func transferHeader(of text: String) -> String? {
    let header = Array(text.utf8.prefix(5))
    let isTransferHeader =
      header.count == 5 && header[0...1] == [UInt8(ascii: "A"), UInt8(ascii: "T")]
      && [UInt8(ascii: "B"), UInt8(ascii: "M")].contains(header[2])
      && (UInt8(ascii: "2")...UInt8(ascii: "4")).contains(header[3]) && header[4] == UInt8(ascii: "_")
    return isTransferHeader ? String(text.prefix(4)) : nil
  }

  /// The first eight hexadecimal digits of the token's SHA-256 hash, or `nil` for a basic token.
  ///
  /// Logs use the fingerprint to distinguish tokens. A basic token has no fingerprint because its secret can be chosen
  /// by a person, and such a secret could be guessed from its hash.
  public var fingerprint: String? {
    kind == .basic ? nil : String(secret.bytes.withBytes { SHA256.hash($0) }.hex.prefix(8))
  }

  /// A description with the kind, the fingerprint or the access key, the expiration and the note, but not the token.
  public var description: String {
    var parts = [kind.rawValue]
    if let fingerprint { parts.append("fingerprint: \(fingerprint)") }
    if let accessKey { parts.append("access key: \(accessKey)") }
    if let expiration { parts.append("expiration: \(expiration)") }
    if let note { parts.append("note: \(note)") }
    return "AsperaToken(\(parts.joined(separator: ", ")))"
  }

  private var accessKey: String? {
    guard kind == .basic, let bytes = [UInt8](base64: String(secret.reveal().dropFirst(Self.basicPrefix.count))),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(utf8: bytes[..<colon])
  }
}
