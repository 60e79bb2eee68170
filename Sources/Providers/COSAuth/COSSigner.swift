// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to Tencent Cloud COS that uses the V5 signature, in the headers or in presigned URLs.
///
/// ```swift
/// let signer = COSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// A signature is valid in a window. For an access key with both a start time and an expiration, the window extends
/// from one to the other, so that the device's clock does not matter. Otherwise the window starts at the key's start
/// time or the current time, and ends after ``headerLifetime``, or at the key's expiration if that is earlier. A signer
/// also prepares strings to sign for a key holder, and completes the requests with the key holder's signatures.
///
/// Sources: Tencent Cloud, "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>, and the
/// vendor's SDKs where that page is silent; see `Sources/Providers/COSAuth/COSAuth.docc/COS.md`.
public struct COSSigner: HeaderSigner, TwoStepSigner, Presigner {
  /// The format of the authorization in a presigned URL.
  public enum URLForm: Sendable, Hashable {
    /// Separate query parameters, from `q-sign-algorithm` to `q-signature`; the current format.
    case parameters
    /// A single query parameter `sign` with the percent-encoded authorization; an older format that COS still accepts.
    case sign
  }

  /// The selection of headers that signatures cover.
  public let policy: COSHeaderPolicy
  /// Whether the signer rejects requests that the service's strict mode would reject.
  public let isStrict: Bool
  /// The format of the authorization in presigned URLs.
  public let urlForm: URLForm
  /// The lifetime of a signature in the headers, for a key without a start time or without an expiration.
  public let headerLifetime: Duration
  /// The window of every signature in the headers, or `nil` if the key and the signing time determine it.
  public let keyTime: COSKeyTime?

  /// Creates a signer of requests to COS.
  ///
  /// - Parameters:
  ///   - policy: The selection of headers that signatures cover.
  ///   - isStrict: Whether to reject requests that the service's strict mode would reject: requests with an unsigned
  ///     host, and uploads without `Content-Length`. Everything else that this mode requires is signed anyway.
  ///   - urlForm: The format of the authorization in presigned URLs.
  ///   - headerLifetime: The lifetime of a signature in the headers, for a key without a start time or an expiration.
  ///   - keyTime: The window of signatures in the headers, which must not end after the key, or `nil` to derive it.
  public init(
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, urlForm: URLForm = .parameters,
    headerLifetime: Duration = .seconds(3600), keyTime: COSKeyTime? = nil
  ) {
    self.policy = policy
    self.isStrict = isStrict
    self.urlForm = urlForm
    self.headerLifetime = headerLifetime
    self.keyTime = keyTime
  }

  func headerWindow(for identity: Identity, at date: Timestamp) throws(SigningError) -> COSKeyTime {
    if let keyTime { return try validated(keyTime, for: identity) }
    if let start = identity.start, let end = identity.expiration {
      return try validated(COSKeyTime(from: start, until: end))
    }
    guard headerLifetime >= .seconds(1) else {
      throw SigningError(
        .invalidConfiguration, "The lifetime of header signatures is under a second.",
        remedy: "Set it to some minutes, or leave it at an hour.")
    }
    let start = identity.start ?? date
    let end = max(start, date).advanced(by: headerLifetime)
    return try validated(COSKeyTime(from: start, until: min(end, identity.expiration ?? end)))
  }

  /// Returns the given window, or throws an error if it is empty, starts before 1970 or ends after the key.
  func validated(_ window: COSKeyTime, for identity: Identity? = nil) throws(SigningError) -> COSKeyTime {
    try identity?.requireValidity(until: window.end)
    guard window.start < window.end else { throw .credentialEndsFirst(window.end, required: window.start) }
    guard window.start.unixSeconds >= 0 else {
      throw SigningError(
        .lifetimeOutOfRange, "The window starts before 1970.", remedy: "Check the clock, or the start of the key.")
    }
    return window
  }

