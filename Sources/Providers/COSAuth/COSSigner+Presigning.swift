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
    let url = try urlHTTPString(for: request).withHTTPString(request, fields: FieldDraft(fields), path: path) {
      appendText, headerList, appendParameterList in
      let signature = window.signature(of: SHA1.hash(writing: appendText), with: key)
      return String(writing: { writer in
        writer.append(originOf: request)
        append(
          urlPath: path, signedBy: key.id, in: window, headerList: headerList,
          appendParameterList: appendParameterList, to: &writer)
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
  /// The path of the request must end with a slash. The parameters are those of ``presign(_:with:during:)``.
  ///
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
    let httpString = urlHTTPString(for: request)
    let textThroughPath = try httpString.withHTTPString(
      request, fields: FieldDraft(fields), path: path, part: .throughPath
    ) { appendText, _, _ in [UInt8](writing: appendText) }
    return try httpString.withHTTPString(request, fields: FieldDraft(fields), path: path, part: .afterPath) {
      appendText, headerList, appendParameterList in
      ObjectPresigner(
        .hashedSHA1(window.startedSigningKey(of: key)),
        text: SignedFrame(start: textThroughPath, end: [UInt8](writing: appendText)),
        url: SignedFrame(urlFor: request, dividing: objectPath) { writer in
          append(
            urlPath: path, signedBy: key.id, in: window, headerList: headerList,
            appendParameterList: appendParameterList, to: &writer)
        }, method: request.method, headers: signedHeaders(of: fields), expiration: window.end)
    }
  }

  /// Returns the window of a presigned URL, whose lifetime is counted from the current time or the key's start time.
  ///
  /// The later of the two times counts, because a clock that shows a time before the key's start time is slow.
  func urlWindow(
    for identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> COSKeyTime {
    let seconds = duration.components.seconds
    guard (1...Self.maximumURLSeconds).contains(seconds) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 to \(Self.maximumURLSeconds) seconds.")
    }
    let start = identity.start ?? date
    let end = max(date, start).advanced(bySeconds: seconds)
    return try validated(COSKeyTime(from: start, until: end), for: identity)
  }

  /// The maximum lifetime of a URL, which only this package sets; COS documents none.
  private static let maximumURLSeconds = Int64(Int32.max) - 1

  /// Returns the headers that the user of a presigned URL must send.
  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    fields.isEmpty ? fields : fields.filter { policy.signs($0.name.canonicalName) }
  }

  /// Returns the selection of what a signature in a URL covers.
  func urlHTTPString(for request: HTTPRequest) -> COSHTTPString {
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
    let pathWithToken = String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("x-cos-security-token=")
      writer.append(percentEncoding: token)
    })
    return (fields, pathWithToken)
  }

  private static let signatureHeaders: [HTTPField.Name] = [.authorization, .cosSecurityToken]
  /// The names of the query parameters that signing adds to a URL, which the request must not contain before.
  private static let addedParameters = NameTable(["sign", "x-cos-security-token"] + COSAuthorization.fieldNames)

  /// Appends the path and the query of a presigned URL up to the signature.
  func append(
    urlPath path: String, signedBy id: AccessKeyID, in window: COSKeyTime, headerList: Span<UInt8>,
    appendParameterList: COSHTTPString.Append, to writer: inout ByteWriter
  ) {
    writer.append(path)
    writer.append(separatorAfter: path)
    guard urlForm == .parameters else {
      let authorization = String(writing: {
        $0.append(authorizationOf: id, in: window, headerList: headerList, appendParameterList: appendParameterList)
      })
      writer.append("sign=")
      writer.append(percentEncoding: authorization)
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
    writer.append(percentEncoding: String(writing: appendParameterList))
    writer.append("&q-signature=")
  }
}
