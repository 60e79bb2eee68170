// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of Signature Version 4 signatures of requests to Amazon S3 and compatible services, in headers and URLs.
///
/// ```swift
/// let verified = try await S3Verifier(region: "eu-central-1").verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// The verifier rejects, in this order:
///
/// - Before the key is looked up: a request that exceeds ``limits``, contains two authorizations or an incomplete one,
///   uses another scheme (version 2, 4A, S3 Express), lacks a signed header, contains an unsigned `x-amz-` header, or
///   contains framing headers that contradict the format of the body.
/// - Before the signature is computed: a wrong token, region, service or day, a time outside the allowed window, a
///   repeated parameter, and a `+` in the path, which services read in two ways.
///
/// The signature covers the method, the URL and the headers of a request. It also covers the body if the caller
/// compares the body with ``S3Claim/payload``: with a hash, or for a chunked body with the `bodyDecoder` of the
/// verified request. A query parameter with the name of a signed header does not replace that header. ``S3Signer``
/// lists the sources.
public struct S3Verifier: SignatureVerifier, Hashable {
  /// The region that signatures must contain, or `nil` to accept any region.
  public let region: String?
  /// The service that signatures must contain.
  public let service: String
  /// The position of the bucket name in the URL; `nil` means Amazon's rule for Amazon's hosts, and the path for others.
  public let style: AddressingStyle?
  /// The bucket name for a custom domain, or `nil` if the host name is the bucket name.
  public let bucket: String?
  /// Whether the verifier accepts requests whose signature does not cover the body.
  ///
  /// They are requests whose headers specify `UNSIGNED-PAYLOAD` or unsigned chunks, and presigned URLs with a body, which
  /// the signature of a URL never covers. If it is `false`, a URL is accepted only for GET, HEAD, DELETE and OPTIONS
  /// without a body.
  public let allowsUnsignedPayload: Bool
  /// The limits of the request size and of the lifetime of a URL.
  public let limits: VerificationLimits

  /// The maximum difference between the signing time and the current time: fifteen minutes, as at the service.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// Creates a verifier of requests to S3; the parameters are the properties.
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
  public var controlPrefixes: [String] { ServiceDescription.s3.controlPrefixes }
  /// The name of the header that contains the body's hash, `UNSIGNED-PAYLOAD`, or a value for a chunked body.
  public var payloadHashHeader: HTTPField.Name? { .s3ContentSHA256 }
  /// The status codes and error codes with which S3 rejects a request, from the page "Error Responses".
  public var errorCodes: ServiceErrorCodes { ServiceDescription.s3.errorCodes }

