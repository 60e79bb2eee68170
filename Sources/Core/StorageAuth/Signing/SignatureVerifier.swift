// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// - Throws: A ``VerificationError`` if the time window, the scope, the token or the signature is wrong.
  func verify(_ claim: Claim, against key: AccessKey, at date: Timestamp) throws(VerificationError) -> VerifiedRequest

  /// Returns whether a request contains an authorization of this signature scheme.
  ///
  /// The authorization may be malformed, and in any position and letter case. If a server accepts several schemes, a
  /// request is verified by the only verifier that recognizes it. The default implementation calls ``claim(in:)``: a
  /// scheme whose ``claim(in:)`` rejects the authorizations of other schemes must implement this method.
  ///
  /// - Throws: A ``VerificationError`` if the request cannot be parsed, or exceeds the limits.
  func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool

  /// The lowercase prefixes of header and parameter names that have an effect in the storage service.
  ///
  /// If a server accepts several schemes, such a header or parameter must be signed whichever scheme a request uses.
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

extension SignatureVerifier {
  /// Returns whether ``claim(in:)`` returns a claim for a request.
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
  /// - Throws: A ``VerificationError`` if the request is not signed correctly, or the error that `lookup` throws.
  public func verify(
    _ request: HTTPRequest, at date: Timestamp, lookup: @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  ) async throws -> VerifiedRequest {
    guard let claim = try claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
    }
    return try verify(claim, withFound: try await lookup(claim.accessKeyID), at: date)
  }

  /// Verifies a claim with the result of a key lookup; without a key, a decoy is verified before the error is thrown.
  package func verify(
    _ claim: Claim, withFound key: AccessKey?, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let key else {
      _ = try? verify(claim, against: .decoy(for: claim), at: date)
      throw VerificationError.unknownKey(claim.accessKeyID)
    }
    return try verify(claim, against: key, at: date)
  }
}

extension Secret {
  /// The secret of the decoy key for a request with an unknown access key ID, as long as the secrets of OSS.
  static let decoy = Secret(String(repeating: "x", count: 30))
}

extension HTTPRequest {
  /// Returns whether an `Authorization` header starts with a lowercase word, in any letter case.
  package func hasAuthorization(startingWith word: String) -> Bool {
    headerFields[fields: .authorization].contains { $0.value.utf8.lazy.map(asciiLowercased).starts(with: word.utf8) }
  }
}
