// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A token that a server requires for a transfer.
///
/// `print`, `dump` and `Mirror` do not show the token; ``description`` tells tokens apart by a fingerprint.
public struct AsperaToken: Sendable, Equatable {
  /// The kind of a token, recognized by its form.
  public enum Kind: String, Sendable, Hashable {
    /// A transfer token, issued by a server for certain paths and one direction: `ATM2_…`.
    case transfer
    /// A basic token, the identifier and the secret of an access key: `Basic …`.
    case basic
    /// A bearer token, signed with the private key whose public key is registered with an access key: `Bearer …`.
    case bearer
    /// A token of another form, which only the server can judge.
    case other
  }

  /// The token.
  public let secret: Secret

  /// The kind of the token, recognized by its form.
  public let kind: Kind

  /// A sentence about an irregularity of the token's form, such as a truncated end; `nil` if the form is regular.
  public let note: String?

  /// The time at which the token expires by the issuer's clock; `nil` if it is not known.
  ///
  /// A bearer token contains its expiration. A transfer token does not, and a basic token is valid as long as its
  /// access key.
  public let expiration: Timestamp?

  /// Creates a token from its text.
  ///
  /// - Parameters:
  ///   - secret: The token, on one line.
  ///   - expiration: The time at which the token expires, if the caller knows it; overrides the expiration that a
  ///     bearer token contains.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the text is empty or has a line break or another
  ///   control character, which ascp refuses.
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
