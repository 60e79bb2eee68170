// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The key holder's response: a signature and the identity of its key.
///
/// A signature authorizes its bearer to perform the signed request: `print`, `dump` and `Mirror` show neither the
/// signature nor the token.
public struct SigningResponse: Sendable {
  /// The access key ID.
  public let accessKeyID: AccessKeyID

  /// The session token of a temporary key, or `nil` if the key holder does not return one.
  public let sessionToken: Secret?

  /// The bare signature in the encoding of the scheme: Base64 or lower-case hexadecimal digits.
  public let signature: String

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - accessKeyID: The access key ID.
  ///   - signature: The bare signature: Base64 or lower-case hexadecimal digits.
  ///   - sessionToken: The session token of a temporary key.
  public init(accessKeyID: AccessKeyID, signature: String, sessionToken: Secret? = nil) {
    self.accessKeyID = accessKeyID
    self.signature = signature
    self.sessionToken = sessionToken
  }

  /// Parses an authorization of the form `word id:signature`, which the documentation of some vendors has signing
  /// servers return.
  ///
  /// Returns `nil` for a string of another form.
  ///
  /// - Parameter authorization: The authorization.
  public init?(authorization: String) {
    let words = authorization.parts(between: " ")
    guard words.count == 2, !words[0].isEmpty else { return nil }
    let parts = words[1].parts(between: ":")
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(accessKeyID: AccessKeyID(String(parts[0])), signature: String(parts[1]))
  }

  /// Returns the authorization in the form `word id:signature`, which the documentation of some vendors has signing
  /// servers return.
  ///
  /// - Parameter word: The word before `id:signature`.
  public func authorization(_ word: String) -> String { "\(word) \(accessKeyID.string):\(signature)" }
}

extension SigningResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The access key ID; the signature is masked.
  public var description: String { "SigningResponse(id: \(accessKeyID), signature: \(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the signature and the token.
  public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
