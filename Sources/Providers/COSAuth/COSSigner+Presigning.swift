// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension COSSigner {
  /// Creates a presigned URL for a request to COS.
  ///
  /// The client that uses the URL must send exactly the headers of the result. The signed URL contains the session
  /// token of a temporary key. Only the key's expiration limits the lifetime.
  ///
  /// - Throws: The errors of `Presigner.presign(_:with:validFor:in:)`, which also describes the parameters.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    try presign(request, with: key, during: urlWindow(for: key.identity, validFor: duration, at: context.date))
  }

  /// Creates a presigned URL that is valid in the given window.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - key: The access key that signs the URL.
  ///   - window: The window in which the URL is valid, according to the server's clock.
  /// - Returns: The URL, the headers that the client must send with the URL, and the expiration.
  /// - Throws: A `SigningError` if the key is anonymous or expires before the URL, or if the request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: COSKeyTime.idDelimiters)
    let identity = key.identity
    let window = try validated(window, for: identity)
    let (fields, path) = try fieldsAndPath(presigning: request, as: identity)
    let httpString = httpString(presigning: request)
    let url = try httpString.withHTTPString(request, fields: FieldDraft(fields), path: path) {
      text, headerList, parameterList in
      let signature = window.signature(of: SHA1.hash(writing: text), with: key)
      return String(writing: { writer in
        writer.append(originOf: request)
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

  /// Creates a presigner of URLs that differ only in their objects' keys, with the rules of a single presigned URL.
  ///
  /// - Throws: The errors of `Presigner.presigner(for:with:validFor:in:)`, which also describes the parameters.
  public func presigner(
    for request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> ObjectPresigner {
    try presigner(for: request, with: key, during: urlWindow(for: key.identity, validFor: duration, at: context.date))
  }

  /// Creates a presigner of URLs that are valid in the given window and differ only in their objects' keys.
  ///
  /// - Parameters:
  ///   - request: The request that the URLs authorize, with a path that ends with a slash.
  ///   - key: The access key that signs the URLs.
  ///   - window: The window in which the URLs are valid, according to the server's clock.
  /// - Returns: The presigner of the URLs.
  /// - Throws: A `SigningError` if the key is anonymous or expires before the URLs, or if no request can be signed.
  public func presigner(
    for request: HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) -> ObjectPresigner {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: COSKeyTime.idDelimiters)
    let objectPath = try ObjectPath(of: request)
    let identity = key.identity
    let window = try validated(window, for: identity)
    let (fields, path) = try fieldsAndPath(presigning: request, as: identity)
    let httpString = httpString(presigning: request)
    let start = try httpString.withHTTPString(request, fields: FieldDraft(fields), path: path, part: .throughPath) {
      text, _, _ in [UInt8](writing: text)
    }
    return try httpString.withHTTPString(request, fields: FieldDraft(fields), path: path, part: .afterPath) {
      text, headerList, parameterList in
      ObjectPresigner(
        .hashedSHA1(window.startedSigningKey(of: key)),
        text: SignedFrame(start: start, end: [UInt8](writing: text)),
        url: SignedFrame(urlFor: request, dividing: objectPath) { writer in
          writer.append(path)
          append(
            signatureParametersOf: key.id, after: path, in: window, headerList: headerList,
            parameterList: parameterList, to: &writer)
        }, method: request.method, headers: signedHeaders(of: fields), expiration: window.end)
    }
  }

  /// Returns the window of a presigned URL; a clock that shows a time before the key's start time is certainly slow.
  func urlWindow(
    for identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> COSKeyTime {
    let seconds = duration.components.seconds
    guard seconds >= 1, seconds < Int64(Int32.max) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 to \(Int32.max - 1) seconds.")
    }
    let start = identity.start ?? date
    let end = max(date, start).advanced(bySeconds: seconds)
    return try validated(COSKeyTime(from: start, until: end), for: identity)
  }

  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    fields.isEmpty ? fields : fields.filter { policy.signs($0.name.canonicalName) }
  }

  func httpString(presigning request: HTTPRequest) -> COSHTTPString {
    COSHTTPString(
      policy: policy, refusedParameters: RefusedParameters(Self.addedParameters, before: request.path?.utf8.count ?? 1))
  }

  /// Returns the header fields and the path, including the query, that the signature of a presigned URL covers.
  func fieldsAndPath(
    presigning request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> (fields: HTTPFields, path: String) {
    try requireSignable(request)
    let path = request.path ?? "/"
    let fields = request.headerFields.without(Self.signatureHeaders)
    guard let token = identity.sessionToken else { return (fields, path) }
    let extended = String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("x-cos-security-token=")
      writer.append(percentEncoding: token)
    })
    return (fields, extended)
  }

  private static let signatureHeaders: [HTTPField.Name] = [.authorization, .cosSecurityToken]
  /// The names of the query parameters that signing adds to a URL, which the request must not contain before.
  private static let addedParameters = NameTable(["sign", "x-cos-security-token"] + COSAuthorization.fieldNames)

  func append(
    signatureParametersOf id: AccessKeyID, after path: String, in window: COSKeyTime, headerList: Span<UInt8>,
    parameterList: COSHTTPString.Write, to writer: inout ByteWriter
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
    // The names in the lists are already encoded, and are encoded again as the value of a parameter.
    writer.append("&q-header-list=")
    writer.append(percentEncoding: headerList)
    writer.append("&q-url-param-list=")
    writer.append(percentEncoding: String(writing: parameterList))
    writer.append("&q-signature=")
  }
}
