public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Checks the signatures of requests to Amazon S3, and to services that speak like it: Signature Version 4 in headers and
/// in URLs.
///
/// ```swift
/// let proof = try await S3Verifier(region: "eu-central-1").verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// Refused before a key is looked up: more than ``limits`` allow, an authorization in two places or one that is
/// incomplete, another scheme (version 2, 4A, S3 Express), a signed header that is not there, an `x-amz-` header that is
/// not signed, and framing headers that do not go with the form of the body. Refused before the signature is computed: a
/// wrong token, region, service or day, a time outside the window, a repeated parameter, and a `+` in the path, which
/// services read in two ways. A signed header has to be a header: a parameter of its name does not stand for it.
///
/// The proof covers the head of a request. The body is covered if the caller compares it with ``S3Claim/payload``: with a
/// hash, or with ``bodyDecoder(for:of:against:)`` for a body in chunks.
///
/// Pages: "Authenticating Requests: Using the Authorization Header", "Authenticating Requests: Using Query Parameters".
public struct S3Verifier: SignatureVerifier {
  /// The region that signatures have to name; `nil` for any.
  public let region: String?

  /// The service that signatures have to name.
  public let service: String

  /// Where the bucket's name is; `nil` if the host decides: in the vendor's hosts by its rule, else in the path.
  public let style: AddressingStyle?

  /// The bucket of a custom domain; `nil` for the host itself.
  public let bucket: String?

  /// Whether requests are accepted whose signature does not cover the body.
  public let allowsUnsignedPayload: Bool

  /// How large a request may be, and how long a URL may last.
  public let limits: VerificationLimits

  /// The largest distance between the time of signing and the present: fifteen minutes, as at the service.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - region: The region that signatures have to name; `nil` for any.
  ///   - service: The service that signatures have to name.
  ///   - style: Where the bucket's name is; `nil` if the host decides.
  ///   - bucket: The bucket of a custom domain; `nil` for the host itself.
  ///   - allowsUnsignedPayload: Whether requests in whose headers the body is `UNSIGNED-PAYLOAD`, or in chunks without
  ///     signatures, are accepted. A URL never covers the body.
  ///   - limits: How large a request may be, and how long a URL may last.
  public init(
    region: String? = nil, service: String = "s3", style: AddressingStyle? = nil, bucket: String? = nil,
    allowsUnsignedPayload: Bool = true, limits: VerificationLimits = VerificationLimits()
  ) {
    self.region = region
    self.service = service
    self.style = style
    self.bucket = bucket
    self.allowsUnsignedPayload = allowsUnsignedPayload
    self.limits = limits
  }

  /// The prefix of the headers and parameters that have an effect on S3.
  public var controlPrefixes: [String] { ["x-amz-"] }

  /// The header that states the body: a hash, `UNSIGNED-PAYLOAD`, or a form of chunks.
  public var payloadHashHeader: HTTPField.Name? { .s3ContentSHA256 }

  /// The words in which S3 refuses a request; page "Error Responses".
  public var refusals: RefusalVocabulary {
    RefusalVocabulary(
      refusals: [
        .invalidToken: .init(.badRequest, "InvalidToken"), .keyExpired: .init(.badRequest, "ExpiredToken"),
        .notYetValid: .init(.forbidden, "AccessDenied"), .malformed: .init(.badRequest, "InvalidRequest"),
        .invalidPolicy: .init(.badRequest, "InvalidPolicyDocument"),
        .policyExpired: .init(.forbidden, "AccessDenied"), .conditionFailed: .init(.forbidden, "AccessDenied"),
      ],
      statuses: [
        "SignatureDoesNotMatch": .forbidden, "AccessDenied": .forbidden, "NotImplemented": .notImplemented,
        "MissingContentLength": .lengthRequired, "BadDigest": .badRequest,
      ])
  }

