public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Checks the signatures of requests to OSS, V1 and V4, in headers and in URLs.
///
/// ```swift
/// let proof = try await OSSVerifier(region: "cn-hangzhou").verify(request, at: .now, keys: accounts.key(for:))
/// ```
///
/// Refused before any work: more than ``limits`` allow, an authorization in two places, a parameter that is signed and
/// repeated. Refused before the signature is computed: a wrong token, region, product or date, and a time outside the
/// window. Every `x-oss-` header and parameter is signed by the scheme itself.
public struct OSSVerifier: SignatureVerifier {
  /// The region that V4 signatures have to name; nothing for any.
  public let region: String?

  /// The product that V4 signatures have to name.
  public let product: String

  /// Where the bucket's name is; nothing if the host decides.
  public let style: AddressingStyle?

  /// The bucket of a custom domain.
  public let bucket: String?

  /// What is looked at at all.
  public let limits: VerificationLimits

  /// Whether `x-oss-content-sha256` may hold the hash of the body; whoever sets it has to check the body.
  private(set) var acceptsPayloadHashes = false

  /// A copy that accepts the hash of the body in `x-oss-content-sha256`, for a caller that checks the body against it.
  package var acceptingPayloadHashes: OSSVerifier {
    var copy = self
    copy.acceptsPayloadHashes = true
    return copy
  }

  /// How far the time of signing may be from the present: fifteen minutes, as at the service.
  public static let clockTolerance = Duration.seconds(900)

  /// Sets up a verifier.
  ///
  /// - Parameters:
  ///   - region: The region that V4 signatures have to name; nothing for any.
  ///   - product: The product that V4 signatures have to name.
  ///   - style: Where the bucket's name is; if not given, in the path for an IP address or `localhost`, else the first
  ///     label of the host.
  ///   - bucket: The bucket, for a custom domain.
  ///   - limits: What is looked at at all.
  public init(
    region: String? = nil, product: String = "oss", style: AddressingStyle? = nil, bucket: String? = nil,
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.region = region
    self.product = product
    self.style = style
    self.bucket = bucket
    self.limits = limits
  }

  /// Proves a claim.
  public func verify(
    _ claim: OSSClaim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try claim.checkToken(against: key, at: date)
    var claim = claim
    // What is proved is read from the request that is verified, whatever the claim was read from.
    claim.target = try RequestTarget(of: request, style: style, bucket: bucket)
    do {
      switch claim.scheme {
      case .v1(let scheme): return try verify(claim, scheme, of: request, against: key, at: date)
      case .v4(let scheme): return try verify(claim, scheme, of: request, against: key, at: date)
      }
    } catch let error as SigningError {
      throw VerificationError(error).with(accessKeyID: claim.accessKeyID)
    } catch let error as VerificationError {
      throw error.with(accessKeyID: claim.accessKeyID)
    } catch {
      throw .malformed("The request cannot be read.")
    }
  }

  private func verify(
    _ claim: OSSClaim, _ scheme: OSSClaim.V1, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws -> VerifiedRequest {
    var expiration: Timestamp?
    if claim.placement == .header {
      try checkSkew(scheme.instant, at: date)
    } else {
      guard date <= scheme.instant else { throw Self.expired(scheme.instant) }
      expiration = scheme.instant
    }
    let text = OSSV1String(resource: resource(of: request), subresources: OSSSubresources())
    let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
    let expected = try text.with(request, date: scheme.line) { signingKey.authenticationCode(writing: $0).base64 }
    guard constantTimeEqual(expected, claim.signature) else {
      throw try mismatch(of: claim, request, with: key)
    }
    return proof(of: claim, request, key, expiration: expiration)
  }

  private func verify(
    _ claim: OSSClaim, _ scheme: OSSClaim.V4, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws -> VerifiedRequest {
    try check(scheme)
    var expiration: Timestamp?
    if let lifetime = scheme.lifetime {
      expiration = try checkWindow(scheme.date, lifetime: lifetime, isTemporary: key.sessionToken != nil, at: date)
    } else {
      try checkSkew(scheme.date, at: date)
    }
    let canonical = OSSV4Request(resource: resource(of: request), additional: scheme.additionalHeaders)
    let omitted: StaticString? = claim.placement == .query ? "x-oss-signature" : nil
    let hash = try canonical.with(request, omitting: omitted) { SHA256.hash(writing: $0) }
    let scope = OSSV4Scope(date: scheme.date, region: scheme.region, product: scheme.product)
    let expected = scope.signingKey(of: key)
      .authenticationCode { scope.append(stringToSign: hash, date: scheme.date, to: &$0) }.hex
    guard constantTimeEqual(expected, claim.signature) else {
      throw try mismatch(of: claim, request, with: key)
    }
    return proof(of: claim, request, key, expiration: expiration)
  }

  private func mismatch(
    of claim: OSSClaim, _ request: HTTPRequest, with key: AccessKey
  ) throws(SigningError) -> VerificationError {
    try claim.mismatch(claim.signature, with: key) { () throws(SigningError) in try texts(of: claim, in: request) }
  }

  func resource(of request: HTTPRequest) -> OSSResource {
    let authority = request.authority ?? ""
    switch style ?? AddressingStyle(authority: authority) {
    case .path: return .inPath
    case .virtualHosted: return bucketLabel(of: authority).map { .bucket($0) } ?? .service
    case .customDomain: return .bucket(bucket ?? hostWithoutPort(authority))
    }
  }
}
