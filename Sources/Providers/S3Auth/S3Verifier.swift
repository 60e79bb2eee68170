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
/// The verifier rejects, in this order:
///
/// - Before the key is looked up: a request that exceeds ``limits``, contains two authorizations or an incomplete one,
///   uses another scheme (version 2, 4A, S3 Express), lacks a signed header, contains an unsigned `x-amz-` header, or
///   contains framing headers that contradict the format of the body.
/// - Before the signature is computed: a wrong token, region, service or day, a time outside the allowed window, a
///   repeated parameter, and a `+` in the path, which services read in two ways.
///
/// A query parameter with the name of a signed header does not replace that header.
///
/// The signature covers the method, the URL and the headers of a request. It also covers the body if the caller
/// compares the body with ``S3Claim/payload``: with a hash, or for a chunked body with the
/// `bodyDecoder` of the verified request.
///
/// Sources: AWS, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html>, and "Authenticating
/// Requests: Using Query Parameters (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html>.
public struct S3Verifier: SignatureVerifier, Hashable {
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
  public var controlPrefixes: [String] { ServiceDescription.s3.controlPrefixes }

  /// The name of the header that contains the body's hash, `UNSIGNED-PAYLOAD`, or a value for a chunked body.
  public var payloadHashHeader: HTTPField.Name? { .s3ContentSHA256 }

  /// The status codes and error codes with which S3 rejects a request.
  ///
  /// Source: AWS, "Error Responses", <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>.
  public var errorCodes: ServiceErrorCodes { ServiceDescription.s3.errorCodes }

  /// Returns a Boolean value that indicates whether a request contains an S3 authorization, of any version and
  /// well-formed or not.
  ///
  /// - Throws: A `VerificationError` if the request cannot be parsed, or if it exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.hasAuthorization(startingWith: "aws") { return true }
    return try target(of: request).parameters.contains { Self.loweredParameters.contains($0.name.asciiLowercased) }
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
  /// - Throws: The errors of `SignatureVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ claim: S3Claim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard claim.verifier == self else { throw .claimOfAnotherVerifier }
    do throws(VerificationError) {
      return try checkAndVerify(claim, against: key, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }

  /// The declaration, once per process, of headers whose values are the caller's encryption keys and therefore secret.
  private static let secretNames: Void = SecretName.declare(
    "x-amz-server-side-encryption-customer-key", "x-amz-copy-source-server-side-encryption-customer-key")

  private func checkAndVerify(
    _ claim: S3Claim, against key: AccessKey, at now: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try checkToken(of: claim, against: key, at: now)
    try checkScope(
      of: claim.authorization, date: claim.date,
      as: claim.placement == .header ? "AuthorizationHeaderMalformed" : Self.queryCode)
    // The report of a mismatch masks the values of these headers.
    _ = Self.secretNames
    if claim.lifetime == nil { try checkSkew(claim.date, at: now) } else { try checkWindow(of: claim, at: now) }
    var mismatch: VerificationError?
    do throws(SigningError) {
      let hash = try claim.withCanonicalRequest { text, _ in SHA256.hash(writing: text) }
      let scope = claim.scope
      let expected = scope.signingKey(of: key).authenticationCode { scope.append(stringToSign: hash, to: &$0) }
      if !constantTimeEqual(expected.hex, claim.authorization.signature) {
        mismatch = try claim.mismatch(claim.authorization.signature, with: key) { () throws(SigningError) in
          try claim.signedTexts
        }
      }
    } catch {
      throw VerificationError(error).with(serviceCode: "InvalidRequest")
    }
    if let mismatch { throw mismatch.with(serviceCode: "SignatureDoesNotMatch") }
    if let end = claim.expiration { try limits.checkLifetime(from: claim.date, until: end, at: now, in: .query) }
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: true, target: claim.target,
      signedHeaders: Set(claim.authorization.signedHeaders), signature: Secret(claim.authorization.signature),
      expiration: claim.expiration,
      usableFrom: claim.date.advanced(by: .zero - Self.clockTolerance),
      usableUntil: claim.expiration ?? claim.date.advanced(by: Self.clockTolerance),
      bodyDecoder: try bodyDecoder(of: claim, against: key),
      signsParameter: { $0.name != "X-Amz-Signature" || claim.placement == .header })
  }

