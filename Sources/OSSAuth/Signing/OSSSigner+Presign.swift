public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension OSSSigner {
  /// Signs a URL.
  ///
  /// Whoever uses the URL has to send the headers of the result exactly, and no Content-Type if there is none among
  /// them. V4 URLs work for 1 second to 7 days, with a temporary key for 12 hours at most; V1 has no upper limit.
  ///
  /// A V1 URL for a key that holds a question mark would also open what stands before it, with the rest as parameters.
  /// Such a key, and a parameter with the same problem, is refused unless ``allowsAmbiguousV1`` is set.
  ///
  /// - Parameters:
  ///   - request: What the URL is for.
  ///   - key: The key.
  ///   - duration: How long the URL works, in whole seconds from the context's date.
  ///   - context: The time of the act.
  /// - Returns: The URL, the headers that belong to it, and when it ends.
  /// - Throws: A ``SigningError`` if a limit is exceeded, the key ends first or is anonymous, or the request cannot be
  ///   signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a URL.",
        remedy: "Use the URL without a signature, or a key that has the right.")
    }
    try key.check()
    let draft = try draft(presigning: request, as: key.identity, validFor: duration, date: context.date)
    let signature = try signature(of: draft, with: key)
    let url = String(writing: { writer in
      writer.append(draft.request.scheme ?? "https")
      writer.append("://")
      writer.append(draft.request.authority ?? "")
      writer.append(draft.path ?? "/")
      append(urlSignature: signature, to: &writer)
    })
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: draft.request),
      expiration: draft.expiration ?? context.date)
  }

  /// Makes everything of a URL but its signature.
  func draft(
    presigning original: HTTPRequest, as identity: Identity, validFor duration: Duration, date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    try checkConfiguration()
    let seconds = try lifetime(duration, isTemporary: identity.sessionToken != nil)
    let end = date.wholeSeconds.advanced(by: .seconds(seconds))
    if let expiration = identity.expiration, expiration < end {
      throw .credentialEndsFirst(expiration, required: end)
    }
    let resource = try resource(of: original)
    var request = original
    if request.headerFields.contains(where: Self.isHeaderSignature) {
      request.headerFields.removeAll(where: Self.isHeaderSignature)
    }
    let path = original.path ?? "/"
    let hasQuery = path.utf8.contains(UInt8(ascii: "?"))
    if hasQuery { try WireQuery.refuse(Self.signatureParameters, in: path) }
    let extended = String(writing: { writer in
      writer.append(path)
      writer.append(UInt8(ascii: hasQuery ? "&" : "?"))
      switch version {
      case .v1: append(v1Parameters: identity, end: end, to: &writer)
      case .v4: append(v4Parameters: identity, of: original, seconds: seconds, date: date, to: &writer)
      }
    })
    // Of what was added, V1 signs the session token alone.
    let signed = identity.sessionToken == nil ? path : extended
    if version == .v1, !allowsAmbiguousV1,
      let problem = OSSV1String(resource: resource, subresources: subresources).ambiguity(of: signed)
    {
      throw problem
    }
    return OSSDraft(
      request: request, path: extended, resource: resource, date: date, dateLine: "\(end.unixSeconds)", expiration: end)
  }

  /// What a header signature sets, and what has no place beside a signature in the URL.
  private static func isHeaderSignature(_ field: HTTPField) -> Bool {
    field.name == .authorization || field.name == .ossSecurityToken || field.name == .ossDate
      || field.name == .ossContentSHA256
  }

  private func append(v1Parameters identity: Identity, end: Timestamp, to writer: inout ByteWriter) {
    writer.append("OSSAccessKeyId=")
    writer.append(percentEncoding: identity.id.string)
    writer.append("&Expires=")
    writer.append(end.unixSeconds)
    if let token = identity.sessionToken {
      writer.append("&security-token=")
      writer.append(percentEncoding: token)
    }
  }

  private func append(
    v4Parameters identity: Identity, of request: HTTPRequest, seconds: Int64, date: Timestamp,
    to writer: inout ByteWriter
  ) {
    writer.append("x-oss-signature-version=")
    writer.append(OSSText.v4Algorithm)
    writer.append("&x-oss-credential=")
    writer.append(percentEncoding: identity.id.string)
    writer.append("%2F")
    writer.append(compactDate: date)
    writer.append("%2F")
    writer.append(region)
    writer.append("%2F")
    writer.append(product)
    writer.append("%2F")
    writer.append(OSSText.v4Request)
    writer.append("&x-oss-date=")
    writer.append(basicDate: date)
    writer.append("&x-oss-expires=")
    writer.append(seconds)
    let present = additionalHeaders.filter(request.hasHeader)
    if !present.isEmpty {
      writer.append("&x-oss-additional-headers=")
      writer.append(percentEncoding: present.joined(separator: ";"))
    }
    if let token = identity.sessionToken {
      writer.append("&x-oss-security-token=")
      writer.append(percentEncoding: token)
    }
  }

  /// Appends the parameter that carries the signature.
  func append(urlSignature signature: Digest, to writer: inout ByteWriter) {
    writer.append(signatureParameter)
    switch version {
    case .v1: writer.append(percentEncodedBase64: signature)
    case .v4: writer.append(hex: signature)
    }
  }

  /// The parameter that carries the signature, up to its value.
  var signatureParameter: StaticString {
    switch version {
    case .v1: "&Signature="
    case .v4: "&x-oss-signature="
    }
  }

  /// The lifetime in seconds, checked against the limits of the version.
  private func lifetime(_ duration: Duration, isTemporary: Bool) throws(SigningError) -> Int64 {
    let seconds = duration.components.seconds
    let limits = version == .v1 ? 1...(.max / 2) : OSSLimits.urlSeconds(isTemporary: isTemporary)
    guard limits.contains(seconds) else {
      let range =
        version == .v1
        ? "1 second or more" : "1 to \(limits.upperBound) seconds\(isTemporary ? " with a temporary key" : "")"
      throw SigningError(
        .lifetimeOutOfRange, "A URL that works for \(seconds) seconds is not possible.",
        remedy: "Ask for \(range).")
    }
    return seconds
  }

  /// The headers of a request that its URL covers.
  func signedHeaders(of request: HTTPRequest) -> HTTPFields {
    if request.headerFields.isEmpty { return [:] }
    return request.headerFields.filter { field in
      let name = field.name.canonicalName
      return OSSV4Request.isSignedByRule(name) || version == .v4 && additionalHeaders.contains(name)
    }
  }
}
