// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to Alibaba Cloud OSS, in the headers or in presigned URLs.
///
/// ```swift
/// let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// The signature covers the bucket name even if the URL does not contain it, so a custom domain requires `bucket`. The
/// path and the query are signed as the service reads them, and never changed; presigning appends parameters. A signer
/// also prepares strings to sign for a key holder, and completes the requests with the key holder's signatures.
///
/// Sources: Alibaba Cloud, for V4
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4> and
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls>; for V1
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header> and
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/ddd-signatures-to-urls>. Where these pages are silent,
/// the signer follows the vendor's SDKs; see `Sources/Providers/OSSAuth/OSSAuth.docc/OSS.md`.
public struct OSSSigner: HeaderSigner, TwoStepSigner, Presigner {
  /// The version of the OSS signatures.
  public let version: OSSSignatureVersion
  /// The bucket name, or `nil` if the path or the host in `aliyuncs.com` of each request contains the bucket name.
  public let bucket: String?
  /// The region ID without the prefix `oss-`, such as `cn-hangzhou`; V1 does not need a region.
  public let region: String
  /// The product in the V4 scope: `oss`, or `oss-cloudbox` with the ID of a cloud box as the region.
  public let product: String
  /// The position of the bucket name in the URL; `nil` means the path for an IP address or `localhost`, else the host.
  public let style: AddressingStyle?

  /// Whether the signer signs ambiguous V1 URLs and forms.
  ///
  /// A V1 URL or form with a question mark in its key or a parameter is also valid for another key and parameters.
  public let allowsAmbiguousV1: Bool

  let additionalHeaders: [String]
  let subresources: OSSSubresources
  private let configurationError: SigningError?

  /// Creates a signer of requests to OSS.
  ///
  /// The initializer does not throw. Every method that signs throws the error of an invalid configuration.
  ///
  /// `additionalHeaders` are the names of headers, such as `host`, that V4 signs besides its own if a request contains
  /// them. `additionalSubresources` are the names of query parameters that V1 signs, but that are newer than this
  /// package. The other parameters are the properties.
  public init(
    _ version: OSSSignatureVersion = .v4, bucket: String? = nil, region: String = "", product: String = "oss",
    style: AddressingStyle? = nil, additionalHeaders: Set<String> = [], additionalSubresources: Set<String> = [],
    allowsAmbiguousV1: Bool = false
  ) {
    self.version = version
    self.bucket = bucket
    self.region = region
    self.product = product
    self.style = style
    self.allowsAmbiguousV1 = allowsAmbiguousV1
    self.additionalHeaders = Set(additionalHeaders.map { $0.asciiLowercased })
      .filter { !OSSV4Request.isSignedByRule($0) }.sorted()
    subresources = OSSSubresources(adding: additionalSubresources)
    configurationError = Self.configurationError(
      version: version, bucket: bucket, region: region, product: product, style: style)
  }

