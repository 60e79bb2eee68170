// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// A verifier of the signature of a received request.
///
/// Verification has two steps, so that the key can be looked up between them: ``claim(in:)`` parses the claimed
/// identity and needs no key; ``verify(_:of:against:at:)`` verifies the signature.
public protocol SignatureVerifier: Sendable {
  /// The type of the claim about the signature that a request contains.
  associatedtype Claim: SignatureClaim

  /// Parses the claim about its signature that a request contains.
  ///
  /// - Parameter request: The request as it arrived, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request carries no authorization.
  /// - Throws: A ``VerificationError`` if the authorization is malformed, if the request carries two of them, or if it
  ///   exceeds the limits.
  func claim(in request: HTTPRequest) throws(VerificationError) -> Claim?

  /// Verifies a claim.
  ///
  /// - Parameters:
  ///   - claim: The result of ``claim(in:)`` for the request.
  ///   - request: The request as it arrived.
  ///   - key: The key with the claimed ID.
  ///   - date: The present.
  /// - Returns: The verified request, with the only reading that the signature covers.
  /// - Throws: A ``VerificationError`` if the time window, the scope, the token or the signature is wrong.
  func verify(
    _ claim: Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest

  /// Returns whether a request carries an authorization of this scheme, well-formed or not, in any placement and letter
  /// case.
  ///
  /// If a server accepts several schemes, the only verifier that recognizes a request verifies it. The default
  /// implementation calls ``claim(in:)``: a scheme whose ``claim(in:)`` rejects the authorizations of other schemes
  /// must implement this method.
  ///
  /// - Throws: A ``VerificationError`` if the request cannot be parsed, or exceeds the limits.
  func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool

  /// The prefixes, in lower case, of the header and parameter names that have an effect in this scheme's service.
  ///
  /// If a server accepts several schemes, a header or parameter with such a prefix must be signed in the requests of
  /// every scheme.
  var controlPrefixes: [String] { get }

  /// The status codes and error codes with which the service refuses a request.
  var refusals: RefusalVocabulary { get }

  /// The header that contains the SHA-256 of the body in lower-case hexadecimal digits, or `nil` if the service has
  /// none.
  ///
  /// A middleware compares the body with it, unless its value is `UNSIGNED-PAYLOAD`.
  var payloadHashHeader: HTTPField.Name? { get }

  /// The same verifier for a caller that compares the body with ``payloadHashHeader``.
  var acceptingPayloadHashes: Self { get }

  /// Returns a decoder of the body if the service's clients frame it, with signed chunks or with trailers.
  ///
  /// - Parameters:
  ///   - proof: The result of verifying the request.
  ///   - request: The request that was verified.
  ///   - key: The key that the request was verified against.
  /// - Returns: The decoder, or `nil` if the body is the object itself.
  /// - Throws: A ``VerificationError`` if the headers that describe the framing are malformed.
  func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)?
}

/// A decoder of a body that a service's clients frame.
///
/// The decoded bytes must not become visible before ``finish()`` returns.
public protocol BodyDecoder: Sendable {
  /// Decodes the next bytes of the body, which may be split anywhere.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: The bytes of the object that have been verified so far, which may be empty.
  /// - Throws: A ``VerificationError`` if the framing, a signature or a checksum is wrong; all further calls throw as
  ///   well.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Checks that the body is complete, at its end.
  ///
  /// - Throws: A ``VerificationError`` if the body is incomplete, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}

/// The identity that a request claims for its signature.
public protocol SignatureClaim: Sendable {
  /// The ID of the key that the request claims to be signed with.
  var accessKeyID: AccessKeyID { get }

  /// The session token in the request, or `nil` if it contains none.
  var sessionToken: Secret? { get }
}

extension SignatureVerifier {
  /// Returns whether ``claim(in:)`` returns a claim.
  ///
  /// - Throws: The ``VerificationError`` of ``claim(in:)``.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool { try claim(in: request) != nil }

  /// An empty array: no name has an effect.
  public var controlPrefixes: [String] { [] }

  /// The refusals that the services share.
  public var refusals: RefusalVocabulary { RefusalVocabulary() }

  /// `nil`: the service has no such header, and the body is not checked.
  public var payloadHashHeader: HTTPField.Name? { nil }

  /// The verifier itself.
  public var acceptingPayloadHashes: Self { self }

  /// Returns `nil`: the body is the object itself.
  ///
  /// - Throws: No error; the requirement is a throwing method.
  public func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)? { nil }

  /// Verifies a request with a key that is looked up by its ID.
  ///
  /// An unknown ID costs the same hashing as a wrong signature, and its error does not contain the computed strings.
  ///
  /// - Parameters:
  ///   - request: The request as it arrived.
  ///   - date: The present.
  ///   - lookup: Returns the key with an ID, or `nil` if no key has it.
  /// - Returns: The verified request.
  /// - Throws: A ``VerificationError`` if the request is not signed, or not signed correctly, or the error that
  ///   `lookup` throws.
  public func verify(
    _ request: HTTPRequest, at date: Timestamp, lookup: @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  ) async throws -> VerifiedRequest {
    guard let claim = try claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
    }
    guard let key = try await lookup(claim.accessKeyID) else {
      _ = try? verify(claim, of: request, against: .decoy(for: claim), at: date)
      throw VerificationError.unknownKey(claim.accessKeyID)
    }
    return try verify(claim, of: request, against: key, at: date)
  }
}

extension Secret {
  /// The secret of the decoy key against which a request with an unknown key ID is verified.
  static let decoy = Secret(String(repeating: "x", count: 30))
}
