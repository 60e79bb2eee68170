public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Checks the signatures of requests to OSS, V1 and V4, in headers and in URLs.
///
/// ```swift
/// let proof = try await OSSVerifier(region: "cn-hangzhou").verify(request, at: .now, keys: accounts.key(for:))
/// ```
///
/// Refused before any work: more than ``limits`` allow, a version that is not among ``acceptedVersions``, an authorization
/// in two places, a parameter that is signed and repeated. Refused before the signature is computed: a wrong token,
/// region, product or date, a time outside the window, and a V1 request whose string is that of another one. Refused
/// although the signature is right: a URL that lasts for longer than ``limits`` allow. Every `x-oss-` header and parameter is signed by the scheme itself.
///
/// A V1 signature covers the bucket, the key and the parameters that OSS calls sub-resources; every other parameter can
/// be added, changed or removed by the one who sends the request. A V4 signature covers all of them.
public struct OSSVerifier: SignatureVerifier {
  /// The region that V4 signatures have to name; nothing for any.
  public let region: String?

  /// The product that V4 signatures have to name.
  public let product: String

  /// Where the bucket's name is; nothing if the host decides.
  public let style: AddressingStyle?

  /// The bucket of a custom domain.
  public let bucket: String?

  /// The versions that are accepted.
  public let acceptedVersions: Set<OSSSignatureVersion>

  /// Whether V1 requests are accepted whose string to sign is that of another request, as the service accepts them: with
  /// a question mark in the key, or with `?`, `&` or `=` in a signed parameter where another part would begin.
  public let acceptsAmbiguousV1: Bool

  /// How large a request may be, and how long a URL may last.
  public let limits: VerificationLimits

  /// Whether `x-oss-content-sha256` may hold the hash of the body; whoever sets it has to check the body.
  private(set) var acceptsPayloadHashes = false

  /// A copy that accepts the hash of the body in `x-oss-content-sha256`, for a caller that checks the body against it.
  public var acceptingPayloadHashes: OSSVerifier {
    var copy = self
    copy.acceptsPayloadHashes = true
    return copy
  }

  /// The largest distance between the time of signing and the present: fifteen minutes, as at the service.
  public static let clockTolerance = OSSLimits.clockTolerance

  /// Sets up a verifier.
  ///
  /// - Parameters:
  ///   - region: The region that V4 signatures have to name; nothing for any.
  ///   - product: The product that V4 signatures have to name.
  ///   - style: Where the bucket's name is; if not given, in the path for an IP address or `localhost`, else the first
  ///     label of the host.
  ///   - bucket: The bucket, for a custom domain.
  ///   - acceptedVersions: The versions that are accepted; `[.v4]` where no client is older.
  ///   - acceptsAmbiguousV1: Whether V1 requests are accepted whose string to sign is that of another request.
  ///   - limits: How large a request may be, and how long a URL may last.
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

  /// Proves a claim.
  public func verify(
    _ claim: OSSClaim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try check(claim.version)
    try claim.checkToken(against: key, at: date)
    var claim = claim
    // What is proved is read from the request that is verified, whatever the claim was read from.
    claim.target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .oss)
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
    if !acceptsAmbiguousV1, let problem = text.ambiguity(of: request.path ?? "/") {
      throw VerificationError(.ambiguous, problem.message, remedy: problem.remedy)
    }
    let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
    let expected = try text.with(request, date: scheme.line) { signingKey.authenticationCode(writing: $0).base64 }
    guard constantTimeEqual(expected, claim.signature) else {
      throw try mismatch(of: claim, request, with: key)
    }
    if let expiration { try limits.checkLifetime(from: date, until: expiration, at: date, in: .query) }
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
    let signingKey = scope.signingKey(of: key)
    for line in scheme.dateLines {
      let expected = signingKey.authenticationCode { writer in
        scope.append(stringToSign: hash, dateLine: { $0.append(line) }, to: &writer)
      }
      guard constantTimeEqual(expected.hex, claim.signature) else { continue }
      if let expiration { try limits.checkLifetime(from: scheme.date, until: expiration, at: date, in: .query) }
      return proof(of: claim, request, key, expiration: expiration)
    }
    throw try mismatch(of: claim, request, with: key)
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
    case .virtualHosted: return ServiceHosts.oss.bucket(in: authority).map { .bucket($0) } ?? .service
    case .customDomain: return .bucket(bucket ?? hostWithoutPort(authority))
    }
  }
}
