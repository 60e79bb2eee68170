public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Signs requests to Tencent Cloud COS with its V5 signature: in headers, in URLs, and in two halves for a key that is
/// kept elsewhere.
///
/// ```swift
/// let signer = COSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// A signature is valid from a start to an end. For a key with a start and an expiration these are the two ends, so the
/// clock of the device does not matter. Otherwise the window starts with the key, or now, and ends after
/// ``headerLifetime``, or with the key if that is earlier.
///
/// Source of the rules: the vendor's documentation of the request signature, and the behaviour of its SDKs where that is
/// silent; see `Sources/COSAuth/COSAuth.docc/COS.md`.
public struct COSSigner: SplitSigner, Presigner {
  /// What is signed.
  public typealias Request = HTTPRequest
  /// What it is signed with.
  public typealias SigningCredential = AccessKey

  /// How a URL carries its authorization.
  public enum URLForm: Sendable, Hashable {
    /// In parameters of their own, `q-sign-algorithm` to `q-signature`; the current form.
    case parameters
    /// In one parameter `sign`; the older form, still accepted.
    case sign
  }

  /// Which headers are signed.
  public let policy: COSHeaderPolicy

  /// Whether a request that the service's strict mode would refuse is refused before it is sent.
  public let isStrict: Bool

  /// How a URL carries its authorization.
  public let urlForm: URLForm

  /// How long a header signature is valid if the key does not say.
  public let headerLifetime: Duration

  /// Sets up a signer.
  ///
  /// - Parameters:
  ///   - policy: Which headers are signed.
  ///   - isStrict: Whether to refuse what the service's strict mode would refuse: an unsigned host, an upload without
  ///     Content-Length. Everything else is signed anyway.
  ///   - urlForm: How a URL carries its authorization.
  ///   - headerLifetime: How long a header signature is valid if the key does not say.
  public init(
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, urlForm: URLForm = .parameters,
    headerLifetime: Duration = .seconds(3600)
  ) {
    self.policy = policy
    self.isStrict = isStrict
    self.urlForm = urlForm
    self.headerLifetime = headerLifetime
  }

  /// Until when a key has to live so that a request signed at `date` is accepted: two seconds, for the way to the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Until when a key has to live so that a URL signed at `date` works for its whole duration.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }
}

extension COSSigner {
  /// The window of a header signature.
  func headerWindow(for identity: Identity, at date: Timestamp) throws(SigningError) -> COSKeyTime {
    if let start = identity.start, let end = identity.expiration {
      return try checked(COSKeyTime(from: start, until: end))
    }
    guard headerLifetime >= .seconds(1) else {
      throw SigningError(
        .invalidConfiguration, "The lifetime of header signatures is under a second.",
        remedy: "Set it to some minutes, or leave it at an hour.")
    }
    let start = identity.start ?? date
    let end = max(start, date).advanced(by: headerLifetime)
    return try checked(COSKeyTime(from: start, until: min(end, identity.expiration ?? end)))
  }

  /// The window of a URL; a clock that is before the start of the key is certainly slow.
  func urlWindow(
    for identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> COSKeyTime {
    let seconds = duration.components.seconds
    guard seconds >= 1, seconds < Int64(Int32.max) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL that works for \(seconds) seconds is not possible.",
        remedy: "Ask for 1 second or more.")
    }
    let now = max(date, identity.start ?? date)
    return try checked(
      COSKeyTime(from: identity.start ?? date, until: now.advanced(bySeconds: seconds)), for: identity)
  }

  /// Refuses a window that ends before it starts, or after the key.
  func checked(_ window: COSKeyTime, for identity: Identity? = nil) throws(SigningError) -> COSKeyTime {
    if let expiration = identity?.expiration, expiration < window.end {
      throw .credentialEndsFirst(expiration, required: window.end)
    }
    guard window.start < window.end else {
      throw .credentialEndsFirst(window.end, required: window.start)
    }
    guard window.start.unixSeconds >= 0 else {
      throw SigningError(
        .lifetimeOutOfRange, "The window starts before 1970.", remedy: "Check the clock, or the start of the key.")
    }
    return window
  }
}