  /// Signs a request by adding the signature to its headers.
  ///
  /// V4 sets `x-oss-date`, `x-oss-content-sha256` (`UNSIGNED-PAYLOAD`) and `Authorization`. V1 sets `Authorization`
  /// and, unless the request contains `x-oss-date`, `Date`. Both set `x-oss-security-token` for a temporary key.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    let keyAtTime = try checkedKey(key, at: context.date)
    request.headerFields = try signedFields(of: request, additions: .joined, with: keyAtTime).fields
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in their order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    return try signedFields(of: request, additions: .apart, with: checkedKey(key, at: context.date)).authorization()
  }

  /// Creates a signer of requests with one access key at one time.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var keyAtTime = try checkedKey(key, at: context.date)
    if case .v4(let scope, _) = keyAtTime.time { keyAtTime.startedKey = scope.startedSigningKey(of: key) }
    return PreparedSigner(date: context.date) { [keyAtTime] request, additions throws(SigningError) in
      try signedFields(of: request, additions: additions, with: keyAtTime)
    }
  }

  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(_:as:in:)`, which also describes the parameters.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    let token = identity.tokenField(named: .ossSecurityToken)
    let draft = try headerDraft(of: request, token: token, time: signingTime(at: context.date))
    return try pendingSignature(of: draft, for: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(presigning:as:validFor:in:)`, which also describes the parameters.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    let draft = try urlDraft(of: request, as: identity, validFor: duration, date: context.date)
    return try pendingSignature(of: draft, for: request, as: identity)
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let text = pending.bare(signature)
    let isV1 = [UInt8](base64: text)?.count == SHA1.digestByteCount
    let isV4 = text.isLowerHex(byteCount: SHA256.digestByteCount)
    guard version == .v1 ? isV1 : isV4 else {
      if isV1 {
        throw SigningError(
          .invalidSignature, "The signature has the form of OSS V1, and the request is signed with V4.",
          remedy: "Create the client with signature: .v1, or let the server compute a V4 signature.")
      }
      throw SigningError(
        .invalidSignature,
        "The signature has another form than OSS \(version.rawValue.asciiUppercased), or another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    return pending.request(with: text, urlSuffix: signatureParameter.description + text.percentEncoded())
  }

  @inline(__always)
  private func checkedKey(_ key: AccessKey, at date: Timestamp) throws(SigningError) -> OSSKeyAtTime {
    try key.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    return OSSKeyAtTime(key: key, tokenField: key.tokenField(named: .ossSecurityToken), time: signingTime(at: date))
  }

  @inline(__always)
  private func signingTime(at date: Timestamp) -> OSSSigningTime {
    switch version {
    case .v1: return .v1(date: String(writing: { $0.append(httpDate: date) }))
    case .v4:
      let scope = OSSV4Scope(date: date, region: region, product: product)
      return .v4(scope, date: String(writing: { $0.append(scope.time) }))
    }
  }

  /// Returns the fields of a request with those of its signature, which the draft can keep apart.
  private func signedFields(
    of request: HTTPRequest, additions: FieldDraft.Additions, with keyAtTime: OSSKeyAtTime
  ) throws(SigningError) -> FieldDraft {
    var draft = try headerDraft(of: request, additions: additions, token: keyAtTime.tokenField, time: keyAtTime.time)
    let signature = try computeSignature(
      of: draft, for: request, with: keyAtTime.key, startedKey: keyAtTime.startedKey)
    let authorization = String(writing: { writer in
      append(authorizationPrefixOf: draft, for: request, id: keyAtTime.key.id, to: &writer)
      if version == .v1 { writer.append(base64: signature) } else { writer.append(hex: signature) }
    })
    draft.fields.set(authorization, named: .authorization)
    return draft.fields
  }

  /// Returns the draft of a signature in the headers, with all of its fields except `Authorization`.
  private func headerDraft(
    of request: HTTPRequest, additions: FieldDraft.Additions = .joined, token: HTTPField?, time: OSSSigningTime
  ) throws(SigningError) -> OSSDraft {
    let path = request.path ?? "/"
    let resource = try resource(authority: request.authority, path: path)
    var fields = FieldDraft(request.headerFields, adding: 4, additions)
    let scheme: OSSDraft.Scheme
    switch time {
    case .v4(let scope, let date):
      fields.set(date, named: .ossDate)
      fields.set(OSSText.unsignedPayloadField)
      scheme = .v4(scope)
    case .v1(let date): scheme = .v1(.header(try setV1Date(of: &fields, to: date)))
    }
    fields.set(token, named: .ossSecurityToken)
    return OSSDraft(
      fields: fields, path: path, resource: resource, scheme: scheme, expiration: nil,
      refusedParameters: RefusedParameters(Self.signatureParameters))
  }

  static let signatureParameters = NameTable([
    "Signature", "OSSAccessKeyId", "Expires", "x-oss-signature", "x-oss-credential", "x-oss-signature-version",
  ])

  /// Computes a signature; a started key has already hashed the V4 string to sign up to the hash at its end.
  func computeSignature(
    of draft: borrowing OSSDraft, for request: HTTPRequest, with key: AccessKey, startedKey: HMACKey<SHA256>? = nil
  ) throws(SigningError) -> Digest {
    switch draft.scheme {
    case .v1(let dateLine):
      let signingKey = Self.v1SigningKey(of: key)
      return try withV1String(of: draft, for: request, dateLine) { signingKey.authenticationCode(writing: $0) }
    case .v4(let scope):
      let hash = try withV4Request(of: draft, for: request) { SHA256.hash(writing: $0) }
      return startedKey?.authenticationCode { $0.append(hex: hash) }
        ?? scope.signingKey(of: key).authenticationCode { scope.append(stringToSign: hash, to: &$0) }
    }
  }

  /// Appends the value of `Authorization` up to the signature.
  private func append(
    authorizationPrefixOf draft: borrowing OSSDraft, for request: HTTPRequest, id: AccessKeyID,
    to writer: inout ByteWriter
  ) {
    switch draft.scheme {
    case .v1:
      writer.append("OSS ")
      writer.append(id.string)
      writer.append(UInt8(ascii: ":"))
    case .v4(let scope): append(v4AuthorizationPrefixOf: draft, in: scope, for: request, id: id, to: &writer)
    }
  }

  private func pendingSignature(
    of draft: borrowing OSSDraft, for request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let texts: SignedTexts
    switch draft.scheme {
    case .v1(let dateLine):
      texts = SignedTexts(
        stringToSign: try withV1String(of: draft, for: request, dateLine) { String(writing: $0) },
        canonicalRequest: nil)
    case .v4(let scope):
      texts = try withV4Request(of: draft, for: request) { appendText in
        let hash = SHA256.hash(writing: appendText)
        return SignedTexts(
          stringToSign: String(writing: { scope.append(stringToSign: hash, to: &$0) }),
          canonicalRequest: String(writing: appendText))
      }
    }
    let urlPath =
      draft.isPresigned ? String(writing: { append(urlPathOf: draft, for: request, as: identity, to: &$0) }) : nil
    return PendingSignature(
      version == .v1 ? .ossV1 : .ossV4, of: request, fields: draft.fields.fields, path: urlPath, as: identity,
      until: draft.expiration, texts: texts, signedHeaders: signedHeaders(of: draft.fields.fields),
      prefix: String(writing: { append(authorizationPrefixOf: draft, for: request, id: identity.id, to: &$0) }))
  }

  /// Returns the source of the bucket name in the resource that the signature of a request covers.
  func resource(authority: String?, path: String) throws(SigningError) -> OSSResource {
    guard let authority else { throw Self.noHost }
    return try withBytes(of: authority) { (bytes) throws(SigningError) in
      let host = HostName(bytes)
      guard host.isWellFormed else { throw Self.noHost }
      switch style ?? (host.isAddressOrLocalhost ? .path : .virtualHosted) {
      case .path:
        try requireBucket(inPath: path)
        return .inPath
      case .virtualHosted: return try virtualHostedResource(of: host, in: bytes, authority: authority)
      case .customDomain:
        guard let bucket else { throw Self.missingBucket(authority) }
        return .bucket(bucket)
      }
    }
  }

  /// Returns the resource of a request whose host contains the bucket name, is the service, or is a custom domain.
  @inline(__always)
  private func virtualHostedResource(
    of host: HostName, in bytes: Span<UInt8>, authority: String
  ) throws(SigningError) -> OSSResource {
    let bucketEnd = ServiceHosts.oss.bucketEnd(of: host, in: bytes)
    guard let bucket else {
      guard let bucketEnd else { return .service }
      guard ServiceHosts.oss.owns(host, in: bytes) else { throw Self.missingBucket(authority) }
      return .bucket(String(writing: { $0.append(bytes.extracting(..<bucketEnd)) }))
    }
    if let bucketEnd, !HostName.equalsIgnoringCase(bytes.extracting(..<bucketEnd), lowercase: bucket),
      ServiceHosts.oss.owns(host, in: bytes)
    {
      throw SigningError(
        .invalidRequest, "The host is not that of the bucket \"\(bucket)\".",
        remedy: "Start the host with the bucket, or pass the bucket of the host to the signer.")
    }
    // Without a style, any other host is a custom domain, whatever its first label.
    let isService = bucketEnd == nil && (style != nil || ServiceHosts.oss.owns(host, in: bytes))
    return isService ? .service : .bucket(bucket)
  }

  /// Rejects a path that starts with another bucket name; the path of the service starts with none.
  private func requireBucket(inPath path: String) throws(SigningError) {
    guard let bucket else { return }
    let pathWithoutSlash = path[path.utf8.dropFirst().startIndex...]
    if pathWithoutSlash.isEmpty || pathWithoutSlash.beginsWithByte("?") { return }
    let remainder = pathWithoutSlash.removingBytePrefix(bucket)
    guard let remainder, remainder.utf8.first.map({ "/?".utf8.contains($0) }) ?? true else {
      throw SigningError(
        .invalidRequest,
        "The path does not start with the bucket \"\(bucket)\", and in this addressing style the host does not contain it.",
        remedy: "Start the path with /\(bucket)/, or set the addressing style.")
    }
  }

  private static let noHost = SigningError.noHost(example: "photos.oss-cn-hangzhou.aliyuncs.com")

  private static func missingBucket(_ host: String) -> SigningError {
    SigningError(
      .invalidConfiguration, "The signature requires the bucket, which the signer does not read from the host \(host).",
      remedy: "Pass the bucket to the signer.")
  }

  static func v1SigningKey(of key: AccessKey) -> HMACKey<SHA1> { key.signingKey(for: KeyScope()) { HMACKey($0) } }

  private static func configurationError(
    version: OSSSignatureVersion, bucket: String?, region: String, product: String, style: AddressingStyle?
  ) -> SigningError? {
    // A custom domain can stand for the bucket that it belongs to.
    if let bucket, !bucket.isScopePart(), style != .customDomain || !isHost(bucket) {
      return SigningError(
        .invalidConfiguration, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use the name as the console shows it.")
    }
    guard version == .v4 else { return nil }
    if let error = OSSRegion.error(for: region) { return error }
    guard product.isScopePart() else {
      return SigningError(
        .invalidConfiguration, "\"\(product)\" is not a product.", remedy: "Use oss, or oss-cloudbox for a cloud box.")
    }
    return nil
  }

  func checkConfiguration() throws(SigningError) { if let configurationError { throw configurationError } }
}

/// A version of the OSS signature.
public enum OSSSignatureVersion: String, Sendable, Hashable, CaseIterable {
  /// HMAC-SHA-256 with a key that is derived for a day, a region and a product; the recommended version.
  case v4
  /// HMAC-SHA-1, which OSS rejects for accounts and buckets created since 2025, and supports for older ones.
  case v1
}

/// The values of a signing time: an HTTP date for V1; for V4, the scope and a date in the basic format of ISO 8601.
enum OSSSigningTime {
  case v1(date: String)
  case v4(OSSV4Scope, date: String)
}

/// An access key at one time, with the values that its signatures then have in common.
private struct OSSKeyAtTime {
  let key: AccessKey
  let tokenField: HTTPField?
  let time: OSSSigningTime
  /// The V4 signing key that has hashed the start of the string to sign, or `nil` for V1 and for a single request.
  var startedKey: HMACKey<SHA256>?
}

/// The components of a string to sign for an OSS request, except the method and the authority.
struct OSSDraft: ~Copyable {
  /// The header fields of the request, complete except for the signature.
  var fields: FieldDraft
  /// The path to sign, including the query parameters that a signature in the URL covers.
  let path: String
  let resource: OSSResource
  let scheme: Scheme
  /// The expiration of a presigned URL, or `nil` for a signature in the headers.
  let expiration: Timestamp?
  /// The query parameters of signatures, which a request must not contain before it is signed.
  let refusedParameters: RefusedParameters

  enum Scheme {
    case v1(OSSV1String.DateLine)
    case v4(OSSV4Scope)
  }

  var isPresigned: Bool { expiration != nil }
}
