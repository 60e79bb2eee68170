// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A client's request to the key holder to sign a string.
///
/// The strings contain the session token in plain text, which the server needs; `print`, `dump` and `Mirror` hide them.
public struct SigningRequest: Sendable {
  /// The signature scheme of the string to sign.
  public let scheme: SignatureScheme
  /// The HTTP method in uppercase, which must be equal to the method in the string to sign.
  public let method: String
  /// The string that the key holder is asked to sign.
  public let stringToSign: String
  /// The canonical request whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates a request to the key holder to sign a string; the parameters are the properties.
  public init(_ scheme: SignatureScheme, method: String, stringToSign: String, canonicalRequest: String? = nil) {
    self.scheme = scheme
    self.method = method
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }

  /// Creates a request to the key holder for the signature that a prepared HTTP request lacks.
  public init(_ pending: PendingSignature) {
    self.init(
      pending.scheme, method: pending.request.method.rawValue, stringToSign: pending.stringToSign,
      canonicalRequest: pending.canonicalRequest)
  }
}

extension SigningRequest: Redacted {
  /// The signature scheme and the HTTP method, with the string to sign masked.
  public var description: String {
    // A method that cannot be signed remotely could be any text that a client sent.
    let isSignable = (try? HTTPRequest.Method(signed: method)) != nil
    let methodName = isSignable ? method : "another method"
    return "SigningRequest(\(scheme), \(methodName), stringToSign: \(Secret.mask))"
  }
}

extension SigningRequest {
  package var requiredCanonicalRequest: String {
    get throws(SigningRefusal) {
      guard let canonicalRequest else { throw .malformed("The canonical request is missing.") }
      return canonicalRequest
    }
  }

  /// Requires the string to sign to equal a text, which contains the hash of the canonical request.
  package func requireStringToSign(equalTo text: String) throws(SigningRefusal) {
    guard text.isIdentical(to: stringToSign) else {
      throw SigningRefusal(
        .hashMismatch, "The string does not contain the hash of the canonical request.",
        remedy: "Send both as the signer prepares them.")
    }
  }

  /// Returns the method in the string to sign, which must equal ``method``.
  package func checked(_ method: HTTPRequest.Method) throws(SigningRefusal) -> HTTPRequest.Method {
    guard method.rawValue == self.method else { throw .malformed("The method differs from the one in the string.") }
    return method
  }
}

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

  /// Creates a response from an access key ID, a signature and a session token; the parameters are the properties.
  public init(accessKeyID: AccessKeyID, signature: String, sessionToken: Secret? = nil) {
    self.accessKeyID = accessKeyID
    self.signature = signature
    self.sessionToken = sessionToken
  }

  /// Parses a signing server's authorization in the format `word id:signature`, which some vendors specify.
  ///
  /// The result is `nil` for a string in another format.
  public init?(authorization: String) {
    let parts = authorization.parts(between: " ")
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    let idAndSignature = parts[1].parts(between: ":")
    guard idAndSignature.count == 2, idAndSignature.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(accessKeyID: AccessKeyID(String(idAndSignature[0])), signature: String(idAndSignature[1]))
  }

  /// Returns the authorization in the format `word id:signature`, which some vendors specify for signing servers.
  public func authorization(_ word: String) -> String { "\(word) \(accessKeyID.string):\(signature)" }
}

extension SigningResponse: Redacted {
  /// The access key ID, with the signature masked.
  public var description: String { "SigningResponse(id: \(accessKeyID), signature: \(Secret.mask))" }
}