extension COSSigner {
  /// Signs a request in its headers: sets `Authorization` and, for a temporary key, `x-cos-security-token`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The key; ``AccessKey/anonymous`` leaves the request as it is.
  ///   - context: The time of the act.
  /// - Throws: A ``SigningError``; the request is untouched then.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    let identity = key.identity
    try sign(&request, with: key, identity, during: headerWindow(for: identity, at: context.date))
  }

  /// Signs a request in its headers, for a window of the caller's choice.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The key; ``AccessKey/anonymous`` leaves the request as it is.
  ///   - window: When the signature is valid, in the service's time; it must not end after the key.
  /// - Throws: A ``SigningError``; the request is untouched then.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try sign(&request, with: key, key.identity, during: window)
  }

  private func sign(
    _ request: inout HTTPRequest, with key: AccessKey, _ identity: Identity, during window: COSKeyTime
  ) throws(SigningError) {
    try key.check()
    var draft = try draft(request, token: key.tokenField(named: .cosSecurityToken))
    let window = try checked(window, for: identity)
    let signingKey = window.signingKey(of: key)
    var string = httpString
    string.encodedToken = key.encodedToken
    let authorization = try string.withHTTPString(
      request, fields: draft.fields, path: request.path ?? "/"
    ) { text, headerList, parameterList in
      let signature = signature(of: text, in: window, with: signingKey)
      return HTTPField(name: .authorization) { writer in
        writer.append(authorizationOf: key.id, in: window, headerList: headerList, parameterList: parameterList)
        writer.append(hex: signature)
      }
    }
    draft.set(authorization)
    request.headerFields = draft.fields
  }

  /// The text of a request that is signed in its headers.
  var httpString: COSHTTPString {
    COSHTTPString(policy: policy, refused: RefusedParameters(Self.signatureParameters))
  }

  /// Returns the fields with everything that a header signature covers.
  func draft(_ request: HTTPRequest, token: HTTPField?) throws(SigningError) -> FieldDraft {
    try check(request)
    var draft = FieldDraft(request.headerFields, adding: 2)
    if let token { draft.set(token) } else { draft.remove(.cosSecurityToken) }
    return draft
  }

  /// The signature of a text.
  func signature(
    of text: COSHTTPString.Write, in window: COSKeyTime, with signingKey: HMACKey<SHA1>
  ) -> Digest {
    let hash = SHA1.hash(writing: text)
    return signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: window) }
  }

  /// What carries a signature in a URL.
  static let signatureParameters = NameTable(["sign"] + COSAuthorization.names)

  /// What a URL that is to be signed must not have: what signing adds.
  private static let addedParameters = NameTable(["sign", "x-cos-security-token"] + COSAuthorization.names)

  /// Refuses a request that the service, or its strict mode, would refuse.
  func check(_ request: HTTPRequest) throws(SigningError) {
    guard let authority = request.authority, isHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request has no host, or a malformed one.",
        remedy: "Set its authority, such as photos-1250000000.cos.ap-guangzhou.myqcloud.com.")
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
}

extension ByteWriter {
  /// Appends an authorization up to its signature.
  mutating func append(
    authorizationOf id: AccessKeyID, in window: COSKeyTime, headerList: COSHTTPString.Write,
    parameterList: COSHTTPString.Write
  ) {
    append("q-sign-algorithm=sha1&q-ak=")
    append(id.string)
    append("&q-sign-time=")
    window.append(to: &self)
    append("&q-key-time=")
    window.append(to: &self)
    append("&q-header-list=")
    headerList(&self)
    append("&q-url-param-list=")
    parameterList(&self)
    append("&q-signature=")
  }
}

