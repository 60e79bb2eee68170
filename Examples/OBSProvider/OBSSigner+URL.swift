// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

extension OBSSigner {
  /// The upper limit of a presigned URL's lifetime: "less than 20 years" according to the documentation.
  static let urlLifetime = Duration.seconds(20 * 365 * 86_400)

  /// Creates a presigned URL.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes. The client must send exactly its Content-Type, Content-MD5 and
  ///     `x-obs-` headers.
  ///   - key: The access key that signs the URL.
  ///   - duration: The lifetime of the URL, in whole seconds, less than 20 years.
  ///   - context: The signing time.
  /// - Returns: The URL, the headers that the client must send, and the expiration.
  /// - Throws: A `SigningError` if the lifetime is out of range, the key is anonymous or expires before the URL, or the
  ///   request cannot be signed.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous { throw Self.anonymous }
    try key.check()
    let (draft, end) = try draft(presigning: request, as: key.identity, validFor: duration, at: context.date)
    let code = key.authenticationCode(for: draft.stringToSign, using: .hmacSHA1)
    let signed = Self.adding(code.base64, to: draft.request)
    return PresignedRequest(
      method: request.method,
      url: "\(request.scheme ?? "https")://\(request.authority ?? "")\(signed.path ?? "/")",
      headers: Self.signedFields(of: draft.request), expiration: end)
  }

  /// Returns a request whose path contains all signed parameters except the signature, and the expiration of the URL.
  func draft(
    presigning original: HTTPRequest, as identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> (OBSDraft, expiration: Timestamp) {
    let seconds = duration.components.seconds
    guard seconds > 0, duration < Self.urlLifetime else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 second or more, and less than 20 years.")
    }
    let end = date.wholeSeconds.advanced(by: .seconds(seconds))
    if let expiration = identity.expiration, expiration < end {
      throw .credentialEndsFirst(expiration, required: end)
    }
    try refuse(OBSName.authorization.union([OBSName.token, "expires"]), in: address(of: original))
    var request = original
    request.headerFields[.authorization] = nil
    request.headerFields[OBSField.token] = nil
    var path = original.path ?? "/"
    path += path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    path += "AccessKeyId=\(ByteExactString(identity.id.string).percentEncoded())&Expires=\(end.unixSeconds)"
    if let token = identity.sessionToken {
      path += "&\(OBSName.token)=\(ByteExactString(token.reveal()).percentEncoded())"
    }
    request.path = path
    let text = try OBSStringToSign(address: address(of: request), subresources: subresources)
      .text(of: request, date: "\(end.unixSeconds)")
    return (OBSDraft(request: request, stringToSign: text), end)
  }

  /// Returns a request with the signature at the end of its URL.
  static func adding(_ signature: String, to request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.path = "\(request.path ?? "/")&Signature=\(ByteExactString(signature).percentEncoded())"
    return request
  }

  /// Returns the headers of a request that are included in its signature.
  static func signedFields(of request: HTTPRequest) -> HTTPFields {
    HTTPFields(request.headerFields.filter { OBSName.signsHeader($0.name.canonicalName) })
  }

  /// Creates the string to sign for a request, for a key that another party holds.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The ID of the key that will sign, with the session token of a temporary key.
  ///   - context: The signing time.
  /// - Returns: The string to sign, with the state that ``finish(_:signature:)`` needs.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check()
    let draft = try draft(of: request, as: identity, at: context.date)
    return PendingSignature(
      .obs, stringToSign: draft.stringToSign, canonicalRequest: nil, identity: identity, expiration: nil,
      request: draft.request, isPresigned: false, signedHeaders: [:],
      authorizationPrefix: Self.authorizationPrefix(identity.id))
  }

  /// Creates the string to sign for a presigned URL, for a key that another party holds.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The ID of the key that will sign, with the session token of a temporary key.
  ///   - duration: The lifetime of the URL, in whole seconds, less than 20 years.
  ///   - context: The signing time.
  /// - Returns: The string to sign, with the state that ``finish(_:signature:)`` needs.
  /// - Throws: A `SigningError` if the request cannot be signed, the identity is invalid, or the lifetime is out of
  ///   range.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check()
    let (draft, end) = try draft(presigning: request, as: identity, validFor: duration, at: context.date)
    return PendingSignature(
      .obs, stringToSign: draft.stringToSign, canonicalRequest: nil, identity: identity, expiration: end,
      request: draft.request, isPresigned: true, signedHeaders: Self.signedFields(of: draft.request),
      authorizationPrefix: Self.authorizationPrefix(identity.id))
  }

  /// Adds a signature to a prepared request or presigned URL.
  ///
  /// - Parameters:
  ///   - pending: The pending signature that `prepare` returned.
  ///   - signature: The bare signature, or the whole value of the Authorization header.
  /// - Returns: The signed request. For a presigned URL, the request path contains the signature.
  /// - Throws: A `SigningError` if the signature is malformed or belongs to another access key ID.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    var bare = ByteExactString(signature)
    let prefix = ByteExactString(pending.authorizationPrefix)
    if bare.starts(with: prefix) { bare = ByteExactString(Substring(signature.utf8.dropFirst(prefix.utf8.count))) }
    guard AuthenticationCode(base64: bare.string, .hmacSHA1) != nil else {
      throw SigningError(
        .invalidSignature, "The signature has another form than that of OBS, or another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    if pending.isPresigned { return Self.adding(bare.string, to: pending.request) }
    var request = pending.request
    request.headerFields[.authorization] = pending.authorizationPrefix + bare.string
    return request
  }
}