  /// Returns a decoder for a chunked body, or `nil` if the body is not chunked.
  ///
  /// If the signature must cover the body, the decoder for a presigned URL refuses each body that is not empty. The
  /// headers do not tell whether a request over HTTP/2 has one.
  private func bodyDecoder(of claim: S3Claim, against key: AccessKey) throws(VerificationError) -> (any BodyDecoder)? {
    if claim.placement == .query { return allowsUnsignedPayload ? nil : EmptyBody() }
    return claim.payload.isChunked ? try S3ChunkDecoder(for: claim, against: key) : nil
  }
}

// The parsing for ``S3Verifier/claim(in:)``, and the checks that precede the check of the signature.

extension S3Verifier {
  /// The lowercase names of the query parameters of all S3 signatures; any of them marks a URL as presigned.
  static let loweredParameters = Set(
    (S3Text.ownParameters + ["AWSAccessKeyId", "Signature"] + declinedParameters).map {
      ByteExactString($0).asciiLowercased
    })

  /// The parameters in the only spelling that S3 reads, without those of the schemes that are declined.
  private static let exactParameters = Set(
    (S3Text.ownParameters + ["AWSAccessKeyId", "Signature"]).map { ByteExactString($0) })
  private static let declinedParameters = ["X-Amz-Region-Set", "X-Amz-S3session-Token"]

  package func target(of request: HTTPRequest) throws(VerificationError) -> RequestTarget {
    let address = S3Address(authority: request.authority ?? "", style: style, customDomain: bucket)
    let target = try RequestTarget(of: request, style: address.isInPath ? .path : .customDomain, bucket: address.bucket)
    guard target.bucket?.isEmpty != true else {
      throw VerificationError.unreadable("The bucket in the path is empty.").with(serviceCode: "InvalidBucketName")
    }
    return target
  }

  /// Returns whether a URL contains a Signature Version 4 signature, and rejects other signatures.
  ///
  /// A signature parameter in another letter case is not signed, and a program that ignores case would use it.
  func hasSignature(in target: RequestTarget) throws(VerificationError) -> Bool {
    var isSigned = false
    for parameter in target.parameters {
      let lowered = ByteExactString(parameter.name.string.lowercased())
      guard Self.loweredParameters.contains(lowered) else { continue }
      if parameter.name == "AWSAccessKeyId" || parameter.name == "Signature" { throw S3Authorization.version2 }
      guard Self.exactParameters.contains(parameter.name) else {
        if lowered == "x-amz-region-set" { throw S3Authorization.declined("Signature Version 4A is not supported.") }
        if lowered == "x-amz-s3session-token" {
          throw S3Authorization.declined("S3 Express sessions are not supported.")
        }
        throw S3Authorization.malformed(
          "The parameter \"\(parameter.name.string.onOneLine)\" is not in the case that S3 gives its name.",
          as: Self.queryCode)
      }
      isSigned = true
    }
    return isSigned
  }

  private static let queryCode = "AuthorizationQueryParametersError"

  private func headerClaim(_ request: HTTPRequest, _ target: RequestTarget) throws(VerificationError) -> S3Claim {
    let fields = request.headerFields
    let authorization = try S3Authorization(fields.uniqueValue(for: .authorization) ?? "")
    guard let date = try S3Claim.date(of: request) else {
      throw VerificationError(
        .missingDate, "AWS authentication requires a valid Date or x-amz-date header.",
        remedy: "Send the time of signing in x-amz-date, like 20261120T080000Z."
      ).with(serviceCode: "AccessDenied")
    }
    guard let text = try fields.uniqueValue(for: .s3ContentSHA256) else {
      throw VerificationError(
        .malformed, "Missing required header for this request: x-amz-content-sha256",
        remedy: "Send the hash of the body, or UNSIGNED-PAYLOAD."
      ).with(serviceCode: "InvalidRequest")
    }
    return S3Claim(
      accessKeyID: authorization.accessKeyID,
      sessionToken: try fields.uniqueValue(for: .s3SecurityToken).map { Secret($0) }, placement: .header,
      payload: try payload(text), request: request, authorization: authorization, date: date, lifetime: nil,
      target: target, verifier: self)
  }

