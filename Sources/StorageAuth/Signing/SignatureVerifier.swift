public import HTTPTypes
internal import StorageCrypto

/// Checks the signature of a request that arrived.
///
/// The work has two halves, so that a key can be looked up between them: ``claim(in:)`` reads who the request says it is
/// from and needs no key; ``verify(_:of:against:at:)`` proves it.
public protocol SignatureVerifier: Sendable {
  /// What a request says about its signature.
  associatedtype Claim: SignatureClaim

  /// Reads what a request says about its signature.
  ///
  /// - Parameter request: The request as it arrived: the path undecoded, the host as authority.
  /// - Returns: The claim, or nothing if the request carries no authorization at all.
  /// - Throws: A ``VerificationError`` if it carries one that is malformed, two at once, or more than the limits allow.
  func claim(in request: HTTPRequest) throws(VerificationError) -> Claim?

  /// Proves a claim.
  ///
  /// - Parameters:
  ///   - claim: What ``claim(in:)`` returned for the request.
  ///   - request: The request as it arrived.
  ///   - key: The key of the claim's id.
  ///   - date: The present.
  /// - Returns: The proof, with the one reading of the request that the signature covers.
  /// - Throws: A ``VerificationError`` if the time window, the scope, the token or the signature is wrong.
  func verify(
    _ claim: Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest

  /// Returns whether a request carries an authorization of this scheme, well formed or not, in whatever place and case.
  ///
  /// Where several schemes are accepted, a request is verified by the only one that recognizes it. The default reads the
  /// claim: a scheme whose ``claim(in:)`` refuses the authorizations of others needs its own.
  ///
  /// - Throws: A ``VerificationError`` if the request cannot be read, or has more than the limits allow.
  func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool

  /// The beginnings, in lower case, of the names of headers and parameters that have an effect in this scheme's service.
  ///
  /// Where several schemes are accepted, such a header or parameter has to be signed in a request of another scheme too.
  var controlPrefixes: [String] { get }

  /// The words in which the service refuses a request.
  var refusals: RefusalVocabulary { get }

  /// The header that holds the SHA-256 of the body in lower-case hexadecimal digits, or `nil` if the service has none.
  ///
  /// A middleware checks the body against it, where it does not say `UNSIGNED-PAYLOAD`.
  var payloadHashHeader: HTTPField.Name? { get }

  /// The same verifier for a caller that checks the body against ``payloadHashHeader``.
  var acceptingPayloadHashes: Self { get }

  /// Returns a decoder of the body, if the service's clients frame it: sign it in chunks, or send trailers behind it.
  ///
  /// - Parameters:
  ///   - proof: The proof of the request.
  ///   - request: The request that was verified.
  ///   - key: The key that it was verified against.
  /// - Returns: The decoder, or `nil` if the body is the object as it is.
  /// - Throws: A ``VerificationError`` if the headers that describe the frame are malformed.
  func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)?
}

/// A decoder of a body that a service's clients frame.
///
/// What comes out must not become visible before ``finish()`` returns.
public protocol BodyDecoder: Sendable {
  /// Decodes some bytes of the body, in pieces of any size.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: The bytes of the object that are known to be right, if any.
  /// - Throws: A ``VerificationError`` if the frame, a signature or a checksum is wrong; further calls throw too.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Ends the body.
  ///
  /// - Throws: A ``VerificationError`` if the body has not ended, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}

/// What a request says about its signature.
public protocol SignatureClaim: Sendable {
  /// The id of the key that it says it was signed with.
  var accessKeyID: AccessKeyID { get }

  /// The session token that came along.
  var sessionToken: Secret? { get }
}

extension SignatureVerifier {
  /// Returns whether the request makes a claim.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool { try claim(in: request) != nil }

  /// No names.
  public var controlPrefixes: [String] { [] }

  /// The refusals that the services share.
  public var refusals: RefusalVocabulary { RefusalVocabulary() }

  /// `nil`: the body is not checked.
  public var payloadHashHeader: HTTPField.Name? { nil }

  /// The verifier itself.
  public var acceptingPayloadHashes: Self { self }

  /// `nil`: the body is the object as it is.
  public func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)? { nil }

  /// Verifies a request with a key that is looked up by its id.
  ///
  /// An unknown id costs the same hashing as a wrong signature; what was computed is not shown for it.
  ///
  /// - Parameters:
  ///   - request: The request as it arrived.
  ///   - date: The present.
  ///   - lookup: Looks up the key of an id; returns `nil` if there is none.
  /// - Returns: The proof.
  /// - Throws: A ``VerificationError`` if the request is not signed or not rightly signed, or what `keys` throws.
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
  /// What stands for the secret of a key that nobody has.
  static let decoy = Secret(String(repeating: "x", count: 30))
}
