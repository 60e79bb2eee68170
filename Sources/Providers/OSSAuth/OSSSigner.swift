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
  /// The bucket name, or `nil` if the URL of each request contains the bucket name.
  public let bucket: String?
  /// The region ID without the prefix `oss-`, such as `cn-hangzhou`.
  public let region: String
  /// The product in the V4 scope: `oss`, or `oss-cloudbox` with the ID of a cloud box as the region.
  public let product: String
  /// The position of the bucket name in the URL, or `nil` if the host determines the position.
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
  /// - Parameters:
  ///   - version: The version of the OSS signatures.
  ///   - bucket: The bucket name, or `nil` if the path or the host in `aliyuncs.com` contains the bucket name.
  ///   - region: The region ID without the prefix `oss-`, such as `cn-hangzhou`. V1 does not need a region.
  ///   - product: The product in the V4 scope.
  ///   - style: The position of the bucket name; `nil` means the path for an IP address or `localhost`, else the host.
  ///   - additionalHeaders: The names of additional headers, such as `host`, that V4 signs if a request contains them.
  ///   - additionalSubresources: The names of query parameters that V1 signs, but that are newer than this package.
  ///   - allowsAmbiguousV1: Whether to sign V1 URLs and forms for keys, and V1 URLs with parameters, with a `?`.
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
      case .virtualHosted:
        let bucketEnd = ServiceHosts.oss.bucketEnd(of: host, in: bytes)
        if let bucket {
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
        guard let bucketEnd else { return .service }
        guard ServiceHosts.oss.owns(host, in: bytes) else { throw Self.missingBucket(authority) }
        return .bucket(String(writing: { $0.append(bytes.extracting(..<bucketEnd)) }))
      case .customDomain:
        guard let bucket else { throw Self.missingBucket(authority) }
        return .bucket(bucket)
      }
    }
  }

  private static let noHost = SigningError.noHost(example: "photos.oss-cn-hangzhou.aliyuncs.com")

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

  static func v1SigningKey(of key: AccessKey) -> HMACKey<SHA1> { key.signingKey(for: KeyScope()) { HMACKey($0) } }

  private static func missingBucket(_ host: String) -> SigningError {
    SigningError(
      .invalidConfiguration, "The signature requires the bucket, which the signer does not read from the host \(host).",
      remedy: "Pass the bucket to the signer.")
  }

  func draft(
    _ original: HTTPRequest, _ additions: FieldDraft.Additions = .joined, token: HTTPField?, time: OSSSigningTime
  ) throws(SigningError) -> OSSDraft {
    let path = original.path ?? "/"
    let resource = try resource(authority: original.authority, path: path)
    var fields = FieldDraft(original.headerFields, adding: 4, additions)
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

  /// Signs a request by adding the signature to its headers.
  ///
  /// V4 sets `x-oss-date`, `x-oss-content-sha256` (`UNSIGNED-PAYLOAD`) and `Authorization`. V1 sets `Authorization`
  /// and, unless the request contains `x-oss-date`, `Date`. Both set `x-oss-security-token` for a temporary key.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    request.headerFields = try signedFields(of: request, .joined, with: prepared(key, at: context.date)).fields
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in the same order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    return try signedFields(of: request, .apart, with: prepared(key, at: context.date)).authorization()
  }

  /// Creates a signer of requests with one access key at one time.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var prepared = try prepared(key, at: context.date)
    if case .v4(let scope, _) = prepared.time { prepared.startedKey = scope.startedSigningKey(of: key) }
    return PreparedSigner(date: context.date) { [prepared] request, additions throws(SigningError) in
      try signedFields(of: request, additions, with: prepared)
    }
  }

  @inline(__always)
  private func prepared(_ key: AccessKey, at date: Timestamp) throws(SigningError) -> OSSPreparedKey {
    try key.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    return OSSPreparedKey(key, time: signingTime(at: date))
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

  private func signedFields(
    of request: HTTPRequest, _ additions: FieldDraft.Additions, with prepared: OSSPreparedKey
  ) throws(SigningError) -> FieldDraft {
    var draft = try draft(request, additions, token: prepared.tokenField, time: prepared.time)
    let signature = try signature(of: draft, for: request, with: prepared.key, startedKey: prepared.startedKey)
    let authorization = String(writing: { writer in
      append(authorizationPrefixOf: draft, for: request, id: prepared.key.id, to: &writer)
      append(signature, to: &writer)
    })
    draft.fields.set(authorization, named: .authorization)
    return draft.fields
  }

  func signature(
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

  func append(
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

  private func append(_ signature: Digest, to writer: inout ByteWriter) {
    switch version {
    case .v1: writer.append(base64: signature)
    case .v4: writer.append(hex: signature)
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
    let draft = try draft(request, token: token, time: signingTime(at: context.date))
    return try pendingSignature(draft, of: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(presigning:as:validFor:in:)`, which also describes the parameters.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    let draft = try draft(presigning: request, as: identity, validFor: duration, date: context.date)
    return try pendingSignature(draft, of: request, as: identity)
  }

  private func pendingSignature(
    _ draft: borrowing OSSDraft, of request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let texts: SignedTexts
    switch draft.scheme {
    case .v1(let dateLine):
      texts = SignedTexts(
        stringToSign: try withV1String(of: draft, for: request, dateLine) { String(writing: $0) },
        canonicalRequest: nil)
    case .v4(let scope):
      let (text, hash) = try withV4Request(of: draft, for: request) { (String(writing: $0), SHA256.hash(writing: $0)) }
      texts = SignedTexts(
        stringToSign: String(writing: { scope.append(stringToSign: hash, to: &$0) }), canonicalRequest: text)
    }
    let urlPath =
      draft.isPresigned ? String(writing: { append(urlPathOf: draft, for: request, as: identity, to: &$0) }) : nil
    return PendingSignature(
      version == .v1 ? .ossV1 : .ossV4, of: request, fields: draft.fields.fields, path: urlPath, as: identity,
      until: draft.expiration, texts: texts, signedHeaders: signedHeaders(of: draft.fields.fields),
      prefix: String(writing: { append(authorizationPrefixOf: draft, for: request, id: identity.id, to: &$0) }))
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = pending.bare(signature)
    let isV1 = [UInt8](base64: bare)?.count == SHA1.digestByteCount
    guard version == .v1 ? isV1 : bare.isLowerHex(byteCount: SHA256.digestByteCount) else {
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
    return pending.request(with: bare, urlSuffix: signatureParameter.description + bare.percentEncoded())
  }
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

/// An access key with the values that its signatures at one time have in common.
private struct OSSPreparedKey {
  let key: AccessKey
  let tokenField: HTTPField?
  let time: OSSSigningTime
  /// The V4 signing key that has hashed the start of the string to sign, or `nil` for V1 and for a single request.
  var startedKey: HMACKey<SHA256>?

  init(_ key: AccessKey, time: OSSSigningTime) {
    self.key = key
    tokenField = key.tokenField(named: .ossSecurityToken)
    self.time = time
  }
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

  enum Scheme {
    case v1(OSSV1String.DateLine)
    case v4(OSSV4Scope)
  }

  /// The query parameters of signatures, which a request must not contain before it is signed.
  let refusedParameters: RefusedParameters

  var isPresigned: Bool { expiration != nil }
}
