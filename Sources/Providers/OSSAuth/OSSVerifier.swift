// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of V1 and V4 signatures of requests to OSS, in the headers or in URLs.
///
/// ```swift
/// let verified = try await OSSVerifier(region: "cn-hangzhou").verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// The verifier rejects, in this order:
///
/// - Before the key is looked up: a request that exceeds ``limits``, has a version outside of ``acceptedVersions``, or
///   contains two authorizations.
/// - Before the signature is computed: a wrong token, region, product or date, a time outside the allowed window, a
///   repeated signed parameter, and a V1 request whose string to sign is also the string of another request.
/// - After the signature matched: a URL whose lifetime exceeds ``limits``.
///
/// A V1 signature covers the bucket, the key and the parameters that OSS calls sub-resources; the sender can add,
/// change or remove others. A V4 signature covers all parameters. Both cover `x-oss-` headers. ``OSSSigner`` lists the
/// sources.
public struct OSSVerifier: SignatureVerifier, Hashable {
  /// The region that V4 signatures must contain, or `nil` to accept any region.
  public let region: String?
  /// The product that V4 signatures must contain.
  public let product: String
  /// The position of the bucket name in the URL; `nil` means the path for an IP address or `localhost`, else the host.
  public let style: AddressingStyle?
  /// The bucket name for a custom domain, or `nil` if the URL of each request contains the bucket name.
  public let bucket: String?
  /// The signature versions that the verifier accepts: `[.v4]` if no client uses V1.
  public let acceptedVersions: Set<OSSSignatureVersion>

  /// Whether the verifier accepts ambiguous V1 requests, as the service does.
  ///
  /// The string to sign of such a request is also that of another one, because the key contains a question mark, or a
  /// signed parameter contains `?`, `&` or `=` where another part would begin. For example, the key `cat.jpg?acl` has
  /// the string of the key `cat.jpg` with the parameter `acl`.
  public let acceptsAmbiguousV1: Bool

  /// The limits of the request size and of the lifetime of a URL.
  public let limits: VerificationLimits

  /// Whether `x-oss-content-sha256` may contain the hash of the body, which the caller then must compare with the body.
  private(set) var acceptsPayloadHashes = false

  /// A copy that accepts the hash of the body in `x-oss-content-sha256`, with which the caller must compare the body.
  public var acceptingPayloadHashes: OSSVerifier {
    var copy = self
    copy.acceptsPayloadHashes = true
    return copy
  }

  /// The maximum difference between the signing time and the current time: fifteen minutes, as at the service.
  public static let clockTolerance = OSSLimits.clockTolerance

  /// Creates a verifier of requests to OSS; the parameters are the properties.
  public init(
    region: String? = nil, product: String = "oss", style: AddressingStyle? = nil, bucket: String? = nil,
    acceptedVersions: Set<OSSSignatureVersion> = Set(OSSSignatureVersion.allCases), acceptsAmbiguousV1: Bool = false,
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.region = region
    self.product = product
    self.style = style
    self.bucket = bucket
    self.acceptedVersions = acceptedVersions
    self.acceptsAmbiguousV1 = acceptsAmbiguousV1
    self.limits = limits
  }

