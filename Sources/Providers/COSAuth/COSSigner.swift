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
  /// Whether the signer rejects requests that the service's strict mode would reject: requests with an unsigned host,
  /// and uploads without `Content-Length`.
  ///
  /// Everything else that this mode requires is signed anyway.
  public let isStrict: Bool
  /// The format of the authorization in presigned URLs.
  public let urlForm: URLForm
  /// The lifetime of a signature in the headers, for a key without a start time or without an expiration.
  public let headerLifetime: Duration
  /// The window of every signature in the headers, which must not end after the key, or `nil` to derive the window from
  /// the key and the signing time.
  public let keyTime: COSKeyTime?

  /// Creates a signer of requests to COS; the parameters are the properties.
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

  /// Signs a request by setting `Authorization` and, for a temporary key, `x-cos-security-token`.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try sign(&request, with: key, during: headerWindow(for: key.identity, at: context.date))
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in their order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    let window = try headerWindow(for: key.identity, at: context.date)
    return try signedFields(of: request, additions: .apart, with: checkedKey(key, in: window)).authorization()
  }

  /// Creates a signer of requests with one access key and one window.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var keyInWindow = try checkedKey(key, in: headerWindow(for: key.identity, at: context.date))
    keyInWindow.startedKey = keyInWindow.window.startedSigningKey(of: key)
    return PreparedSigner(date: context.date) { [keyInWindow] request, additions throws(SigningError) in
      try signedFields(of: request, additions: additions, with: keyInWindow)
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
    request.headerFields = try signedFields(of: request, additions: .joined, with: checkedKey(key, in: window)).fields
  }

  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign, and the HTTP string whose hash it contains.
  /// - Throws: The errors of `TwoStepSigner.prepare(_:as:in:)`, which also describes the parameters.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: COSKeyTime.idDelimiters)
    let fields = try unsignedFields(of: request, token: identity.tokenField(named: .cosSecurityToken)).fields
    let window = try headerWindow(for: identity, at: context.date)
    return try pendingSignature(of: request, fields: fields, with: headerHTTPString, as: identity, in: window)
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
    return try pendingSignature(
      of: request, fields: fields, urlPath: path, with: urlHTTPString(for: request), as: identity, in: window)
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let digits = pending.bare(signature)
    guard digits.isLowerHex(byteCount: SHA1.digestByteCount) else {
      throw SigningError(
        .invalidSignature, "The signature is not 40 lower-case hexadecimal digits, or is for another id or request.",
        remedy: "Let the server return the bare signature, or the Authorization for the same string to sign.")
    }
    return pending.request(with: digits, urlSuffix: digits)
  }

  /// Returns the window of a signature in the headers, which the description of the signer explains.
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
  ///
  /// `identity` is that of the key for a window whose end the caller chose, and `nil` for one derived from the key.
  func validated(_ window: COSKeyTime, for identity: Identity? = nil) throws(SigningError) -> COSKeyTime {
    try identity?.requireValidity(until: window.end)
    guard window.start < window.end else {
      if identity == nil { throw .credentialEndsFirst(window.end, required: window.start) }
      throw SigningError(
        .lifetimeOutOfRange, "The window from \(window.start) to \(window.end) is empty.",
        remedy: "Let it end after its start.")
    }
    guard window.start.unixSeconds >= 0 else {
      throw SigningError(
        .lifetimeOutOfRange, "The window starts before 1970.", remedy: "Check the clock, or the start of the key.")
    }
    return window
  }

  @inline(__always)
  private func checkedKey(_ key: AccessKey, in window: COSKeyTime) throws(SigningError) -> COSKeyInWindow {
    try key.check(idWithout: COSKeyTime.idDelimiters)
    let validWindow = try validated(window, for: key.identity)
    return COSKeyInWindow(key: key, token: key.encodedTokenField(named: .cosSecurityToken), window: validWindow)
  }

  /// Returns the fields of a request with its token and its authorization, which the draft can keep apart.
  private func signedFields(
    of request: HTTPRequest, additions: FieldDraft.Additions, with keyInWindow: COSKeyInWindow
  ) throws(SigningError) -> FieldDraft {
    var fields = try unsignedFields(of: request, additions: additions, token: keyInWindow.token?.field)
    var httpString = headerHTTPString
    httpString.encodedToken = keyInWindow.token?.encodedToken
    let authorization = try httpString.withHTTPString(request, fields: fields, path: request.path ?? "/") {
      appendText, headerList, appendParameterList in
      let signature = keyInWindow.signature(of: SHA1.hash(writing: appendText))
      return String(writing: { writer in
        writer.append(
          authorizationOf: keyInWindow.key.id, in: keyInWindow.window, headerList: headerList,
          appendParameterList: appendParameterList)
        writer.append(hex: signature)
      })
    }
    fields.set(authorization, named: .authorization)
    return fields
  }

  /// The selection of what a signature in the headers covers.
  private var headerHTTPString: COSHTTPString {
    COSHTTPString(policy: policy, refusedParameters: RefusedParameters(Self.signatureParameters))
  }

  private static let signatureParameters = NameTable(["sign"] + COSAuthorization.fieldNames)

  /// Returns the fields of a request with its token, after checking that the request can be signed.
  private func unsignedFields(
    of request: HTTPRequest, additions: FieldDraft.Additions = .joined, token: HTTPField?
  ) throws(SigningError) -> FieldDraft {
    try requireSignable(request)
    var fields = FieldDraft(request.headerFields, adding: 2, additions)
    fields.set(token, named: .cosSecurityToken)
    return fields
  }

  /// Rejects a request without a host and, in strict mode, one that the service would reject.
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

  /// Returns the pending signature of a URL with the given path, or of a request that is signed in its headers.
  private func pendingSignature(
    of request: HTTPRequest, fields: HTTPFields, urlPath: String? = nil, with httpString: COSHTTPString,
    as identity: Identity, in window: COSKeyTime
  ) throws(SigningError) -> PendingSignature {
    try httpString.withHTTPString(request, fields: FieldDraft(fields), path: urlPath ?? request.path ?? "/") {
      appendText, headerList, appendParameterList in
      let hash = SHA1.hash(writing: appendText)
      var urlBeforeSignature: String?
      if let urlPath {
        urlBeforeSignature = String(writing: {
          append(
            urlPath: urlPath, signedBy: identity.id, in: window, headerList: headerList,
            appendParameterList: appendParameterList, to: &$0)
        })
      }
      return PendingSignature(
        .cosV5, of: request, fields: fields, path: urlBeforeSignature, as: identity, until: window.end,
        texts: SignedTexts(
          stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: window) }),
          canonicalRequest: String(writing: appendText)),
        signedHeaders: signedHeaders(of: fields),
        prefix: String(writing: {
          $0.append(
            authorizationOf: identity.id, in: window, headerList: headerList, appendParameterList: appendParameterList)
        }))
    }
  }
}

