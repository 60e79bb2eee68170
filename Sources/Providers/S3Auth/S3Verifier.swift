// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of Signature Version 4 signatures of requests to Amazon S3 and compatible services, in headers and URLs.
///
/// ```swift
/// let proof = try await S3Verifier(region: "eu-central-1").verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// Before the key is looked up, the verifier rejects a request that exceeds ``limits``, contains two authorizations or
/// an incomplete one, uses another scheme (version 2, 4A, S3 Express), lacks a signed header, contains an unsigned
/// `x-amz-` header, or contains framing headers that contradict the format of the body. Before the signature is
/// computed, it rejects a wrong token, region, service or day, a time outside the allowed window, a repeated parameter,
/// and a `+` in the path, which services read in two ways. A query parameter with the name of a signed header does not
/// replace that header.
///
/// The signature covers the method, the URL and the headers of a request. It also covers the body if the caller
/// compares the body with ``S3Claim/payload``: with a hash, or for a chunked body with
/// ``bodyDecoder(for:of:against:)``.
///
/// Sources: AWS, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html>, and "Authenticating
/// Requests: Using Query Parameters (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html>.
public struct S3Verifier: SignatureVerifier {
  /// The region that signatures must contain, or `nil` to accept any region.
  public let region: String?

  /// The service that signatures must contain.
  public let service: String

  /// The position of the bucket name in the URL, or `nil` if the host determines the position.
  ///
  /// For Amazon's hosts, Amazon's rule then applies. For other hosts, the bucket name is in the path.
  public let style: AddressingStyle?

  /// The bucket name for a custom domain, or `nil` if the host name is the bucket name.
  public let bucket: String?

  /// A Boolean value that indicates whether the verifier accepts requests whose signature does not cover the body.
  public let allowsUnsignedPayload: Bool

  /// The limits of the request size and of the lifetime of a URL.
  public let limits: VerificationLimits

  /// The maximum difference between the signing time and the current time: fifteen minutes, as at the service.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// Creates a verifier of requests to S3.
  ///
  /// - Parameters:
  ///   - region: The region that signatures must contain, or `nil` to accept any region.
  ///   - service: The service that signatures must contain.
  ///   - style: The position of the bucket name in the URL, or `nil` if the host determines the position.
  ///   - bucket: The bucket name for a custom domain, or `nil` if the host name is the bucket name.
  ///   - allowsUnsignedPayload: Whether to accept requests whose headers specify `UNSIGNED-PAYLOAD` or unsigned chunks,
  ///     and presigned URLs with a body, which the signature of a URL never covers. If it is `false`, a URL is accepted
  ///     only for GET, HEAD, DELETE and OPTIONS without a body.
  ///   - limits: The limits of the request size and of the lifetime of a URL.
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

  /// The prefixes of the headers and query parameters that control S3.
  public var controlPrefixes: [String] { ["x-amz-"] }

  /// The name of the header that contains the body's hash, `UNSIGNED-PAYLOAD`, or a value for a chunked body.
  public var payloadHashHeader: HTTPField.Name? { .s3ContentSHA256 }

  /// The status codes and error codes with which S3 rejects a request.
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

  /// Returns a decoder for a chunked body, or `nil` if the body is not chunked.
  ///
  /// If the signature must cover the body, the decoder for a presigned URL refuses each body that is not empty. The
  /// headers do not tell whether a request over HTTP/2 has one.
  ///
  /// - Parameters:
  ///   - proof: The result of verifying the request.
  ///   - request: The verified request.
  ///   - key: The access key with which the request was verified.
  /// - Throws: A `VerificationError` if the object length or the trailer name is missing or malformed.
  public func bodyDecoder(
    for proof: VerifiedRequest, of request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) -> (any BodyDecoder)? {
    if proof.placement == .query { return allowsUnsignedPayload ? nil : EmptyBody() }
    guard let text = request.headerFields[.s3ContentSHA256], let payload = S3Payload(header: text), payload.isChunked
    else { return nil }
    return try S3ChunkDecoder(for: proof, of: request, against: key)
  }

  /// Returns a Boolean value that indicates whether a request contains an S3 authorization, of any version and
  /// well-formed or not.
  ///
  /// - Throws: A `VerificationError` if the request cannot be parsed, or if it exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    let isHeader = request.headerFields[fields: .authorization].contains { field in
      field.value.asciiLowercased.hasBytePrefix("aws")
    }
    if isHeader { return true }
    return try target(of: request).parameters.contains { Self.loweredParameters.contains($0.name.asciiLowercased) }
  }

  /// Parses the unverified statements of a request about its S3 signature.
  ///
  /// - Parameter request: The request as received, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request contains no authorization.
  /// - Throws: A `VerificationError` if the authorization is malformed or incomplete, if the request contains two
  ///   authorizations, or if the request exceeds the limits.
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

  /// Verifies the signature that a request claims to have.
  ///
  /// - Parameters:
  ///   - claim: The result of `claim(in:)` for the request.
  ///   - request: The request as received.
  ///   - key: The access key with the claimed ID.
  ///   - date: The current time.
  /// - Returns: The verified request, with the only interpretation that the signature covers.
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

  /// The declaration, once per process, of headers whose values are the caller's encryption keys and therefore secret.
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
      usableFrom: claim.date.advanced(by: .zero - Self.clockTolerance),
      usableUntil: claim.expiration ?? claim.date.advanced(by: Self.clockTolerance),
      signsParameter: { $0.name != "X-Amz-Signature" || claim.placement == .header })
  }
}