  /// Verifies the signature that a request claims to have.
  ///
  /// - Throws: The errors of `SignatureVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ claim: OSSClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard claim.verifier == self else { throw .claimOfAnotherVerifier }
    try claim.checkToken(against: key, at: date)
    do {
      switch claim.scheme {
      case .v1(let scheme): return try verifyV1(claim, scheme, against: key, at: date)
      case .v4(let scheme): return try verifyV4(claim, scheme, against: key, at: date)
      }
    } catch let error as SigningError {
      throw VerificationError(error).with(accessKeyID: claim.accessKeyID)
    } catch let error as VerificationError {
      throw error.with(accessKeyID: claim.accessKeyID)
    } catch { throw .malformed("The request cannot be parsed.") }
  }

  /// The prefixes of the headers and parameters that control OSS, all of which OSS signatures cover.
  public var controlPrefixes: [String] { ServiceDescription.oss.controlPrefixes }
  /// The status codes and error codes with which OSS rejects a request, from the page "Error responses".
  public var errorCodes: ServiceErrorCodes { ServiceDescription.oss.errorCodes }
  /// The name of the header that can contain the hash of the body: `x-oss-content-sha256`.
  public var payloadHashHeader: HTTPField.Name? { .ossContentSHA256 }

  /// Returns whether a request contains an OSS authorization, well-formed or not.
  ///
  /// - Throws: The errors of `SignatureVerifier.recognizes(_:)`, which also describes the parameters.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.hasAuthorization(startingWith: "oss") { return true }
    return try RequestTarget(of: request, style: style, bucket: bucket, hosts: .oss)
      .hasParameter(among: Self.authorizationNames)
  }

  /// The lowercase names of query parameters; any of them marks a URL as presigned.
  private static let authorizationNames = NameTable([
    "ossaccesskeyid", "signature", "x-oss-signature", "x-oss-signature-version", "x-oss-credential",
  ])

  private func verifyV1(
    _ claim: OSSClaim, _ scheme: OSSClaim.V1, against key: AccessKey, at now: Timestamp
  ) throws -> VerifiedRequest {
    if claim.placement == .header { try checkSkew(scheme.instant, at: now) }
    let expiration = claim.expiration
    if let expiration, now > expiration { throw Self.expired("URL", at: expiration) }
    let v1String = makeV1String(of: claim)
    if !acceptsAmbiguousV1, let ambiguity = v1String.ambiguity(of: claim.request.path ?? "/") {
      throw VerificationError(.ambiguous, ambiguity.message, remedy: ambiguity.remedy)
    }
    let signingKey = OSSSigner.v1SigningKey(of: key)
    let expected = try withStringToSign(v1String, of: claim, scheme) { signingKey.authenticationCode(writing: $0) }
    guard constantTimeEqual(expected.base64, claim.signature) else { throw try mismatch(of: claim, with: key) }
    // A V1 URL does not contain its signing time, so that only the remaining lifetime can be limited.
    if let expiration { try limits.checkLifetime(from: now, until: expiration, at: now, in: .query) }
    return verified(claim, with: key, expiration: expiration)
  }

  private func verifyV4(
    _ claim: OSSClaim, _ scheme: OSSClaim.V4, against key: AccessKey, at now: Timestamp
  ) throws -> VerifiedRequest {
    try checkScope(of: scheme)
    var expiration: Timestamp?
    if let lifetime = scheme.lifetime {
      expiration = try checkedExpiration(
        of: scheme.date, lifetime: lifetime, isTemporary: key.sessionToken != nil, at: now)
    } else {
      try checkSkew(scheme.date, at: now)
    }
    let hash = try withV4Request(of: claim, scheme) { SHA256.hash(writing: $0) }
    let scope = scheme.scope
    let signingKey = scope.signingKey(of: key)
    // The SDKs and the documentation put different times into the date line; either signature is valid.
    for dateLine in scheme.dateLines {
      let expected = signingKey.authenticationCode { writer in
        scope.append(stringToSign: hash, dateLine: { $0.append(dateLine) }, to: &writer)
      }
      guard constantTimeEqual(expected.hex, claim.signature) else { continue }
      if let expiration { try limits.checkLifetime(from: scheme.date, until: expiration, at: now, in: .query) }
      return verified(claim, with: key, expiration: expiration)
    }
    throw try mismatch(of: claim, with: key)
  }

  /// Returns the string to sign and, for V4, the canonical request, as the service derives them from a request.
  package func signedTexts(of claim: OSSClaim) throws(SigningError) -> SignedTexts {
    switch claim.scheme {
    case .v1(let scheme):
      let text = try withStringToSign(makeV1String(of: claim), of: claim, scheme) { String(writing: $0) }
      return SignedTexts(stringToSign: text, canonicalRequest: nil)
    case .v4(let scheme):
      return try withV4Request(of: claim, scheme) { appendText in
        let hash = SHA256.hash(writing: appendText)
        let stringToSign = String(writing: {
          scheme.scope.append(stringToSign: hash, dateLine: { $0.append(scheme.dateLines[0]) }, to: &$0)
        })
        return SignedTexts(stringToSign: stringToSign, canonicalRequest: String(writing: appendText))
      }
    }
  }

  func checkVersion(_ version: OSSSignatureVersion) throws(VerificationError) {
    guard acceptedVersions.contains(version) else {
      let accepted = acceptedVersions.map { $0.rawValue.asciiUppercased }.sorted().joined(separator: " and ")
      throw VerificationError(
        .unsupported, "A \(version.rawValue.asciiUppercased) signature is not accepted.",
        remedy: accepted.isEmpty ? "Have the verifier accept a version." : "Sign with OSS \(accepted).")
    }
  }

  /// Rejects a scope with another region, product or day.
  func checkScope(of scheme: OSSClaim.V4) throws(VerificationError) {
    guard region.map({ $0 == scheme.region }) ?? (OSSRegion.error(for: scheme.region) == nil) else {
      throw .wrongScope(
        .region, "The signature is for the region \"\(scheme.region)\".",
        remedy: "Sign for the region of the bucket, spelt like cn-hangzhou.")
    }
    guard scheme.product == product else {
      throw .wrongScope(
        .product, "The signature is for the product \"\(scheme.product)\".", remedy: "Sign for the product \(product).")
    }
    guard scheme.day == scheme.date.iso8601Basic.prefix(8) else {
      throw .wrongScope(
        .day, "The day of the scope is not the day of x-oss-date.", remedy: "Use the day of x-oss-date, in UTC.")
    }
  }

  func checkSkew(_ signedAt: Timestamp, at now: Timestamp) throws(VerificationError) {
    let distance = signedAt.duration(to: now)
    guard distance <= OSSLimits.clockTolerance, distance >= .zero - OSSLimits.clockTolerance else {
      throw VerificationError(
        .clockSkew, "The request was signed at \(signedAt) and arrived at \(now).",
        remedy: "Set the clock; the service accepts fifteen minutes."
      ).with(instant: signedAt)
    }
  }

  /// Returns the expiration of a V4 URL, after checking its lifetime and that the URL is valid now.
  private func checkedExpiration(
    of start: Timestamp, lifetime: Int64, isTemporary: Bool, at now: Timestamp
  ) throws(VerificationError) -> Timestamp {
    let lifetimes = OSSLimits.urlLifetimeSeconds(isTemporary: isTemporary)
    guard lifetimes.contains(lifetime) else {
      throw VerificationError(
        .malformed, "The lifetime of the URL is not 1 to \(lifetimes.upperBound) seconds.",
        remedy: "Create a URL that expires earlier.")
    }
    let end = start.advanced(by: .seconds(lifetime))
    guard now <= end else { throw Self.expired("URL", at: end) }
    guard start.advanced(by: .zero - OSSLimits.clockTolerance) <= now else {
      throw VerificationError(
        .notYetValid, "The URL is valid from \(start).", remedy: "Set the clock of the machine that signs."
      ).with(instant: start)
    }
    return end
  }

  static func expired(_ subject: String, at end: Timestamp) -> VerificationError {
    VerificationError(.expired, "The \(subject) expired at \(end).", remedy: "Create a new one.").with(instant: end)
  }

  private func verified(_ claim: OSSClaim, with key: AccessKey, expiration: Timestamp?) -> VerifiedRequest {
    VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: true, target: claim.target,
      signedHeaders: claim.signedHeaders, signature: Secret(claim.signature), expiration: expiration,
      // A V1 URL does not contain its signing time, and is accepted at most `urlLifetime` before its expiration.
      usableFrom: claim.signedAt?.advanced(by: .zero - Self.clockTolerance)
        ?? expiration?.advanced(by: .zero - limits.urlLifetime),
      usableUntil: expiration ?? claim.instant.advanced(by: Self.clockTolerance),
      signsParameter: { claim.signsParameter(named: $0.name) })
  }

  private func mismatch(of claim: OSSClaim, with key: AccessKey) throws(SigningError) -> VerificationError {
    try claim.mismatch(claim.signature, with: key) { () throws(SigningError) in try signedTexts(of: claim) }
  }

  private func makeV1String(of claim: OSSClaim) -> OSSV1String {
    OSSV1String(resource: resource(of: claim), subresources: OSSSubresources())
  }

  private func withStringToSign<Result>(
    _ v1String: OSSV1String, of claim: OSSClaim, _ scheme: OSSClaim.V1, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    let request = claim.request
    return try v1String.withStringToSign(
      request, fields: FieldDraft(request.headerFields), path: request.path ?? "/",
      dateLine: .header(scheme.dateLine), body)
  }

  private func withV4Request<Result>(
    of claim: OSSClaim, _ scheme: OSSClaim.V4, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    let request = claim.request
    let canonicalRequest = OSSV4Request(resource: resource(of: claim), additionalHeaders: scheme.additionalHeaders)
    return try canonicalRequest.withCanonicalRequest(
      request, fields: FieldDraft(request.headerFields), path: request.path ?? "/",
      omitting: claim.placement == .query ? "x-oss-signature" : nil, body)
  }

  private func resource(of claim: OSSClaim) -> OSSResource {
    let authority = claim.request.authority ?? ""
    switch style ?? AddressingStyle(authority: authority) {
    case .path: return .inPath
    case .virtualHosted: return ServiceHosts.oss.bucket(in: authority).map { .bucket($0) } ?? .service
    case .customDomain: return .bucket(bucket ?? hostWithoutPort(authority))
    }
  }
}