  /// Returns whether a request contains an S3 authorization of any version.
  ///
  /// - Throws: The errors of `SignatureVerifier.recognizes(_:)`, which also describes the parameters.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.hasAuthorization(startingWith: "aws") { return true }
    return try target(of: request).parameters.contains { Self.lowercaseParameters.contains($0.name.asciiLowercased) }
  }

  /// Parses the unverified statements of a request about its S3 signature.
  ///
  /// - Throws: The errors of `SignatureVerifier.claim(in:)`, which also describes the parameters.
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
        throw .s3(
          "AccessDenied", .unsigned,
          "The request carries a session token, or what belongs to another scheme, and no signature.",
          remedy: "Sign the request with AWS4-HMAC-SHA256.")
      }
      return nil
    }
    if fields.contains(.s3SessionToken) { throw S3Authorization.expressNotImplemented }
    if fields.contains(.s3RegionSet) { throw S3Authorization.version4ANotImplemented }
    let claim = hasHeader ? try headerClaim(of: request, at: target) : try urlClaim(of: request, at: target)
    try checkHeaders(of: claim, in: request)
    return claim
  }

  /// Verifies the signature that a request claims to have.
  ///
  /// - Throws: The errors of `SignatureVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ claim: S3Claim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard claim.verifier == self else { throw .claimOfAnotherVerifier }
    do throws(VerificationError) {
      return try verifyScopeAndSignature(of: claim, against: key, at: date)
    } catch { throw error.with(accessKeyID: claim.accessKeyID) }
  }

  private func verifyScopeAndSignature(
    of claim: S3Claim, against key: AccessKey, at now: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try checkToken(of: claim, against: key, at: now)
    try checkScope(
      of: claim.authorization, date: claim.date,
      as: claim.placement == .header ? "AuthorizationHeaderMalformed" : Self.queryErrorCode)
    if claim.lifetime == nil { try checkSkew(claim.date, at: now) } else { try checkWindow(of: claim, at: now) }
    try checkSignature(of: claim, against: key)
    if let end = claim.expiration { try limits.checkLifetime(from: claim.date, until: end, at: now, in: .query) }
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: true, target: claim.target,
      signedHeaders: Set(claim.authorization.signedHeaders), signature: Secret(claim.authorization.signature),
      expiration: claim.expiration, usableFrom: claim.date.advanced(by: .zero - Self.clockTolerance),
      usableUntil: claim.expiration ?? claim.date.advanced(by: Self.clockTolerance),
      bodyDecoder: try bodyDecoder(of: claim, against: key),
      signsParameter: { $0.name != "X-Amz-Signature" || claim.placement == .header })
  }

  private func checkSignature(of claim: S3Claim, against key: AccessKey) throws(VerificationError) {
    let mismatch: VerificationError
    do throws(SigningError) {
      let hash = try claim.withCanonicalRequest { appendText, _ in SHA256.hash(writing: appendText) }
      let signature = claim.authorization.signature
      if constantTimeEqual(claim.scope.signature(of: hash, with: key).hex, signature) { return }
      mismatch = try claim.mismatch(signature, with: key) { () throws(SigningError) in try claim.signedTexts }
    } catch { throw VerificationError(error).with(serviceCode: "InvalidRequest") }
    throw mismatch.with(serviceCode: "SignatureDoesNotMatch")
  }

  /// Returns the decoder of a chunked body, or one that refuses any body if a URL's signature must cover the body.
  private func bodyDecoder(of claim: S3Claim, against key: AccessKey) throws(VerificationError) -> (any BodyDecoder)? {
    if claim.placement == .query { return allowsUnsignedPayload ? nil : EmptyBodyDecoder(error: Self.uncoveredBody) }
    return claim.payload.isChunked ? try S3ChunkDecoder(for: claim, against: key) : nil
  }

  /// The service's error code for a malformed authorization in a URL.
  static let queryErrorCode = "AuthorizationQueryParametersError"

  /// Rejects a token or a key that does not match, with the service's error code.
  func checkToken(of claim: some SignatureClaim, against key: AccessKey, at date: Timestamp) throws(VerificationError) {
    do throws(VerificationError) {
      try claim.checkToken(against: key, at: date)
    } catch {
      switch error.code {
      case .invalidToken: throw error.with(serviceCode: "InvalidToken")
      case .keyExpired: throw error.with(serviceCode: "ExpiredToken")
      default: throw error.with(serviceCode: "InvalidAccessKeyId")
      }
    }
  }

  /// Rejects a scope with another region, service or day, with the service's error code.
  func checkScope(of authorization: S3Authorization, date: Timestamp, as code: String) throws(VerificationError) {
    if let region, !region.isIdentical(to: authorization.region) {
      throw VerificationError.wrongScope(
        .region,
        "The authorization header is malformed; the region '\(authorization.region)' is wrong; expecting '\(region)'",
        remedy: "Sign for the region \(region)."
      ).with(serviceCode: code)
    }
    guard authorization.service.isIdentical(to: service) else {
      throw VerificationError.wrongScope(
        .product, "Incorrect service \"\(authorization.service)\". This endpoint belongs to \"\(service)\".",
        remedy: "Sign for the service \(service)."
      ).with(serviceCode: code)
    }
    guard authorization.day.isIdentical(to: String(writing: { $0.append(dayOf: BasicTime(date)) })) else {
      throw VerificationError.wrongScope(
        .day, "Invalid credential date. Date is not the same as X-Amz-Date.",
        remedy: "Use the day of X-Amz-Date, in UTC."
      ).with(serviceCode: code)
    }
  }

  func checkSkew(_ signedAt: Timestamp, at now: Timestamp) throws(VerificationError) {
    let distance = signedAt.duration(to: now)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw VerificationError(
        .clockSkew, "The difference between the request time and the current time is too large.",
        remedy: "Set the clock; the service accepts fifteen minutes."
      ).with(instant: signedAt).with(serviceCode: "RequestTimeTooSkewed")
    }
  }

  /// Rejects a URL that has expired or is signed in the future.
  private func checkWindow(of claim: S3Claim, at now: Timestamp) throws(VerificationError) {
    if let end = claim.expiration, now > end {
      throw VerificationError(.expired, "Request has expired", remedy: "Create a new URL.").with(instant: end)
        .with(serviceCode: "AccessDenied")
    }
    guard claim.date.advanced(by: .zero - Self.clockTolerance) <= now else {
      throw VerificationError(
        .notYetValid, "Request is not yet valid", remedy: "Set the clock of the machine that signs."
      ).with(instant: claim.date).with(serviceCode: "AccessDenied")
    }
  }
}