  /// Returns a decoder of a body in chunks, or `nil` for a body that is sent as it is.
  ///
  /// - Parameters:
  ///   - proof: The proof of the request.
  ///   - request: The request that was verified.
  ///   - key: The key that it was verified against.
  /// - Throws: A ``VerificationError`` if the length of the object or the name of the trailer is missing or malformed.
  public func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)? {
    guard let text = request.headerFields[.s3ContentSHA256], let payload = S3Payload(header: text), payload.isChunked
    else { return nil }
    return try S3ChunkDecoder(for: proof, of: request, against: key)
  }

  /// Returns whether a request carries an authorization of S3, of any version, well formed or not.
  ///
  /// - Throws: A ``VerificationError`` if the request cannot be read, or has more than the limits allow.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    let isHeader = request.headerFields[fields: .authorization].contains { field in
      field.value.asciiLowercased.hasBytePrefix("aws")
    }
    if isHeader { return true }
    return try target(of: request).parameters.contains { Self.loweredParameters.contains($0.name.asciiLowercased) }
  }

  /// Reads what a request says about its signature.
  ///
  /// - Parameter request: The request as it arrived: the path undecoded, the host as authority.
  /// - Returns: The claim, or `nil` if the request carries no authorization at all.
  /// - Throws: A ``VerificationError`` if it carries one that is malformed or incomplete, two at once, or more than the
  ///   limits allow.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> S3Claim? {
    try limits.check(request)
    let target = try target(of: request)
    let hasHeader = request.headerFields.contains(.authorization)
    let hasParameter = try hasSignature(in: target)
    guard !hasHeader || !hasParameter else {
      throw VerificationError.ambiguous(
        "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or "
          + "the Authorization header should be specified"
      ).with(serviceCode: "InvalidArgument")
    }
    let fields = request.headerFields
    guard hasHeader || hasParameter else {
      if fields.contains(.s3SessionToken) || fields.contains(.s3RegionSet) || fields.contains(.s3SecurityToken) {
        throw VerificationError(
          .unsigned, "The request carries a session token, or what belongs to another scheme, and no signature.",
          remedy: "Sign the request with AWS4-HMAC-SHA256."
        ).with(serviceCode: "AccessDenied")
      }
      return nil
    }
    if fields.contains(.s3SessionToken) { throw S3Authorization.declined("S3 Express sessions are not supported.") }
    if fields.contains(.s3RegionSet) { throw S3Authorization.declined("Signature Version 4A is not supported.") }
    let claim = hasHeader ? try headerClaim(request, target) : try urlClaim(request, target)
    try checkHeaders(of: claim, in: request)
    return claim
  }

  /// Proves a claim.
  ///
  /// - Parameters:
  ///   - claim: What ``claim(in:)`` returned for the request.
  ///   - request: The request as it arrived.
  ///   - key: The key of the claim's id.
  ///   - date: The present.
  /// - Returns: The proof, with the one reading of the request that the signature covers.
  /// - Throws: A ``VerificationError`` if the time window, the scope, the token or the signature is wrong.
  public func verify(
    _ claim: S3Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    do throws(VerificationError) {
      // What is proved is read from the request that is verified, whatever the claim was read from.
      guard let own = try self.claim(in: request), own.accessKeyID == claim.accessKeyID else {
        throw VerificationError.malformed("The claim is that of another request.")
      }
      return try prove(own, of: request, against: key, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }

  /// Declares, once for the process, the headers whose values are keys of the caller.
  private static let secretNames: Void = SecretName.declare(
    "x-amz-server-side-encryption-customer-key", "x-amz-copy-source-server-side-encryption-customer-key")

  private func prove(
    _ claim: S3Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try checkToken(of: claim, against: key, at: date)
    try checkScope(of: claim)
    _ = Self.secretNames
    var mismatch: VerificationError?
    if claim.lifetime == nil { try checkSkew(claim.date, at: date) } else { try checkWindow(of: claim, at: date) }
    do throws(SigningError) {
      let hash = try claim.canonicalRequest.withCanonicalRequest(
        request, fields: request.headerFields, path: request.path ?? "/", omitting: claim.omitted
      ) { text, _ in
        SHA256.hash(writing: text)
      }
      let scope = claim.scope
      let expected = scope.signingKey(of: key).authenticationCode { scope.append(stringToSign: hash, to: &$0) }
      if !constantTimeEqual(expected.hex, claim.authorization.signature) {
        mismatch = try claim.mismatch(claim.authorization.signature, with: key) { () throws(SigningError) in
          try texts(of: claim, in: request)
        }
      }
    } catch {
      throw VerificationError(error).with(serviceCode: "InvalidRequest")
    }
    if let mismatch { throw mismatch.with(serviceCode: "SignatureDoesNotMatch") }
    if let end = claim.expiration { try limits.checkLifetime(from: claim.date, until: end, at: date, in: .query) }
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: true, target: claim.target,
      signedHeaders: Set(claim.authorization.signedHeaders), signature: Secret(claim.authorization.signature),
      expiration: claim.expiration,
      usableUntil: claim.expiration ?? claim.date.advanced(by: Self.clockTolerance),
      signsParameter: { $0.name != "X-Amz-Signature" || claim.placement == .header })
  }
}
