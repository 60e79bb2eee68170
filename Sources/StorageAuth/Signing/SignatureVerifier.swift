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
}

/// What a request says about its signature.
public protocol SignatureClaim: Sendable {
  /// The id of the key that it says it was signed with.
  var accessKeyID: AccessKeyID { get }

  /// The session token that came along.
  var sessionToken: Secret? { get }
}

extension SignatureVerifier {
  /// Verifies a request with a key that is looked up by its id.
  ///
  /// An unknown id costs the same work as a wrong signature.
  ///
  /// - Parameters:
  ///   - request: The request as it arrived.
  ///   - date: The present.
  ///   - keys: Looks up the key of an id; nothing if there is none.
  /// - Returns: The proof.
  /// - Throws: A ``VerificationError`` if the request is not signed or not rightly signed, or what `keys` throws.
  public func verify(
    _ request: HTTPRequest, at date: Timestamp, keys: @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  ) async throws -> VerifiedRequest {
    guard let claim = try claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
    }
    guard let key = try await keys(claim.accessKeyID) else {
      let decoy = AccessKey(id: claim.accessKeyID, secret: .decoy, sessionToken: claim.sessionToken)
      _ = try? verify(claim, of: request, against: decoy, at: date)
      throw VerificationError.unknownKey(claim.accessKeyID)
    }
    return try verify(claim, of: request, against: key, at: date)
  }
}

extension Secret {
  /// What stands for the secret of a key that nobody has.
  static let decoy = Secret(String(repeating: "x", count: 30))
}

/// The proof that a request was signed by the holder of a key, with the one reading of it that was signed.
///
/// Handlers take this type, so that no path leads to them past the verification.
public struct VerifiedRequest: Sendable {
  /// The id of the key.
  public let accessKeyID: AccessKeyID

  /// Where the authorization was.
  public let placement: Placement

  /// When the authorization ends, where the scheme says so.
  public let expiration: Timestamp?

  /// The bucket, the key and the parameters, as signed.
  public let target: RequestTarget

  /// Where an authorization can be.
  public enum Placement: Sendable {
    /// In the headers.
    case header
    /// In the URL.
    case query
  }

  /// The signature, in its one spelling.
  package let signature: Secret

  /// The last instant at which the signature is accepted.
  package let usableUntil: Timestamp

  package init(
    accessKeyID: AccessKeyID, placement: Placement, expiration: Timestamp?, target: RequestTarget, signature: String,
    usableUntil: Timestamp
  ) {
    self.signature = Secret(signature)
    self.usableUntil = usableUntil
    self.accessKeyID = accessKeyID
    self.placement = placement
    self.expiration = expiration
    self.target = target
  }
}
