public import StorageAuth

/// A token that a server wants to see for a transfer.
///
/// It is not shown by `print`, `dump` or `Mirror`; the description tells tokens apart by a fingerprint.
public struct AsperaToken: Sendable, Equatable {
  /// What a token is, by its form.
  public enum Kind: String, Sendable, Hashable {
    /// Issued by a server for certain paths and a direction: `ATM2_…`.
    case transfer
    /// The id and the secret of an access key: `Basic …`.
    case basic
    /// Signed by whoever holds the key of an access key: `Bearer …`.
    case bearer
    /// None of these; the server decides.
    case other
  }

  /// The token.
  public let secret: Secret

  /// What it is, by its form.
  public let kind: Kind

  /// What is odd about its form, in a sentence; nothing for a token that looks as it should.
  public let note: String?

  /// When it ends, in the issuer's time, where that is known.
  ///
  /// A bearer token says it; a transfer token does not, and a basic token ends with its access key.
  public let expiration: Timestamp?

  /// Takes over a token.
  ///
  /// - Parameters:
  ///   - secret: The token, in one line.
  ///   - expiration: When it ends, where the caller knows better than the token itself.
  /// - Throws: An ``AsperaError`` if it is empty or has more than one line, which ascp refuses.
  public init(_ secret: Secret, expiration: Timestamp? = nil) throws(AsperaError) {
    let text = secret.reveal()
    guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      throw AsperaError(
        .invalidToken, text.isEmpty ? "The token is empty." : "The token holds a line break or a control character.",
        remedy: "Pass the token as it was issued, in one line.")
    }
    self.secret = secret
    (kind, note) = Self.form(of: text)
    self.expiration = expiration ?? (kind == .bearer ? BearerText.expiration(of: text) : nil)
  }
}
