// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// A verifier for the signatures of received requests.
///
/// Verification has two steps, so that the key can be looked up between them: ``claim(in:)`` parses the claimed
/// identity and needs no key; ``verify(_:against:at:)`` verifies the signature of the request that the claim carries.
public protocol SignatureVerifier: Sendable {
  /// The type of the signature claim that the verifier parses from a request.
  associatedtype Claim: SignatureClaim

  /// Parses a request's signature claim: the access key ID, the session token and the other authorization parameters.
  ///
  /// - Parameter request: The request as received, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request contains no authorization.
  /// - Throws: A ``VerificationError`` if the authorization is malformed or repeated, or a limit is exceeded.
  func claim(in request: HTTPRequest) throws(VerificationError) -> Claim?

  /// Verifies a request's signature with an access key.
  ///
  /// - Parameters:
  ///   - claim: The result of ``claim(in:)`` of an equal verifier, which carries the request.
  ///   - key: The access key with the claimed ID.
  ///   - date: The current time.
  /// - Returns: The verified request, whose signed components are separate from the unsigned components.
  /// - Throws: A ``VerificationError`` if the time window, the scope, the token or the signature is wrong.
  func verify(_ claim: Claim, against key: AccessKey, at date: Timestamp) throws(VerificationError) -> VerifiedRequest

  /// Returns a Boolean value that indicates whether a request contains an authorization of this signature scheme.
  ///
  /// The authorization may be malformed, and in any position and letter case. If a server accepts several schemes, a
  /// request is verified by the only verifier that recognizes it. The default implementation calls ``claim(in:)``: a
  /// scheme whose ``claim(in:)`` rejects the authorizations of other schemes must implement this method.
  ///
  /// - Throws: A ``VerificationError`` if the request cannot be parsed, or exceeds the limits.
  func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool

  /// The lowercase prefixes of header and parameter names that have an effect in the storage service.
  ///
  /// If a server accepts several schemes, such a header or parameter must be signed in the requests of each.
  var controlPrefixes: [String] { get }

  /// The status codes and error codes with which the storage service rejects a request.
  var errorCodes: ServiceErrorCodes { get }

  /// The header that contains the body's SHA-256 in lowercase hexadecimal digits, or `nil` if there is none.
  ///
  /// A middleware compares the body with this hash, unless the header's value is `UNSIGNED-PAYLOAD`.
  var payloadHashHeader: HTTPField.Name? { get }

  /// The same verifier, for a caller that compares the body with the hash in ``payloadHashHeader``.
  var acceptingPayloadHashes: Self { get }
}

/// A decoder for request bodies that clients send as signed chunks or with trailers.
///
/// The decoded bytes must not become visible before ``finish()`` returns.
public protocol BodyDecoder: Sendable {
  /// Decodes the next bytes of the body, which may be split at any position.
  ///
  /// - Parameter bytes: The next bytes of the body as received.
  /// - Returns: The bytes of the object that have been verified so far, which may be empty.
  /// - Throws: A ``VerificationError`` if the framing, a signature or a checksum is wrong, and in all further calls.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Checks, at the end of the body, that the body is complete.
  ///
  /// - Throws: A ``VerificationError`` if the body is incomplete, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}

/// The identity that a request or a form claims for its signature, before the signature is verified.
public protocol SignatureClaim: Sendable {
  /// The ID of the access key that the claim says created the signature.
  var accessKeyID: AccessKeyID { get }

  /// The session token that accompanies the signature, or `nil` if the request contains no session token.
  var sessionToken: Secret? { get }
}

extension SignatureVerifier {
  /// Returns a Boolean value that indicates whether ``claim(in:)`` returns a claim for a request.
  ///
  /// - Throws: The ``VerificationError`` that ``claim(in:)`` throws.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool { try claim(in: request) != nil }

  /// The default prefixes of names that have an effect in the service: an empty array.
  public var controlPrefixes: [String] { [] }

  /// The default status codes and error codes, which the storage services have in common.
  public var errorCodes: ServiceErrorCodes { ServiceErrorCodes() }

  /// The default payload hash header, which is `nil`: the service has no such header, and the body is not checked.
  public var payloadHashHeader: HTTPField.Name? { nil }

  /// The verifier itself, which is the default for a service without a payload hash header.
  public var acceptingPayloadHashes: Self { self }

