import HTTPTypes
import StorageAuth

/// The identity and the signature that a request contains.
public struct AcmeClaim: SignatureClaim {
  /// The ID of the key.
  public let accessKeyID: AccessKeyID
  /// The session token of a temporary key.
  public let sessionToken: Secret?
  let date: Timestamp
  let signature: Secret
  let request: HTTPRequest
}

/// A verifier of the signatures of Acme Storage.
public struct AcmeVerifier: SignatureVerifier {
  /// The limits that are checked before a request is parsed.
  public let limits = VerificationLimits()

  /// Creates a verifier.
  public init() {}

  /// Parses the Authorization header.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> AcmeClaim? {
    try limits.check(request)
    guard let authorization = try request.headerFields.uniqueValue(for: .authorization) else { return nil }
    let parts = authorization.split(separator: ":", omittingEmptySubsequences: false)
    guard authorization.hasPrefix("ACME "), parts.count == 2 else {
      throw .malformed("The Authorization header is not ACME id:signature.")
    }
    guard let date = try request.headerFields.uniqueValue(for: .date).flatMap({ Timestamp(httpDate: $0) }) else {
      throw VerificationError(.missingDate, "The request has no Date.", remedy: "Send the time of signing.")
    }
    return AcmeClaim(
      accessKeyID: try AccessKeyID(claimed: parts[0].dropFirst("ACME ".count)),
      sessionToken: try request.headerFields.uniqueValue(for: .acmeToken).map { Secret($0) },
      date: date, signature: Secret(String(parts[1])), request: request)
  }

  /// Verifies the session token, the time and the signature.
  public func verify(
    _ claim: AcmeClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    throw VerificationError(.unsupported, "Signatures are not compared yet.", remedy: "Complete the verifier.")
  }
}
