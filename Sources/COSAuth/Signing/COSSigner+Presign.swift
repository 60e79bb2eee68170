public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension COSSigner {
  /// Signs a URL.
  ///
  /// Whoever uses the URL has to send the headers of the result exactly. The session token of a temporary key is in the
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
    try presign(request, with: key, during: urlWindow(for: key.identity, validFor: duration, at: context.date))
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
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a URL.",
        remedy: "Use the URL without a signature, or a key that has the right.")
    }
    try key.check()
    let window = try checked(window, for: key.identity)
    let (draft, path) = try draft(presigning: request, as: key.identity)
    let signingKey = window.signingKey(of: key)
    let url = try COSHTTPString(policy: policy).with(draft, path: path) { text, headerList, parameterList in
      let signature = signature(of: text, in: window, with: signingKey)
      return String(writing: { writer in
        writer.append(draft.scheme ?? "https")
        writer.append("://")
        writer.append(draft.authority ?? "")
        writer.append(path)
        append(
          signatureParametersOf: key.id, after: path, in: window, headerList: headerList,
          parameterList: parameterList, to: &writer)
        writer.append(hex: signature)
      })
    }
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: draft), expiration: window.end)
  }

  /// The headers of a request that its URL covers.
  func signedHeaders(of request: HTTPRequest) -> HTTPFields {
    let fields = request.headerFields
    return fields.isEmpty ? fields : fields.filter { policy.signs($0.name.canonicalName) }
  }

  /// The request and the path with everything that a signature in the URL covers.
  func draft(
    presigning original: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> (request: HTTPRequest, path: String) {
    try check(original)
    let path = original.path ?? "/"
    if path.utf8.contains(UInt8(ascii: "?")) { try WireQuery.refuse(Self.addedParameters, in: path) }
    var request = original
    if request.headerFields.contains(where: Self.isHeaderSignature) {
      request.headerFields.removeAll(where: Self.isHeaderSignature)
    }
    guard let token = identity.sessionToken else { return (request, path) }
    let extended = String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("x-cos-security-token=")
      writer.append(percentEncoding: token)
    })
    return (request, extended)
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

  /// Appends what stands between a path and one more parameter.
  mutating func append(separatorAfter path: String) {
    append(UInt8(ascii: path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"))
  }
}
