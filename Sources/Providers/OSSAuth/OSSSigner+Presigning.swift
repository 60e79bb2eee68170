// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension OSSSigner {
  /// Creates a presigned URL for a request to OSS.
  ///
  /// The client that uses the URL must send exactly the headers of the result, and no other `Content-Type`. A V4 URL is
  /// valid for 1 second to 7 days, or to 12 hours with a temporary key. V1 has no practical upper limit.
  ///
  /// A V1 URL for an object key with a question mark would also be valid for the key that ends before the question
  /// mark. Such object keys, and parameters with the same ambiguity, are rejected unless ``allowsAmbiguousV1`` is set.
  ///
  /// - Throws: The errors of `Presigner.presign(_:with:validFor:in:)`, which also describes the parameters.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: OSSText.idDelimiters)
    let identity = key.identity
    let draft = try urlDraft(of: request, as: identity, validFor: duration, date: context.date)
    let signature = try computeSignature(of: draft, for: request, with: key)
    let url = String(writing: { writer in
      writer.append(originOf: request)
      append(urlPathOf: draft, for: request, as: identity, to: &writer)
      writer.append(signatureParameter)
      if version == .v1 { writer.append(percentEncodedBase64: signature) } else { writer.append(hex: signature) }
    })
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date)
  }

  /// Creates a presigner of URLs that differ only in their objects' keys.
  ///
  /// The limits and the rules of a single presigned URL apply. The path must contain a bucket name that belongs there.
  ///
  /// - Throws: The errors of `Presigner.presigner(for:with:validFor:in:)`, which also describes the parameters.
  public func presigner(
    for request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> ObjectPresigner {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: OSSText.idDelimiters)
    let path = try ObjectPath(of: request)
    let identity = key.identity
    let draft = try urlDraft(of: request, as: identity, validFor: duration, date: context.date)
    // The path "/" needs no bucket name, but the path of an object does, so that of the object "/" is checked.
    let objectRequest = path.request("/", like: request)
    let resource = try resource(authority: objectRequest.authority, path: objectRequest.path ?? "/")
    if resource == .inPath, path.start == "/" { throw .bucketNotInPath }
    return ObjectPresigner(
      objectSignatureScheme(of: draft, with: key), text: try signedFrame(of: draft, for: request),
      url: SignedFrame(urlFor: request, dividing: path) { writer in
        append(urlPathOf: draft, for: request, as: identity, to: &writer)
        writer.append(signatureParameter)
      }, method: request.method, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date,
      questionMarkError: version == .v1 && !allowsAmbiguousV1 ? .questionMarkInKey : nil)
  }

  private func objectSignatureScheme(of draft: borrowing OSSDraft, with key: AccessKey) -> ObjectSignatureScheme {
    switch draft.scheme {
    case .v1: .hmacSHA1(Self.v1SigningKey(of: key))
    case .v4(let scope): .hashedSHA256(scope.startedSigningKey(of: key))
    }
  }

  /// Returns the signed text before and after the object's key.
  private func signedFrame(of draft: borrowing OSSDraft, for request: HTTPRequest) throws(SigningError) -> SignedFrame {
    switch draft.scheme {
    case .v1(let dateLine):
      SignedFrame(
        start: try withV1String(of: draft, for: request, dateLine, part: .throughPath) { [UInt8](writing: $0) },
        end: try withV1String(of: draft, for: request, dateLine, part: .afterPath) { [UInt8](writing: $0) })
    case .v4:
      SignedFrame(
        start: try withV4Request(of: draft, for: request, part: .throughPath) { [UInt8](writing: $0) },
        end: try withV4Request(of: draft, for: request, part: .afterPath) { [UInt8](writing: $0) })
    }
  }

  /// Returns the draft of a signature in a URL, which is valid for the given duration from a date.
  func urlDraft(
    of request: HTTPRequest, as identity: Identity, validFor duration: Duration, date: Timestamp
  ) throws(SigningError) -> OSSDraft {
    try checkConfiguration()
    let seconds = try lifetimeSeconds(of: duration, isTemporary: identity.sessionToken != nil)
    let expiration = date.advanced(bySeconds: seconds)
    try identity.requireValidity(until: expiration)
    let path = request.path ?? "/"
    let resource = try resource(authority: request.authority, path: path)
    let scheme: OSSDraft.Scheme
    let signedPath: String
    switch version {
    case .v4:
      let scope = OSSV4Scope(date: date, region: region, product: product)
      scheme = .v4(scope)
      signedPath = v4SignedPath(presigning: path, of: request, as: identity, seconds: seconds, in: scope)
    case .v1:
      scheme = .v1(.expiration(expiration))
      signedPath = v1SignedPath(presigning: path, as: identity)
    }
    return OSSDraft(
      fields: FieldDraft(request.headerFields.without(Self.signatureHeaders)), path: signedPath, resource: resource,
      scheme: scheme, expiration: expiration,
      refusedParameters: RefusedParameters(Self.signatureParameters, before: path.utf8.count))
  }

  /// Appends the path and the query of a presigned URL, except the signature.
  func append(
    urlPathOf draft: borrowing OSSDraft, for request: HTTPRequest, as identity: Identity, to writer: inout ByteWriter
  ) {
    switch draft.scheme {
    case .v4: writer.append(draft.path)
    case .v1(let dateLine): append(v1URLPath: request.path ?? "/", dateLine, as: identity, to: &writer)
    }
  }

  /// The headers that only a signature in the headers uses, so that a request for a URL does not keep them.
  private static let signatureHeaders: [HTTPField.Name] =
    [.authorization, .ossSecurityToken, .ossDate, .ossContentSHA256]

  var signatureParameter: StaticString { version == .v1 ? "&Signature=" : "&x-oss-signature=" }

  private func lifetimeSeconds(of duration: Duration, isTemporary: Bool) throws(SigningError) -> Int64 {
    let seconds = duration.components.seconds
    // V1 sets no limit; half of the numbers keep the expiration within their range.
    let limits = version == .v1 ? 1...(.max / 2) : OSSLimits.urlLifetimeSeconds(isTemporary: isTemporary)
    guard limits.contains(seconds) else {
      let keyNote = isTemporary ? " with a temporary key" : ""
      let range = version == .v1 ? "1 second or more" : "1 to \(limits.upperBound) seconds\(keyNote)"
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.", remedy: "Request \(range).")
    }
    return seconds
  }

  /// Returns the headers that the signature of a presigned URL covers; V1 and V4 sign the same ones by rule.
  func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    if fields.isEmpty { return [:] }
    return fields.filter { field in
      let name = field.name.canonicalName
      return OSSV4Request.isSignedByRule(name) || (version == .v4 && additionalHeaders.contains(name))
    }
  }
}