  /// Verifies a request with an access key that is looked up by its ID.
  ///
  /// Rejecting an unknown ID costs the same hashing as a wrong signature, and the error has no computed strings.
  ///
  /// - Parameters:
  ///   - request: The request as received.
  ///   - date: The current time.
  ///   - lookup: A function that returns the access key with an ID, or `nil` if the key does not exist.
  /// - Returns: The verified request.
  /// - Throws: A ``VerificationError`` if the request is not signed correctly, or the error that `lookup` throws.
  public func verify(
    _ request: HTTPRequest, at date: Timestamp, lookup: @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  ) async throws -> VerifiedRequest {
    guard let claim = try claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
    }
    guard let key = try await lookup(claim.accessKeyID) else {
      _ = try? verify(claim, against: .decoy(for: claim), at: date)
      throw VerificationError.unknownKey(claim.accessKeyID)
    }
    return try verify(claim, against: key, at: date)
  }
}

extension Secret {
  /// The secret of the decoy key, which is used to verify a request with an unknown access key ID.
  static let decoy = Secret(String(repeating: "x", count: 30))
}

/// A request's string to sign and canonical request, with session tokens in plain text.
public struct SignedTexts: Sendable {
  /// The string to sign of the request.
  public let stringToSign: String

  /// The canonical request whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates the pair of a request's string to sign and canonical request; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - stringToSign: The string to sign of the request.
  ///   - canonicalRequest: The canonical request with the hash in the string, or `nil` if the scheme has none.
  public init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: Redacted {
  /// A description with a mask in place of the strings.
  public var description: String { "SignedTexts(\(Secret.mask))" }
}

/// A request whose signature was verified, with its signed components separate from its unsigned components.
///
/// Request handlers take this type, so that no request reaches them without verification. They must act only on
/// ``target`` and on the headers in ``signedHeaders``: any party that sees the request can change the rest.
///
/// Only a verifier creates a verified request, after it has compared the signature.
public struct VerifiedRequest: Sendable {
  /// The ID of the access key that the request was verified with.
  public let accessKeyID: AccessKeyID

  /// The position of the authorization in the request: the headers or the URL.
  public let placement: Placement

  /// A Boolean value that indicates whether the signature is valid only in the position in which it was sent.
  ///
  /// The string to sign of COS is the same for a header and for a URL, so an authorization can be moved from one
  /// position to the other. In OSS V1, the date of a header and the expiration of a URL have different formats. OSS V4
  /// signs the parameters of a URL's authorization. The vendors' pages are listed at ``target``.
  public let signsPlacement: Bool

  /// The time at which the authorization expires, or `nil` if the authorization contains no expiration.
  public let expiration: Timestamp?

  /// The first time at which the verifier may have accepted the request's signature, or `nil` if it is not known.
  public let usableFrom: Timestamp?

  /// The last time at which the verifier may accept the request's signature.
  public let usableUntil: Timestamp

  /// The bucket, the object key, and the signed query parameters.
  ///
  /// OSS V1 signs only sub-resources (`acl`, `uploadId`, `response-content-type`, …) and the `Expires` of its URLs; OSS
  /// V4 signs every parameter; COS signs the parameters that the authorization lists. The vendors' pages are:
  ///
  /// - OSS V1:
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>
  /// - OSS V4, "Include a V4 signature in the header":
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>
  /// - COS, "Request Signature": <https://www.tencentcloud.com/document/product/436/7778>
  public let target: RequestTarget

  /// The unsigned query parameters in the order of the URL, including the signature itself.
  ///
  /// Unsigned parameters can be added, changed and removed without the key.
  public let unsignedParameters: [RequestTarget.Parameter]

  /// The names of the signed header fields in lowercase; `host` represents the authority.
  ///
  /// OSS signs the `x-oss-` fields, `content-type`, `content-md5` and, in V4, the fields that `AdditionalHeaders`
  /// lists; COS signs the fields that the authorization lists. The vendors' pages are listed at ``target``.
  public let signedHeaders: Set<String>

  /// A position of an authorization in a request.
  public enum Placement: Sendable {
    /// The authorization is in the request's headers.
    case header
    /// The authorization is in the URL's query.
    case query
  }

  /// A decoder for a body that is framed with signed chunks or trailers, or `nil` if the body is the object.
  ///
  /// The decoder is at the beginning of the body. A copy of it decodes the body once.
  public let bodyDecoder: (any BodyDecoder)?

  /// The signature of the request, in the only spelling that the verifier accepts.
  package let signature: Secret

  /// The target with signed and unsigned parameters, in the order of the URL, on which a simulated service acts.
  package let wholeTarget: RequestTarget

