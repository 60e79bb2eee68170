// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The key holder's response to a signing request: a signature with the access key ID and the session token.
///
/// A signature authorizes its bearer: `print`, `dump` and `Mirror` show neither the signature nor the token.
public struct SigningResponse: Sendable {
  /// The ID of the access key that created the signature.
  public let accessKeyID: AccessKeyID

  /// The session token of a temporary key, or `nil` if the key holder does not return a session token.
  public let sessionToken: Secret?

  /// The bare signature in the encoding of the signature scheme: Base64 or lowercase hexadecimal digits.
  public let signature: String

  /// Creates a response from an access key ID, a signature and a session token.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the access key that created the signature.
  ///   - signature: The bare signature in Base64 or lowercase hexadecimal digits, as the signature scheme requires.
  ///   - sessionToken: The session token of a temporary key, or `nil` for a permanent key.
  public init(accessKeyID: AccessKeyID, signature: String, sessionToken: Secret? = nil) {
    self.accessKeyID = accessKeyID
    self.signature = signature
    self.sessionToken = sessionToken
  }

  /// Parses an authorization in the format `word id:signature`.
  ///
  /// Some vendors specify this format for signing servers. The result is `nil` for a string in another format.
  ///
  /// - Parameter authorization: The authorization that a signing server returned.
  public init?(authorization: String) {
    let parts = authorization.parts(between: " ")
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    let pair = parts[1].parts(between: ":")
    guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else { return nil }
    self.init(accessKeyID: AccessKeyID(String(pair[0])), signature: String(pair[1]))
  }

  /// Returns the authorization in the format `word id:signature`.
  ///
  /// The documentation of some vendors specifies this format for the responses of signing servers.
  ///
  /// - Parameter word: The word before `id:signature`.
  public func authorization(_ word: String) -> String { "\(word) \(accessKeyID.string):\(signature)" }
}

extension SigningResponse: Redacted {
  /// The access key ID, with the signature masked.
  public var description: String { "SigningResponse(id: \(accessKeyID), signature: \(Secret.mask))" }
}
