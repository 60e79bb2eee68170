public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A request with everything that its signature covers, and the way to that signature.
struct OSSDraft {
  /// The request; only the signature is missing.
  var request: HTTPRequest
  /// The path with what the signature covers in a URL; `nil` for a signature in the headers.
  var path: String?
  /// Where the bucket comes from.
  let resource: OSSResource
  /// When it is signed.
  let date: Timestamp
  /// What stands for the date in V1.
  let v1Date: OSSV1String.Date
  /// When the URL ends; `nil` for a signature in the headers.
  let expiration: Timestamp?
  /// The parameters that a request must not have: those that carry a signature, in front of what the signer adds.
  var refused = RefusedParameters(OSSSigner.signatureParameters)
}

extension OSSSigner {
  /// Makes everything of a header signature but the signature.
  func draft(
    _ original: HTTPRequest, token: HTTPField?, date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    let resource = try resource(of: original)
    var request = original
    request.headerFields.reserveCapacity(original.headerFields.count + 4)
    var v1Date = OSSV1String.Date.line("")
    switch version {
    case .v4:
      request.headerFields.replace(HTTPField(name: .ossDate) { $0.append(basicDate: date) })
      request.headerFields.replace(OSSText.unsignedPayloadField)
    case .v1:
      v1Date = .line(try setDate(of: &request, to: date))
    }
    if let token {
      request.headerFields.replace(token)
    } else if request.headerFields.index(of: .ossSecurityToken) != nil {
      request.headerFields[.ossSecurityToken] = nil
    }
    return OSSDraft(
      request: request, resource: resource, date: date, v1Date: v1Date, expiration: nil)
  }

  /// Sets the date of a V1 request; one that the caller chose with `x-oss-date` wins, as it does at the service.
  private func setDate(of request: inout HTTPRequest, to date: Timestamp) throws(SigningError) -> String {
    guard let index = request.headerFields.index(of: .ossDate) else {
      let field = HTTPField(name: .date) { $0.append(httpDate: date) }
      request.headerFields.replace(field)
      return field.value
    }
    let chosen = request.headerFields[index].value
    guard Timestamp(httpDate: chosen) != nil else {
      throw SigningError(
        .invalidHeader, "The header x-oss-date is not a date as HTTP writes it.",
        remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
    }
    if request.headerFields.contains(.date) { request.headerFields.replace(HTTPField(name: .date, value: chosen)) }
    return chosen
  }

  /// What carries a signature in a URL.
  static let signatureParameters = NameTable([
    "Signature", "OSSAccessKeyId", "Expires", "x-oss-signature", "x-oss-credential", "x-oss-signature-version",
  ])
}

extension OSSSigner {
  /// Signs a request in its headers.
  ///
  /// V4 sets `x-oss-date`, `x-oss-content-sha256` (`UNSIGNED-PAYLOAD`) and `Authorization`; V1 sets `Date`, unless there
  /// is an `x-oss-date`, and `Authorization`. Both set `x-oss-security-token` for a temporary key.
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
    try key.check()
    try checkConfiguration()
    var draft = try draft(request, token: key.tokenField(named: .ossSecurityToken), date: context.date)
    let signature = try signature(of: draft, with: key)
    let authorization = HTTPField(name: .authorization) { writer in
      append(prefixOf: draft, id: key.id, to: &writer)
      append(signature, to: &writer)
    }
    draft.request.headerFields.replace(authorization)
    request = draft.request
  }

  /// The signature of a draft.
  func signature(of draft: OSSDraft, with key: AccessKey) throws(SigningError) -> Digest {
    switch version {
    case .v1:
      let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
      return try withV1String(of: draft) { signingKey.authenticationCode(writing: $0) }
    case .v4:
      let hash = try withV4Request(of: draft) { SHA256.hash(writing: $0) }
      let scope = OSSV4Scope(date: draft.date, region: region, product: product)
      return scope.signingKey(of: key).authenticationCode {
        scope.append(stringToSign: hash, date: draft.date, to: &$0)
      }
    }
  }

  /// Hands a function that writes the V1 string to sign to `body`.
  func withV1String<Result>(
    of draft: OSSDraft, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV1String(resource: draft.resource, subresources: subresources)
      .withStringToSign(
        draft.request, path: draft.path, date: draft.v1Date, refusing: draft.refused,
        allowsAmbiguity: draft.path == nil || allowsAmbiguousV1, body)
  }

