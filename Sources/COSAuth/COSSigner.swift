// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to Tencent Cloud COS with the V5 signature, in headers and in URLs.
///
/// It also prepares strings to sign for a key that another party holds, and completes the request with the signature.
///
/// ```swift
/// let signer = COSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// A signature is valid in a window from a start time to an end time. For an access key that has both a start time and
/// an expiration, the window is exactly that, so that the clock of the device does not matter. Otherwise the window
/// starts with the key, or now, and ends after ``headerLifetime``, or with the key if that is earlier.
///
/// Source of the rules: Tencent Cloud, "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>,
/// and the behavior of the vendor's SDKs where that page is silent; see `Sources/COSAuth/COSAuth.docc/COS.md`.
public struct COSSigner: SplitSigner, Presigner {
  /// The type of the requests that are signed.
  public typealias Request = HTTPRequest
  /// The type of the credentials that sign.
  public typealias SigningCredential = AccessKey

  /// The representation of an authorization in a presigned URL.
  public enum URLForm: Sendable, Hashable {
    /// Separate query parameters `q-sign-algorithm` to `q-signature`; the current form.
    case parameters
    /// One query parameter `sign` that holds the whole authorization, percent-encoded; the older form, which COS still
    /// accepts.
    case sign
  }

  /// The selection of headers that a signature covers.
  public let policy: COSHeaderPolicy

  /// Whether the signer rejects requests that the service's strict mode would reject.
  public let isStrict: Bool

  /// The representation of an authorization in a presigned URL.
  public let urlForm: URLForm

  /// The lifetime of a header signature for a key without a start time or without an expiration.
  public let headerLifetime: Duration

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - policy: The selection of headers that a signature covers.
  ///   - isStrict: Whether to reject what the service's strict mode would reject: an unsigned host, or an upload
  ///     without Content-Length. Everything else that this mode requires is signed in either case.
  ///   - urlForm: The representation of an authorization in a presigned URL.
  ///   - headerLifetime: The lifetime of a header signature for a key without a start time or without an expiration.
  public init(
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, urlForm: URLForm = .parameters,
    headerLifetime: Duration = .seconds(3600)
  ) {
    self.policy = policy
    self.isStrict = isStrict
    self.urlForm = urlForm
    self.headerLifetime = headerLifetime
  }

  /// Returns the earliest acceptable expiration of a key for a request signed at `date`.
  ///
  /// It is two seconds after `date`, the time that the request needs to reach the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Returns the earliest acceptable expiration of a key for a URL signed at `date` that is valid for `duration`.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }
}

extension COSSigner {
  /// Returns the window of a header signature.
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

  /// Returns the window of a presigned URL.
  ///
  /// A clock that is before the start time of the key is certainly slow, so the start time replaces it.
  func urlWindow(
    for identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> COSKeyTime {
    let seconds = duration.components.seconds
    guard seconds >= 1, seconds < Int64(Int32.max) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 to \(Int32.max - 1) seconds.")
    }
    let now = max(date, identity.start ?? date)
    return try checked(
      COSKeyTime(from: identity.start ?? date, until: now.advanced(bySeconds: seconds)), for: identity)
  }

  /// Rejects a window that ends before it starts, or after the key expires.
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
  /// Signs a request in its headers.
  ///
  /// Sets `Authorization` and, for a temporary key, `x-cos-security-token`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The access key; `AccessKey.anonymous` leaves the request unchanged.
  ///   - context: The signing time.
  /// - Throws: A `SigningError` if the key expires before the window ends, or the request cannot be signed; the
  ///   request is then unchanged.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    let identity = key.identity
    try sign(&request, with: key, identity, during: headerWindow(for: identity, at: context.date))
  }

  /// Signs a request in its headers, for a given window.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The access key; `AccessKey.anonymous` leaves the request unchanged.
  ///   - window: The window in which the signature is valid, in the service's time; it must not end after the key.
  /// - Throws: A `SigningError` if the key expires before the window ends, or the request cannot be signed; the
  ///   request is then unchanged.
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

  /// The HTTP string of a request that is signed in its headers.
  var httpString: COSHTTPString {
    COSHTTPString(policy: policy, refused: RefusedParameters(Self.signatureParameters))
  }

  /// Returns the header fields of a request with the given session token, or without any, as they are signed.
  func draft(_ request: HTTPRequest, token: HTTPField?) throws(SigningError) -> FieldDraft {
    try check(request)
    var draft = FieldDraft(request.headerFields, adding: 2)
    if let token { draft.set(token) } else { draft.remove(.cosSecurityToken) }
    return draft
  }

  /// Returns the signature of an HTTP string.
  func signature(
    of text: COSHTTPString.Write, in window: COSKeyTime, with signingKey: HMACKey<SHA1>
  ) -> Digest {
    let hash = SHA1.hash(writing: text)
    return signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: window) }
  }

  /// The query parameters that carry a signature in a URL.
  static let signatureParameters = NameTable(["sign"] + COSAuthorization.names)

  /// The query parameters that signing adds, which a URL must therefore not have before.
  private static let addedParameters = NameTable(["sign", "x-cos-security-token"] + COSAuthorization.names)

  /// Rejects a request that the service, or with ``isStrict`` its strict mode, would reject.
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
  ///
  /// The fields and their order are those of "Request Signature".
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
  /// Creates a presigned URL.
  ///
  /// The client that uses the URL must send exactly the headers of the result. The session token of a temporary key is
  /// in the URL, signed and percent-encoded.
  ///
  /// COS limits the lifetime only by the expiration of the key. The signer also rejects a lifetime of `Int32.max`
  /// seconds (68 years) or more.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - key: The access key.
  ///   - duration: The lifetime of the URL, in whole seconds from the context's date: at least 1, and less than
  ///     `Int32.max`.
  ///   - context: The signing time.
  /// - Returns: The URL, the headers that belong to it, and its expiration.
  /// - Throws: A `SigningError` if the lifetime is out of range, the key is anonymous or expires before the URL, or
  ///   the request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    let identity = key.identity
    return try presign(
      request, with: key, identity, during: urlWindow(for: identity, validFor: duration, at: context.date))
  }

  /// Creates a presigned URL for a given window.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - key: The access key.
  ///   - window: The window in which the URL is valid, in the service's time.
  /// - Returns: The URL, the headers that belong to it, and its expiration.
  /// - Throws: A `SigningError` if the key is anonymous or expires before the URL, or the request cannot be signed.
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

  /// Returns the headers of a request that the signature of its URL covers.
  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    fields.isEmpty ? fields : fields.filter { policy.signs($0.name.canonicalName) }
  }

  /// Returns the HTTP string of a request that is signed in its URL.
  func httpString(presigning request: HTTPRequest) -> COSHTTPString {
    COSHTTPString(
      policy: policy, refused: RefusedParameters(Self.addedParameters, before: request.path?.utf8.count ?? 1))
  }

  /// Returns the header fields and the path of a request with everything that a signature in the URL covers.
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

  /// Returns whether a field is one that a header signature sets, and which a presigned URL must therefore not have.
  private static func isHeaderSignature(_ field: HTTPField) -> Bool {
    field.name == .authorization || field.name == .cosSecurityToken
  }

  /// Appends the query parameters that carry the authorization, up to the signature.
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
  ///
  /// The names in a list are encoded already; a URL carries the list as the value of a parameter.
  mutating func append(encodingList list: COSHTTPString.Write) {
    append(percentEncoding: String(writing: list))
  }
}
