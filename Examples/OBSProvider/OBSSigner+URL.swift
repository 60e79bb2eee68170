public import HTTPTypes
public import StorageAuth

extension OBSSigner {
  /// The longest lifetime of a URL: "less than 20 years".
  static let urlLifetime = Duration.seconds(20 * 365 * 86_400)

  /// Returns until when a key has to be valid so that a URL signed at `date` works for its whole duration.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }

  /// Signs a URL.
  ///
  /// - Parameters:
  ///   - request: What the URL is for; its user has to send Content-Type, Content-MD5 and `x-obs-` headers exactly.
  ///   - key: The key.
  ///   - duration: How long the URL works, in whole seconds; less than 20 years.
  ///   - context: The time of the act.
  /// - Returns: The URL, the headers that belong to it, and when it ends.
  /// - Throws: A `SigningError` if the lifetime is not possible, the key ends first or is anonymous, or the request cannot
  ///   be signed.
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

  /// Makes everything of a URL but its signature; the path of the draft's request holds what is signed.
  func draft(
    presigning original: HTTPRequest, as identity: Identity, validFor duration: Duration, at date: Timestamp
  ) throws(SigningError) -> (OBSDraft, expiration: Timestamp) {
    let seconds = duration.components.seconds
    guard seconds > 0, duration < Self.urlLifetime else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL that works for \(seconds) seconds is not possible.",
        remedy: "Ask for 1 second or more, and less than 20 years.")
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
    path += "AccessKeyId=\(WireText(identity.id.string).percentEncoded())&Expires=\(end.unixSeconds)"
    if let token = identity.sessionToken {
      path += "&\(OBSName.token)=\(WireText(token.reveal()).percentEncoded())"
    }
    request.path = path
    let text = try OBSStringToSign(address: address(of: request), subresources: subresources)
      .text(of: request, date: "\(end.unixSeconds)")
    return (OBSDraft(request: request, stringToSign: text), end)
  }

  /// Returns a request with a signature at the end of its URL.
  static func adding(_ signature: String, to request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.path = "\(request.path ?? "/")&Signature=\(WireText(signature).percentEncoded())"
    return request
  }

  /// The headers of a request that its signature covers.
  static func signedFields(of request: HTTPRequest) -> HTTPFields {
    HTTPFields(request.headerFields.filter { OBSName.signsHeader($0.name.canonicalName) })
  }

  /// Makes the string to sign of a request whose key is kept elsewhere.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - identity: Who signs.
  ///   - context: The time of the act.
  /// - Returns: The string to sign and what is needed to go on.
  /// - Throws: A `SigningError` if the request or the identity cannot be used.
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

  /// Makes the string to sign of a URL whose key is kept elsewhere.
  ///
  /// - Parameters:
  ///   - request: What the URL is for.
  ///   - identity: Who signs.
  ///   - duration: How long the URL works, in whole seconds; less than 20 years.
  ///   - context: The time of the act.
  /// - Returns: The string to sign and what is needed to go on.
  /// - Throws: A `SigningError` if the request or the identity cannot be used, or the lifetime is not possible.
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

  /// Puts a signature into the request that it was made for.
  ///
  /// - Parameters:
  ///   - pending: What `prepare` returned.
  ///   - signature: The bare signature, or the whole value of the Authorization header.
  /// - Returns: The signed request; for a URL, its path carries the authorization.
  /// - Throws: A `SigningError` if the signature has the wrong form or names another id.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    var bare = WireText(signature)
    let prefix = WireText(pending.authorizationPrefix)
    if bare.starts(with: prefix) { bare = WireText(Substring(signature.utf8.dropFirst(prefix.utf8.count))) }
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