  private func payload(_ text: String) throws(VerificationError) -> S3Payload {
    guard let payload = S3Payload(header: text) else {
      if text.hasBytePrefix("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD") {
        throw S3Authorization.declined("Signature Version 4A is not supported.")
      }
      throw VerificationError(
        .unsupported,
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
          + "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
        remedy: "Send the hash of the body, or UNSIGNED-PAYLOAD."
      ).with(serviceCode: "InvalidArgument")
    }
    guard allowsUnsignedPayload || payload != .unsigned && payload != .unsignedChunksWithTrailer else {
      throw VerificationError(
        .unsupported, "The signature must cover the body.", remedy: "Send the hash of the body, or signed chunks."
      ).with(serviceCode: "InvalidRequest")
    }
    return payload
  }

  private func urlClaim(_ request: HTTPRequest, _ target: RequestTarget) throws(VerificationError) -> S3Claim {
    guard let algorithm = try target.uniqueValue(for: "X-Amz-Algorithm"),
      let credential = try target.uniqueValue(for: "X-Amz-Credential"),
      let signature = try target.uniqueValue(for: "X-Amz-Signature"),
      let dateText = try target.uniqueValue(for: "X-Amz-Date"),
      let names = try target.uniqueValue(for: "X-Amz-SignedHeaders"),
      let expires = try target.uniqueValue(for: "X-Amz-Expires")
    else {
      throw S3Authorization.malformed(
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
          + "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.", as: Self.queryCode)
    }
    guard algorithm.isIdentical(to: S3Text.algorithm.description) else {
      throw S3Authorization.unsupported(algorithm)
    }
    let authorization = try S3Authorization(
      credential: credential[...], signedHeaders: names[...], signature: signature[...], as: Self.queryCode)
    guard let date = Timestamp(iso8601Basic: dateText) else {
      throw S3Authorization.malformed(
        "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", as: Self.queryCode)
    }
    let token = try target.uniqueValue(for: "X-Amz-Security-Token").map { Secret($0) }
    if request.headerFields.contains(.s3SecurityToken) {
      throw VerificationError.ambiguous("The signature is in the URL and a session token in the headers.")
        .with(serviceCode: "InvalidArgument")
    }
    try checkPayload(besideURL: request, target)
    try checkBody(besideURL: request)
    return S3Claim(
      accessKeyID: authorization.accessKeyID, sessionToken: token, placement: .query, payload: .unsigned,
      request: request, authorization: authorization, date: date, lifetime: try lifetime(expires), target: target,
      verifier: self)
  }

  private func lifetime(_ text: String) throws(VerificationError) -> Int64 {
    let isNegative = text.hasBytePrefix("-")
    guard !text.isEmpty, Int64(digits: isNegative ? text.dropFirst() : text[...]) != nil || text.isLongNumber else {
      throw S3Authorization.malformed("X-Amz-Expires should be a number", as: Self.queryCode)
    }
    if isNegative { throw S3Authorization.malformed("X-Amz-Expires must be non-negative", as: Self.queryCode) }
    guard let seconds = Int64(digits: text), S3Limits.urlSeconds.contains(seconds) else {
      throw S3Authorization.malformed(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 "
          + "seconds, and at least 1", as: Self.queryCode)
    }
    return seconds
  }