  /// Signs a request by setting `Authorization` and, for a temporary key, `x-cos-security-token`.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try sign(&request, with: key, during: headerWindow(for: key.identity, at: context.date))
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in the same order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    let window = try headerWindow(for: key.identity, at: context.date)
    return try signedFields(of: request, .apart, with: prepared(key, during: window)).authorization()
  }

  /// Creates a signer of requests with one access key and one window.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var prepared = try prepared(key, during: headerWindow(for: key.identity, at: context.date))
    prepared.startedKey = prepared.window.startedSigningKey(of: key)
    return PreparedSigner(date: context.date) { [prepared] request, additions throws(SigningError) in
      try signedFields(of: request, additions, with: prepared)
    }
  }

  /// Signs a request by adding a signature with the given validity window to its headers.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - key: The access key; `AccessKey.anonymous` leaves the request unchanged.
  ///   - window: The window of the signature, according to the server's clock, which must not end after the key.
  /// - Throws: A `SigningError`, without a change of the request, if the window ends after the key or signing fails.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, during window: COSKeyTime) throws(SigningError) {
    if key.isAnonymous { return }
    request.headerFields = try signedFields(of: request, .joined, with: prepared(key, during: window)).fields
  }

  @inline(__always)
  private func prepared(_ key: AccessKey, during window: COSKeyTime) throws(SigningError) -> COSPreparedKey {
    try key.check(idWithout: COSKeyTime.idDelimiters)
    return COSPreparedKey(key, window: try validated(window, for: key.identity))
  }

  private func signedFields(
    of request: HTTPRequest, _ additions: FieldDraft.Additions, with prepared: COSPreparedKey
  ) throws(SigningError) -> FieldDraft {
    var fields = try fieldDraft(for: request, additions, token: prepared.token?.field)
    var httpString = httpString
    httpString.encodedToken = prepared.token?.encodedToken
    let authorization = try httpString.withHTTPString(request, fields: fields, path: request.path ?? "/") {
      text, headerList, parameterList in
      let signature = prepared.signature(of: SHA1.hash(writing: text))
      return String(writing: { writer in
        writer.append(
          authorizationOf: prepared.key.id, in: prepared.window, headerList: headerList, parameterList: parameterList)
        writer.append(hex: signature)
      })
    }
    fields.set(authorization, named: .authorization)
    return fields
  }

  var httpString: COSHTTPString {
    COSHTTPString(policy: policy, refusedParameters: RefusedParameters(Self.signatureParameters))
  }

  func fieldDraft(
    for request: HTTPRequest, _ additions: FieldDraft.Additions = .joined, token: HTTPField?
  ) throws(SigningError) -> FieldDraft {
    try requireSignable(request)
    var fields = FieldDraft(request.headerFields, adding: 2, additions)
    fields.set(token, named: .cosSecurityToken)
    return fields
  }

  static let signatureParameters = NameTable(["sign"] + COSAuthorization.fieldNames)

  func requireSignable(_ request: HTTPRequest) throws(SigningError) {
    guard let authority = request.authority, isHost(authority) else {
      throw .noHost(example: "photos-1250000000.cos.ap-guangzhou.myqcloud.com")
    }
    guard isStrict else { return }
    if !policy.isComplete {
      throw SigningError(
        .invalidConfiguration, "The strict mode needs the host and all standard headers signed.",
        remedy: "Use the standard header policy.")
    }
    if request.method == .put || request.method == .post, !request.headerFields.contains(.contentLength) {
      throw SigningError(
        .invalidHeader, "The strict mode needs Content-Length signed, and the request has none.",
        remedy: "Set Content-Length before signing.")
    }
  }

  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign, and the HTTP string whose hash it contains.
  /// - Throws: The errors of `TwoStepSigner.prepare(_:as:in:)`, which also describes the parameters.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: COSKeyTime.idDelimiters)
    let fields = try fieldDraft(for: request, token: identity.tokenField(named: .cosSecurityToken)).fields
    let window = try headerWindow(for: identity, at: context.date)
    return try pendingSignature(request, fields, with: httpString, as: identity, in: window)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign, and the HTTP string whose hash it contains.
  /// - Throws: The errors of `TwoStepSigner.prepare(presigning:as:validFor:in:)`, which also describes the parameters.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: COSKeyTime.idDelimiters)
    let (fields, path) = try fieldsAndPath(presigning: request, as: identity)
    let window = try urlWindow(for: identity, validFor: duration, at: context.date)
    let httpString = httpString(presigning: request)
    return try pendingSignature(request, fields, path: path, with: httpString, as: identity, in: window)
  }

  /// Returns the pending signature of a URL with the given path, or of a request that is signed in its headers.
  private func pendingSignature(
    _ original: HTTPRequest, _ fields: HTTPFields, path: String? = nil, with httpString: COSHTTPString,
    as identity: Identity, in window: COSKeyTime
  ) throws(SigningError) -> PendingSignature {
    try httpString.withHTTPString(original, fields: FieldDraft(fields), path: path ?? original.path ?? "/") {
      text, headerList, parameterList in
      let hash = SHA1.hash(writing: text)
      let urlPath = path.map { path in
        String(writing: { writer in
          writer.append(path)
          append(
            signatureParametersOf: identity.id, after: path, in: window, headerList: headerList,
            parameterList: parameterList, to: &writer)
        })
      }
      let texts = SignedTexts(
        stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: window) }),
        canonicalRequest: String(writing: text))
      let prefix = String(writing: {
        $0.append(authorizationOf: identity.id, in: window, headerList: headerList, parameterList: parameterList)
      })
      return PendingSignature(
        .cosV5, of: original, fields: fields, path: urlPath, as: identity, until: window.end, texts: texts,
        signedHeaders: signedHeaders(of: fields), prefix: prefix)
    }
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = pending.bare(signature)
    guard bare.isLowerHex(byteCount: SHA1.digestByteCount) else {
      throw SigningError(
        .invalidSignature, "The signature is not 40 lower-case hexadecimal digits, or is for another id or request.",
        remedy: "Let the server return the bare signature, or the Authorization for the same string to sign.")
    }
    return pending.request(with: bare, urlSuffix: bare)
  }
}

/// An access key with the values that its signatures in one window have in common.
private struct COSPreparedKey {
  let key: AccessKey
  let token: TokenField?
  let window: COSKeyTime
  /// The signing key after it has hashed the string to sign up to the hash of the HTTP string, or `nil`.
  var startedKey: HMACKey<SHA1>?

  init(_ key: AccessKey, window: COSKeyTime) {
    self.key = key
    token = key.encodedTokenField(named: .cosSecurityToken)
    self.window = window
  }

  func signature(of hash: Digest) -> Digest {
    startedKey?.authenticationCode { $0.append(tailOfCOSStringToSign: hash) } ?? window.signature(of: hash, with: key)
  }
}

extension ByteWriter {
  /// Appends the value of the `Authorization` header up to the signature, in the order of "Request Signature".
  mutating func append(
    authorizationOf id: AccessKeyID, in window: COSKeyTime, headerList: Span<UInt8>, parameterList: COSHTTPString.Write
  ) {
    append("q-sign-algorithm=sha1&q-ak=")
    append(id.string)
    withWrittenBytes({ window.append(to: &$0) }) { window in
      append("&q-sign-time=")
      append(window)
      append("&q-key-time=")
      append(window)
    }
    append("&q-header-list=")
    append(headerList)
    append("&q-url-param-list=")
    parameterList(&self)
    append("&q-signature=")
  }
}
