// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// The components of a string to sign for an OSS request, except the method and the authority.
struct OSSDraft: ~Copyable {
  /// The header fields of the request, complete except for the signature.
  var fields: FieldDraft
  /// The path to sign, including the query parameters that a signature in the URL covers.
  let path: String
  /// Whether the signature becomes part of the URL rather than of the headers.
  let isPresigned: Bool
  /// The part of the request, or of the configuration, that contains the bucket name.
  let resource: OSSResource
  /// The version of the signature, with the values that the version derives from the signing time.
  let scheme: Scheme
  /// The expiration of a presigned URL, or `nil` for a signature in the headers.
  let expiration: Timestamp?

  enum Scheme {
    /// A V1 signature, with the date line of the string to sign.
    case v1(OSSV1String.Date)
    /// A V4 signature, with the scope of the signing key.
    case v4(OSSV4Scope)
  }

  /// The query parameters that contain a signature, which a request must not contain before it is signed.
  let refused: RefusedParameters
}

extension OSSSigner {
  /// Returns the components of the string to sign for a request that is signed in its headers.
  func draft(
    _ original: HTTPRequest, token: HTTPField?, date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    let path = original.path ?? "/"
    let resource = try resource(authority: original.authority, path: path)
    var fields = FieldDraft(original.headerFields, adding: 4)
    let scheme: OSSDraft.Scheme
    switch version {
    case .v4:
      let scope = OSSV4Scope(date: date, region: region, product: product)
      fields.set(HTTPField(name: .ossDate) { $0.append(basicDate: scope.time) })
      fields.set(OSSText.unsignedPayloadField)
      scheme = .v4(scope)
    case .v1:
      scheme = .v1(.line(try setDate(of: &fields, to: date)))
    }
    if let token { fields.set(token) } else { fields.remove(.ossSecurityToken) }
    return OSSDraft(
      fields: fields, path: path, isPresigned: false, resource: resource, scheme: scheme, expiration: nil,
      refused: RefusedParameters(Self.signatureParameters))
  }

  /// Sets the date of a V1 request, unless the caller has set `x-oss-date`, which takes precedence as it does at the
  /// service.
  private func setDate(of fields: inout FieldDraft, to date: Timestamp) throws(SigningError) -> String {
    guard let index = fields.index(of: .ossDate) else {
      let text = String(writing: { $0.append(httpDate: date) })
      fields.set(HTTPField(name: .date, value: text))
      return text
    }
    let chosen = fields.fields[index].value
    guard Timestamp(httpDate: chosen) != nil else {
      throw SigningError(
        .invalidHeader, "The header x-oss-date is not an HTTP date.",
        remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
    }
    if fields.index(of: .date) != nil { fields.set(HTTPField(name: .date, value: chosen)) }
    return chosen
  }

  /// The names of the query parameters that contain the signature in a URL.
  static let signatureParameters = NameTable([
    "Signature", "OSSAccessKeyId", "Expires", "x-oss-signature", "x-oss-credential", "x-oss-signature-version",
  ])
}

extension OSSSigner {
  /// Signs a request by adding the signature to its headers.
  ///
  /// V4 sets `x-oss-date`, `x-oss-content-sha256` (`UNSIGNED-PAYLOAD`) and `Authorization`. V1 sets `Authorization`
  /// and, unless the request contains `x-oss-date`, `Date`. Both versions set `x-oss-security-token` if the key is
  /// temporary.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - key: The access key; `AccessKey.anonymous` leaves the request unchanged.
  ///   - context: The signing time.
  /// - Throws: A `SigningError` if the request, the key or the signer's configuration is invalid. The request is then
  ///   unchanged.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    var draft = try draft(request, token: key.tokenField(named: .ossSecurityToken), date: context.date)
    let signature = try signature(of: draft, for: request, with: key)
    let authorization = HTTPField(name: .authorization) { writer in
      append(prefixOf: draft, for: request, id: key.id, to: &writer)
      append(signature, to: &writer)
    }
    draft.fields.set(authorization)
    request.headerFields = draft.fields.fields
  }

  /// Returns the signature of a request from the components of its string to sign.
  func signature(
    of draft: borrowing OSSDraft, for request: HTTPRequest, with key: AccessKey
  ) throws(SigningError) -> Digest {
    switch draft.scheme {
    case .v1(let date):
      let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
      return try withV1String(of: draft, for: request, date) { signingKey.authenticationCode(writing: $0) }
    case .v4(let scope):
      let hash = try withV4Request(of: draft, for: request) { SHA256.hash(writing: $0) }
      return scope.signingKey(of: key).authenticationCode { scope.append(stringToSign: hash, to: &$0) }
    }
  }