  /// Hands a function that writes the V4 canonical request to `body`.
  func withV4Request<Result>(
    of draft: OSSDraft, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV4Request(resource: draft.resource, additional: additionalHeaders)
      .withCanonicalRequest(draft.request, path: draft.path, refusing: draft.refused, body)
  }

  /// Appends the authorization up to the signature.
  func append(prefixOf draft: OSSDraft, id: AccessKeyID, to writer: inout ByteWriter) {
    switch version {
    case .v1:
      writer.append("OSS ")
      writer.append(id.string)
      writer.append(UInt8(ascii: ":"))
    case .v4:
      writer.append(OSSText.v4Algorithm)
      writer.append(" Credential=")
      writer.append(id.string)
      writer.append(UInt8(ascii: "/"))
      OSSV4Scope(date: draft.date, region: region, product: product).append(to: &writer)
      if additionalHeaders.contains(where: draft.request.hasHeader) {
        writer.append(",AdditionalHeaders=")
        writer.append(additionalHeadersOf: draft.request, additionalHeaders)
      }
      writer.append(",Signature=")
    }
  }

  /// Appends a signature in the form of the version.
  func append(_ signature: Digest, to writer: inout ByteWriter) {
    switch version {
    case .v1: writer.append(base64: signature)
    case .v4: writer.append(hex: signature)
    }
  }
}

extension OSSSigner {
  /// Signs a URL.
  ///
  /// The holder of the URL has to send the headers of the result exactly, and no Content-Type if there is none among
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
    let identity = key.identity
    let draft = try draft(presigning: request, as: identity, validFor: duration, date: context.date)
    let signature = try signature(of: draft, with: key)
    let url = String(writing: { writer in
      writer.append(draft.request.scheme ?? "https")
      writer.append("://")
      writer.append(draft.request.authority ?? "")
      append(pathOf: draft, as: identity, to: &writer)
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
    let end = date.advanced(bySeconds: seconds)
    if let expiration = identity.expiration, expiration < end {
      throw .credentialEndsFirst(expiration, required: end)
    }
    let resource = try resource(of: original)
    var request = original
    if request.headerFields.contains(where: Self.isHeaderSignature) {
      request.headerFields.removeAll(where: Self.isHeaderSignature)
    }
    let path = original.path ?? "/"
    let signed: String
    switch version {
    case .v4:
      signed = String(writing: { writer in
        writer.append(path)
        writer.append(separatorAfter: path)
        append(v4Parameters: identity, of: original, seconds: seconds, date: date, to: &writer)
      })
    case .v1:
      // Of what is added, V1 signs the session token alone.
      signed =
        identity.sessionToken.map { token in
          String(writing: { writer in
            writer.append(path)
            writer.append(separatorAfter: path)
            append(v1Token: token, to: &writer)
          })
        } ?? path
    }
    return OSSDraft(
      request: request, path: signed, resource: resource, date: date, v1Date: .end(end), expiration: end,
      refused: RefusedParameters(Self.signatureParameters, before: path.utf8.count))
  }

  /// Appends the path of a URL with every parameter but the signature.
  func append(pathOf draft: OSSDraft, as identity: Identity, to writer: inout ByteWriter) {
    switch version {
    case .v4: writer.append(draft.path ?? "/")
    case .v1:
      let path = draft.request.path ?? "/"
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("OSSAccessKeyId=")
      writer.append(percentEncoding: identity.id.string)
      writer.append("&Expires=")
      writer.append(draft.v1Date)
      guard let token = identity.sessionToken else { return }
      writer.append(UInt8(ascii: "&"))
      append(v1Token: token, to: &writer)
    }
  }

  private func append(v1Token token: Secret, to writer: inout ByteWriter) {
    writer.append("security-token=")
    writer.append(percentEncoding: token)
  }

  /// What a header signature sets, and what has no place beside a signature in the URL.
  private static func isHeaderSignature(_ field: HTTPField) -> Bool {
    field.name == .authorization || field.name == .ossSecurityToken || field.name == .ossDate
      || field.name == .ossContentSHA256
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