  /// Creates the result of a successful verification; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the access key that the request was verified with.
  ///   - placement: The position of the authorization in the request.
  ///   - signsPlacement: Whether the signature is rejected in the other position, as the scheme must guarantee.
  ///   - target: The bucket, the object key and every query parameter of the request.
  ///   - signedHeaders: The names of the signed header fields in lowercase.
  ///   - signature: The signature that was compared, in the only spelling that the verifier accepts.
  ///   - expiration: The time at which the authorization expires, or `nil` if the authorization contains no expiration.
  ///   - usableFrom: The first time at which the verifier may have accepted the signature, or `nil` if it is not known.
  ///   - usableUntil: The last time at which the verifier may accept the signature.
  ///   - bodyDecoder: A decoder for a body that is framed, or `nil` if the body is the object itself.
  ///   - signsParameter: A function that returns whether a parameter's name and value are signed.
  public init(
    accessKeyID: AccessKeyID, placement: Placement, signsPlacement: Bool, target: RequestTarget,
    signedHeaders: Set<String>, signature: Secret, expiration: Timestamp?, usableFrom: Timestamp? = nil,
    usableUntil: Timestamp, bodyDecoder: (any BodyDecoder)? = nil, signsParameter: (RequestTarget.Parameter) -> Bool
  ) {
    self.accessKeyID = accessKeyID
    self.placement = placement
    self.signsPlacement = signsPlacement
    self.signedHeaders = signedHeaders
    self.signature = signature
    self.expiration = expiration
    self.usableFrom = usableFrom
    self.usableUntil = usableUntil
    self.bodyDecoder = bodyDecoder
    wholeTarget = target
    var signed: [RequestTarget.Parameter] = []
    var unsigned: [RequestTarget.Parameter] = []
    for parameter in target.parameters {
      if signsParameter(parameter) { signed.append(parameter) } else { unsigned.append(parameter) }
    }
    self.target = target.replacingParameters(with: signed)
    unsignedParameters = unsigned
  }
}

extension SignatureClaim {
  /// Compares the claimed ID and session token with an access key, and checks the key's expiration; for verifiers.
  ///
  /// - Parameters:
  ///   - key: The access key with the claimed ID.
  ///   - date: The current time.
  /// - Throws: A ``VerificationError`` if the IDs or the tokens differ, one token is missing, or the key has expired.
  public func checkToken(against key: AccessKey, at date: Timestamp) throws(VerificationError) {
    guard key.id == accessKeyID else { throw .unknownKey(accessKeyID) }
    switch (key.sessionToken, sessionToken) {
    case (nil, nil): break
    case (.some, nil):
      throw VerificationError(
        .missingToken, "The key is temporary and the request has no session token.",
        remedy: "Give the session token along with the id and the secret."
      ).with(accessKeyID: accessKeyID)
    case (nil, .some):
      throw VerificationError(
        .invalidToken, "The request has a session token and the key is permanent.",
        remedy: "Leave the session token out."
      ).with(accessKeyID: accessKeyID)
    case (let expected?, let given?):
      guard expected == given else {
        throw VerificationError(
          .invalidToken, "The session token does not belong to the key.",
          remedy: "Use the id, the secret and the token of one answer of the token service."
        ).with(accessKeyID: accessKeyID)
      }
    }
    if let expiration = key.expiration, expiration <= date {
      throw VerificationError(
        .keyExpired, "The temporary key expired at \(expiration).", remedy: "Get a new one."
      ).with(accessKeyID: accessKeyID, instant: expiration)
    }
  }

  /// Returns the error for a signature that does not match; for implementations of verifiers.
  ///
  /// The error contains the strings that the verifier computed, in which the claim's session token and values with
  /// secret names are masked. If `key` is a decoy for a missing key, there are no strings, and `texts` is not called.
  ///
  /// - Parameters:
  ///   - signature: The signature that the request contains.
  ///   - key: The access key that the signature was verified with.
  ///   - texts: A closure that computes the string to sign and the canonical request.
  /// - Throws: The error that `texts` throws.
  public func mismatch<Failure>(
    _ signature: String, with key: AccessKey, texts: () throws(Failure) -> SignedTexts
  ) throws(Failure) -> VerificationError {
    var error = VerificationError(
      .mismatch, "The signature does not match the request and the key.",
      remedy: "Compare the string to sign with the client's, line by line; then check the secret.")
    error.accessKeyID = accessKeyID
    guard !key.isDecoy else { return error }
    let texts = try texts()
    let mask = SecretMask([sessionToken].compactMap(\.self), masksNamedValues: true)
    error.comparison = .init(
      signatureProvided: signature, stringToSign: mask.applied(to: texts.stringToSign),
      canonicalRequest: texts.canonicalRequest.map { mask.applied(to: $0) })
    return error
  }
}