  /// Calls `body` with a function that appends the V1 string to sign for a request.
  func withV1String<Result>(
    of draft: borrowing OSSDraft, for request: HTTPRequest, _ date: OSSV1String.Date,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV1String(resource: draft.resource, subresources: subresources)
      .withStringToSign(
        request, fields: draft.fields.fields, path: draft.path, date: date, refusing: draft.refused,
        allowsAmbiguity: !draft.isPresigned || allowsAmbiguousV1, body)
  }

  /// Calls `body` with a function that appends the V4 canonical request.
  func withV4Request<Result>(
    of draft: borrowing OSSDraft, for request: HTTPRequest, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV4Request(resource: draft.resource, additional: additionalHeaders)
      .withCanonicalRequest(
        request, fields: draft.fields.fields, path: draft.path, refusing: draft.refused, body)
  }

  /// Appends the value of the `Authorization` header up to the signature.
  func append(
    prefixOf draft: borrowing OSSDraft, for request: HTTPRequest, id: AccessKeyID, to writer: inout ByteWriter
  ) {
    switch draft.scheme {
    case .v1:
      writer.append("OSS ")
      writer.append(id.string)
      writer.append(UInt8(ascii: ":"))
    case .v4(let scope):
      writer.append(OSSText.v4Algorithm)
      writer.append(" Credential=")
      writer.append(id.string)
      writer.append(UInt8(ascii: "/"))
      scope.append(to: &writer)
      if additionalHeaders.isEmpty { return writer.append(",Signature=") }
      let names = presentAdditionalHeaders(of: request, draft.fields.fields)
      if !names.isEmpty {
        writer.append(",AdditionalHeaders=")
        writer.append(names)
      }
      writer.append(",Signature=")
    }
  }

  /// Appends a signature in the encoding of the signer's version: Base64 for V1, and hexadecimal for V4.
  func append(_ signature: Digest, to writer: inout ByteWriter) {
    switch version {
    case .v1: writer.append(base64: signature)
    case .v4: writer.append(hex: signature)
    }
  }
}

