// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A server-side signer of strings for clients that hold no key, which parses each string before signing.
///
/// It is the server's part of a setup in which clients build requests, and a server with the key signs them. It is not
/// a signing oracle: it parses the string into the request that it authorizes, canonicalizes this request again and
/// compares the bytes. Before the key signs, ``sign(_:with:under:at:)`` checks this request, and every other request for
/// which the signature would be valid, against the caller's rules.
public protocol StringToSignSigner: Sendable {
  /// The short name of the storage service, as in its ``SignatureScheme``.
  var service: String { get }

  /// Parses a string to sign into the request that its signature would authorize.
  ///
  /// - Parameter request: The client's request to sign a string.
  /// - Returns: The request that the string represents, and the other targets for which the signature would be valid.
  /// - Throws: A ``SigningRefusal`` if the string is not, byte for byte, the string to sign of a request.
  func intent(of request: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest

  /// Returns the signature of a string that has passed the checks of ``sign(_:with:under:at:)``.
  ///
  /// - Parameters:
  ///   - request: The client's request to sign a string.
  ///   - intent: The result of ``intent(of:)`` for the client's request.
  ///   - key: The access key that signs the string.
  ///   - date: The current time.
  /// - Returns: The signature in the encoding of the signature scheme.
  /// - Throws: A ``SigningRefusal`` if the string cannot be signed although it satisfies the rules.
  func signature(
    of request: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String

  /// Returns the word before `id:signature` in the response format that the vendor documents for signing servers.
  ///
  /// - Parameter scheme: The signature scheme of the response.
  /// - Returns: The word, or `nil` if the vendor's signing servers return the ID and the signature separately.
  func authorizationWord(for scheme: SignatureScheme) -> String?
}

extension StringToSignSigner {
  /// Returns `nil`, because the signing server returns the access key ID and the signature separately.
  public func authorizationWord(for scheme: SignatureScheme) -> String? { nil }

  /// Signs a client's string if the request that it represents satisfies the caller's rules.
  ///
  /// - Parameters:
  ///   - request: The client's request to sign a string.
  ///   - key: The access key that signs the string.
  ///   - rules: The rules for the caller.
  ///   - date: The current time.
  /// - Returns: The signature with the key's ID and session token.
  /// - Throws: A ``SigningRefusal`` if the string cannot be parsed in exactly one way, or violates the rules.
  public func sign(
    _ request: SigningRequest, with key: AccessKey, under rules: SigningRules, at date: Timestamp
  ) throws(SigningRefusal) -> SigningResponse {
    let intent = try intent(of: request)
    try rules.check(intent, with: key, at: date)
    return SigningResponse(
      accessKeyID: key.id, signature: try signature(of: request, intent, with: key, at: date),
      sessionToken: key.sessionToken)
  }
}

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

  /// Creates a request to the key holder to sign a string.
  ///
  /// - Parameters:
  ///   - scheme: The signature scheme of the string to sign.
  ///   - method: The HTTP method in uppercase.
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The canonical request with the hash in the string, or `nil` if the scheme has none.
  public init(_ scheme: SignatureScheme, method: String, stringToSign: String, canonicalRequest: String? = nil) {
    self.scheme = scheme
    self.method = method
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }

  /// Creates a request to the key holder for the signature that a prepared HTTP request lacks.
  ///
  /// - Parameter pending: The HTTP request that is complete except for its signature.
  public init(_ pending: PendingSignature) {
    self.init(
      pending.scheme, method: pending.request.method.rawValue, stringToSign: pending.stringToSign,
      canonicalRequest: pending.canonicalRequest)
  }
}

extension SigningRequest: Redacted {
  /// The signature scheme and the HTTP method, with the string to sign masked.
  public var description: String {
    "SigningRequest(\(scheme), \(Self.known.contains(method) ? method : "another method"), stringToSign: \(Secret.mask))"
  }

  private static let known: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]
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
    let words = authorization.parts(between: " ")
    guard words.count == 2, !words[0].isEmpty else { return nil }
    let parts = words[1].parts(between: ":")
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(accessKeyID: AccessKeyID(String(parts[0])), signature: String(parts[1]))
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
