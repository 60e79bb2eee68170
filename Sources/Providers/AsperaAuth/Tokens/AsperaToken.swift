// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A token that an Aspera server requires for a transfer.
///
/// `print`, `dump` and `Mirror` do not show the token; ``description`` tells tokens apart by a fingerprint.
public struct AsperaToken: Sendable, Equatable {
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
  /// A bearer token contains its expiration. A transfer token does not, and a basic token is valid as long as its
  /// access key.
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
    (kind, note) = Self.form(of: text)
    self.expiration = expiration ?? (kind == .bearer ? BearerText.expiration(of: text) : nil)
  }
}