/// An access key in one window, with the values that its signatures there have in common.
private struct COSKeyInWindow {
  let key: AccessKey
  let token: TokenField?
  let window: COSKeyTime
  /// The signing key after it has hashed the string to sign up to the hash, or `nil` for a single request.
  var startedKey: HMACKey<SHA1>?

  /// Returns the signature of an HTTP string with the given hash.
  func signature(of hash: Digest) -> Digest {
    startedKey?.authenticationCode { $0.append(tailOfCOSStringToSign: hash) } ?? window.signature(of: hash, with: key)
  }
}

extension ByteWriter {
  /// Appends the value of the `Authorization` header up to the signature, in the order of "Request Signature".
  mutating func append(
    authorizationOf id: AccessKeyID, in window: COSKeyTime, headerList: Span<UInt8>,
    appendParameterList: COSHTTPString.Append
  ) {
    append("q-sign-algorithm=sha1&q-ak=")
    append(id.string)
    withWrittenBytes({ window.append(to: &$0) }) { windowText in
      append("&q-sign-time=")
      append(windowText)
      append("&q-key-time=")
      append(windowText)
    }
    append("&q-header-list=")
    append(headerList)
    append("&q-url-param-list=")
    appendParameterList(&self)
    append("&q-signature=")
  }
}