extension COSSigner {
  /// Signs a URL.
  ///
  /// The holder of the URL has to send the headers of the result exactly. The session token of a temporary key is in the
  /// URL, signed and encoded. There is no upper limit but the end of the key.
  ///
  /// - Parameters:
  ///   - request: What the URL is for.
  ///   - key: The key.
  ///   - duration: How long the URL works, in whole seconds from the context's date.
  ///   - context: The time of the act.
  /// - Returns: The URL, the headers that belong to it, and when it ends.
  /// - Throws: A ``SigningError`` if the key ends first or is anonymous, or the request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    let identity = key.identity
    return try presign(
      request, with: key, identity, during: urlWindow(for: identity, validFor: duration, at: context.date))
  }

  /// Signs a URL, for a window of the caller's choice.
  ///
  /// - Parameters:
  ///   - request: What the URL is for.
  ///   - key: The key.
  ///   - window: When the URL works, in the service's time.
  /// - Returns: The URL, the headers that belong to it, and when it ends.
  /// - Throws: A ``SigningError`` if the key ends first or is anonymous, or the request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) -> PresignedRequest {
    try presign(request, with: key, key.identity, during: window)
  }

  private func presign(
    _ request: HTTPRequest, with key: AccessKey, _ identity: Identity, during window: COSKeyTime
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a URL.",
        remedy: "Use the URL without a signature, or a key that has the right.")
    }
    try key.check()
    let window = try checked(window, for: identity)
    let (fields, path) = try draft(presigning: request, as: identity)
    let signingKey = window.signingKey(of: key)
    let string = httpString(presigning: request)
    let url = try string.withHTTPString(request, fields: fields, path: path) { text, headerList, parameterList in
      let signature = signature(of: text, in: window, with: signingKey)
      return String(writing: { writer in
        writer.append(request.scheme ?? "https")
        writer.append("://")
        writer.append(request.authority ?? "")
        writer.append(path)
        append(
          signatureParametersOf: key.id, after: path, in: window, headerList: headerList,
          parameterList: parameterList, to: &writer)
        writer.append(hex: signature)
      })
    }
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: fields), expiration: window.end)
  }

  /// The headers of a request that its URL covers.
  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    fields.isEmpty ? fields : fields.filter { policy.signs($0.name.canonicalName) }
  }

  /// The text of a request that is signed in its URL.
  func httpString(presigning request: HTTPRequest) -> COSHTTPString {
    COSHTTPString(
      policy: policy, refused: RefusedParameters(Self.addedParameters, before: request.path?.utf8.count ?? 1))
  }

  /// Returns the fields and the path with everything that a signature in the URL covers.
  func draft(
    presigning request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> (fields: HTTPFields, path: String) {
    try check(request)
    let path = request.path ?? "/"
    var fields = request.headerFields
    if fields.contains(where: Self.isHeaderSignature) { fields.removeAll(where: Self.isHeaderSignature) }
    guard let token = identity.sessionToken else { return (fields, path) }
    let extended = String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("x-cos-security-token=")
      writer.append(percentEncoding: token)
    })
    return (fields, extended)
  }

  /// What a header signature sets, and what has no place beside a signature in the URL.
  private static func isHeaderSignature(_ field: HTTPField) -> Bool {
    field.name == .authorization || field.name == .cosSecurityToken
  }

  /// Appends the parameters that carry the authorization, up to the signature.
  func append(
    signatureParametersOf id: AccessKeyID, after path: String, in window: COSKeyTime,
    headerList: COSHTTPString.Write, parameterList: COSHTTPString.Write, to writer: inout ByteWriter
  ) {
    writer.append(separatorAfter: path)
    guard urlForm == .parameters else {
      writer.append("sign=")
      writer.append(
        percentEncoding: String(writing: {
          $0.append(authorizationOf: id, in: window, headerList: headerList, parameterList: parameterList)
        }))
      return
    }
    writer.append("q-sign-algorithm=sha1&q-ak=")
    writer.append(percentEncoding: id.string)
    writer.append("&q-sign-time=")
    window.append(to: &writer, separator: "%3B")
    writer.append("&q-key-time=")
    window.append(to: &writer, separator: "%3B")
    writer.append("&q-header-list=")
    writer.append(encodingList: headerList)
    writer.append("&q-url-param-list=")
    writer.append(encodingList: parameterList)
    writer.append("&q-signature=")
  }
}

extension ByteWriter {
  /// Appends a list of names, percent-encoded once more.
  mutating func append(encodingList list: COSHTTPString.Write) {
    append(percentEncoding: String(writing: list))
  }
}
