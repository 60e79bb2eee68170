// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of the Signature Version 4 signatures of requests to Amazon S3 and compatible services, in headers and
/// URLs.
///
/// ```swift
/// let proof = try await S3Verifier(region: "eu-central-1").verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// Before a key is looked up, the verifier rejects a request that exceeds ``limits``, two authorizations or an
/// incomplete one, another scheme (version 2, 4A, S3 Express), an absent signed header, an unsigned `x-amz-` header,
/// and framing headers that contradict the form of the body. Before the signature is computed, it rejects a wrong
/// token, region, service or day, a time outside the window, a repeated parameter, and a `+` in the path, which
/// services read in two ways. A parameter with the name of a signed header does not replace that header.
///
/// The signature covers the head of a request. It also covers the body if the caller compares it with
/// ``S3Claim/payload``: with a hash, or for a chunked body with ``bodyDecoder(for:of:against:)``.
///
/// Sources: AWS, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html>, and "Authenticating
/// Requests: Using Query Parameters (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html>.
public struct S3Verifier: SignatureVerifier {
  /// The region that signatures must name; `nil` accepts any.
  public let region: String?

  /// The service that signatures must name.
  public let service: String

  /// The position of the bucket name; `nil` if the host decides: by Amazon's rule for its hosts, and the path for
  /// others.
  public let style: AddressingStyle?

  /// The bucket of a custom domain; `nil` for the host itself.
  public let bucket: String?

  /// Whether the verifier accepts requests whose signature does not cover the body.
  public let allowsUnsignedPayload: Bool

  /// The limits of the size of a request and of the lifetime of a URL.
  public let limits: VerificationLimits

  /// The largest difference between the time of signing and the present: fifteen minutes, as at the service.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - region: The region that signatures must name; `nil` accepts any.
  ///   - service: The service that signatures must name.
  ///   - style: The position of the bucket name; `nil` if the host decides.
  ///   - bucket: The bucket of a custom domain; `nil` for the host itself.
  ///   - allowsUnsignedPayload: Whether to accept requests that state `UNSIGNED-PAYLOAD` or unsigned chunks in their
  ///     headers. The signature of a URL never covers the body.
  ///   - limits: The limits of the size of a request and of the lifetime of a URL.
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

  /// The status codes and error codes with which S3 refuses a request.
  ///
  /// Source: AWS, "Error Responses", <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>.
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

  /// Returns a decoder of a chunked body, or `nil` if the body is the object itself.
  ///
  /// - Parameters:
  ///   - proof: The result of verifying the request.
  ///   - request: The request that was verified.
  ///   - key: The key that the request was verified against.
  /// - Throws: A `VerificationError` if the length of the object or the name of the trailer is missing or malformed.
  public func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)? {
    guard let text = request.headerFields[.s3ContentSHA256], let payload = S3Payload(header: text), payload.isChunked
    else { return nil }
    return try S3ChunkDecoder(for: proof, of: request, against: key)
  }

  /// Returns whether a request carries an authorization of S3, of any version, well-formed or not.
  ///
  /// - Throws: A `VerificationError` if the request cannot be parsed, or exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    let isHeader = request.headerFields[fields: .authorization].contains { field in
      field.value.asciiLowercased.hasBytePrefix("aws")
    }
    if isHeader { return true }
    return try target(of: request).parameters.contains { Self.loweredParameters.contains($0.name.asciiLowercased) }
  }

  /// Parses the claim about its signature that a request contains.
  ///
  /// - Parameter request: The request as it arrived, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request carries no authorization.
  /// - Throws: A `VerificationError` if the authorization is malformed or incomplete, if the request carries two of
  ///   them, or if it exceeds the limits.
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

  /// Verifies a claim.
  ///
  /// - Parameters:
  ///   - claim: The result of ``claim(in:)->S3Claim?`` for the request.
  ///   - request: The request as it arrived.
  ///   - key: The key with the claimed ID.
  ///   - date: The present.
  /// - Returns: The verified request, with the only reading that the signature covers.
  /// - Throws: A `VerificationError` if the time window, the scope, the token or the signature is wrong.
  public func verify(
    _ claim: S3Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    do throws(VerificationError) {
      // The claim is parsed again from the verified request, because the given claim may have been parsed from another
      // one.
      guard let own = try self.claim(in: request), own.accessKeyID == claim.accessKeyID else {
        throw VerificationError.malformed("The claim is that of another request.")
      }
      return try prove(own, of: request, against: key, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }

  /// The registration, once for the process, of the headers whose values are encryption keys of the caller.
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