extension OSSSigner {
  /// Creates a presigned URL for a request to OSS.
  ///
  /// The client that uses the URL must send exactly the headers of the result, and no `Content-Type` unless the result
  /// contains it. A V4 URL is valid for 1 second to 7 days, or for at most 12 hours if the access key is temporary. V1
  /// has no upper limit.
  ///
  /// If an object key contains a question mark, a V1 URL for the object would also be valid for another object: the key
  /// of that object ends before the question mark, and the remainder would be query parameters. Such object keys, and
  /// parameters with the same ambiguity, are rejected unless ``allowsAmbiguousV1`` is set.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - key: The access key that signs the URL.
  ///   - duration: The lifetime of the URL in whole seconds, starting at the context's date.
  ///   - context: The signing time.
  /// - Returns: The URL, the headers that the client must send with the URL, and the expiration.
  /// - Throws: A `SigningError` if a limit is exceeded, if the key is anonymous or expires before the URL, or if the
  ///   request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a URL.",
        remedy: "Use the URL without a signature, or a key that has the right.")
    }
    try key.check(idWithout: OSSText.idDelimiters)
    let identity = key.identity
    let authority = request.authority
    let draft = try draft(
      presigning: request, authority: authority, as: identity, validFor: duration, date: context.date)
    let signature = try signature(of: draft, for: request, with: key)
    let url = String(writing: { writer in
      writer.append(request.scheme ?? "https")
      writer.append("://")
      writer.append(authority ?? "")
      append(pathOf: draft, for: request, as: identity, to: &writer)
      append(urlSignature: signature, to: &writer)
    })
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date)
  }

  /// Returns the components of the string to sign for a presigned URL.
  func draft(
    presigning original: HTTPRequest, authority: String?, as identity: Identity, validFor duration: Duration,
    date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    try checkConfiguration()
    let seconds = try lifetime(duration, isTemporary: identity.sessionToken != nil)
    let end = date.advanced(bySeconds: seconds)
    if let expiration = identity.expiration, expiration < end {
      throw .credentialEndsFirst(expiration, required: end)
    }
    let path = original.path ?? "/"
    let resource = try resource(authority: authority, path: path)
    var fields = original.headerFields
    if fields.contains(where: Self.isHeaderSignature) { fields.removeAll(where: Self.isHeaderSignature) }
    let scheme: OSSDraft.Scheme
    let signed: String
    switch version {
    case .v4:
      let scope = OSSV4Scope(date: date, region: region, product: product)
      scheme = .v4(scope)
      signed = String(writing: { writer in
        writer.append(path)
        writer.append(separatorAfter: path)
        append(v4Parameters: identity, of: original, seconds: seconds, in: scope, to: &writer)
      })
    case .v1:
      scheme = .v1(.end(end))
      // V1 signs only one of the added parameters: the session token.
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
      fields: FieldDraft(fields), path: signed, isPresigned: true, resource: resource, scheme: scheme,
      expiration: end, refused: RefusedParameters(Self.signatureParameters, before: path.utf8.count))
  }

  /// Appends the path and the query of a presigned URL, except the signature.
  func append(
    pathOf draft: borrowing OSSDraft, for request: HTTPRequest, as identity: Identity, to writer: inout ByteWriter
  ) {
    switch draft.scheme {
    case .v4: writer.append(draft.path)
    case .v1(let date):
      let path = request.path ?? "/"
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("OSSAccessKeyId=")
      writer.append(percentEncoding: identity.id.string)
      writer.append("&Expires=")
      writer.append(date)
      guard let token = identity.sessionToken else { return }
      writer.append(UInt8(ascii: "&"))
      append(v1Token: token, to: &writer)
    }
  }

  private func append(v1Token token: Secret, to writer: inout ByteWriter) {
    writer.append("security-token=")
    writer.append(percentEncoding: token)
  }

  /// Returns whether a header field belongs to a signature in the headers.
  ///
  /// A presigned URL must not have such a field.
  private static func isHeaderSignature(_ field: HTTPField) -> Bool {
    field.name == .authorization || field.name == .ossSecurityToken || field.name == .ossDate
      || field.name == .ossContentSHA256
  }

  private func append(
    v4Parameters identity: Identity, of request: HTTPRequest, seconds: Int64, in scope: OSSV4Scope,
    to writer: inout ByteWriter
  ) {
    writer.append("x-oss-signature-version=")
    writer.append(OSSText.v4Algorithm)
    writer.append("&x-oss-credential=")
    writer.append(percentEncoding: identity.id.string)
    writer.append("%2F")
    scope.append(to: &writer, separator: "%2F")
    writer.append("&x-oss-date=")
    writer.append(basicDate: scope.time)
    writer.append("&x-oss-expires=")
    writer.append(seconds)
    let names = presentAdditionalHeaders(of: request, request.headerFields)
    if !names.isEmpty {
      writer.append("&x-oss-additional-headers=")
      writer.append(percentEncoding: names)
    }
    if let token = identity.sessionToken {
      writer.append("&x-oss-security-token=")
      writer.append(percentEncoding: token)
    }
  }

  /// Appends the query parameter that contains the signature to a presigned URL.
  func append(urlSignature signature: Digest, to writer: inout ByteWriter) {
    writer.append(signatureParameter)
    switch version {
    case .v1: writer.append(percentEncodedBase64: signature)
    case .v4: writer.append(hex: signature)
    }
  }

  /// The query parameter that contains the signature in a URL, up to and including `=`.
  var signatureParameter: StaticString {
    switch version {
    case .v1: "&Signature="
    case .v4: "&x-oss-signature="
    }
  }

  /// Returns the lifetime of a presigned URL in seconds, or throws an error if the signature version does not allow it.
  private func lifetime(_ duration: Duration, isTemporary: Bool) throws(SigningError) -> Int64 {
    let seconds = duration.components.seconds
    let limits = version == .v1 ? 1...(.max / 2) : OSSLimits.urlSeconds(isTemporary: isTemporary)
    guard limits.contains(seconds) else {
      let range =
        version == .v1
        ? "1 second or more" : "1 to \(limits.upperBound) seconds\(isTemporary ? " with a temporary key" : "")"
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request \(range).")
    }
    return seconds
  }

  /// Returns the headers that the signature of a presigned URL covers.
  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    if fields.isEmpty { return [:] }
    return fields.filter { field in
      let name = field.name.canonicalName
      return OSSV4Request.isSignedByRule(name) || version == .v4 && additionalHeaders.contains(name)
    }
  }

  /// Returns the names of the additional headers that a request contains, separated by `;`.
  private func presentAdditionalHeaders(of request: HTTPRequest, _ fields: HTTPFields) -> String {
    additionalHeaders.filter { name in
      name == "host" ? request.authority != nil : fields.contains { $0.name.canonicalName == name }
    }.joined(separator: ";")
  }
}