  /// Rejects an unsigned `x-amz-content-sha256` other than `UNSIGNED-PAYLOAD` in a request with a presigned URL.
  private func checkPayload(besideURL request: HTTPRequest, _ target: RequestTarget) throws(VerificationError) {
    let stated = target.parameters.filter { $0.name.asciiLowercased == "x-amz-content-sha256" }
      .map { $0.value?.string ?? "" }
    let header = try request.headerFields.uniqueValue(for: .s3ContentSHA256)
    guard stated.allSatisfy({ $0 == S3Payload.unsigned.text }),
      header.map({ $0 == S3Payload.unsigned.text || $0.isLowerHex(byteCount: SHA256.digestByteCount) }) ?? true
    else {
      throw VerificationError(
        .unsupported, "The body of a request with a signed URL is UNSIGNED-PAYLOAD.",
        remedy: "Sign in the headers to cover the body, or to send it in chunks."
      ).with(serviceCode: "InvalidArgument")
    }
  }

  /// Rejects a request with a presigned URL that has a body, or a method with one, if the signature must cover the body.
  private func checkBody(besideURL request: HTTPRequest) throws(VerificationError) {
    guard !allowsUnsignedPayload else { return }
    let isBodiless = [.get, .head, .delete, .options].contains(request.method)
    let lengths = request.headerFields[values: .contentLength]
    guard isBodiless, lengths.allSatisfy({ $0.isIdentical(to: "0") }),
      !request.headerFields.contains(.transferEncoding)
    else { throw Self.uncoveredBody }
  }

  /// A decoder that refuses all bytes, for requests whose signature covers no body.
  struct EmptyBody: BodyDecoder {
    func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8] {
      guard bytes.isEmpty else { throw uncoveredBody }
      return bytes
    }

    func finish() {}
  }

  private static let uncoveredBody = VerificationError(
    .unsupported, "The signature must cover the body, which that of a URL does not.",
    remedy: "Sign the hash of the body, or signed chunks, in the headers."
  ).with(serviceCode: "InvalidRequest")

  /// Rejects signed headers that are absent, unsigned ones with an effect, and those that contradict the body's format.
  func checkHeaders(of claim: S3Claim, in request: HTTPRequest) throws(VerificationError) {
    let signed = claim.authorization.signedHeaders
    let present = Set(request.headerFields.map(\.name.canonicalName))
    for name in signed where name != "host" && !present.contains(name) {
      throw VerificationError(
        .malformed, "The signed header \(name.onOneLine) is not in the request.",
        remedy: "Send every header that is signed."
      ).with(serviceCode: "SignatureDoesNotMatch")
    }
    let unsigned = present.filter { name in
      name.hasBytePrefix("x-amz-") && name != "x-amz-content-sha256" && !signed.containsSorted(name)
    }
    guard unsigned.isEmpty else {
      throw VerificationError(
        .unsignedField,
        "There were headers present in the request which were not signed: \(unsigned.sorted().joined(separator: ", "))",
        remedy: "Sign every x-amz- header, or leave it out."
      ).with(serviceCode: "AccessDenied")
    }
    if claim.payload.isChunked { _ = try S3Framing(of: request, as: claim.payload) }
  }

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

  /// Rejects a scope for another region or service, or for another day than the given date.
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
    guard authorization.day.isIdentical(to: String(writing: { $0.append(compactDate: date) })) else {
      throw VerificationError.wrongScope(
        .day, "Invalid credential date. Date is not the same as X-Amz-Date.",
        remedy: "Use the day of X-Amz-Date, in UTC."
      ).with(serviceCode: code)
    }
  }

  /// Rejects a request whose signing time is too far in the past or in the future.
  func checkSkew(_ signedAt: Timestamp, at now: Timestamp) throws(VerificationError) {
    let distance = signedAt.duration(to: now)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw VerificationError(
        .clockSkew, "The difference between the request time and the current time is too large.",
        remedy: "Set the clock; the service accepts fifteen minutes."
      ).with(instant: signedAt).with(serviceCode: "RequestTimeTooSkewed")
    }
  }

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

extension String {
  /// Whether the string consists of digits and is too long for an `Int`.
  fileprivate var isLongNumber: Bool {
    utf8.count > 18 && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
