public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension COSSigner {
  /// Signs a request in its headers: sets `Authorization` and, for a temporary key, `x-cos-security-token`.
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
    try sign(&request, with: key, during: headerWindow(for: key.identity, at: context.date))
  }

  /// Signs a request in its headers, for a window of the caller's choice.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The key; ``AccessKey/anonymous`` leaves the request as it is.
  ///   - window: When the signature is valid, in the service's time; it must not end after the key.
  /// - Throws: A ``SigningError``; the request is untouched then.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var signed = try draft(request, token: key.tokenField(named: .cosSecurityToken))
    let window = try checked(window, for: key.identity)
    let signingKey = window.signingKey(of: key)
    var string = httpString
    string.encodedToken = key.encodedToken
    let authorization = try string.with(signed) { text, headerList, parameterList in
      let signature = signature(of: text, in: window, with: signingKey)
      return HTTPField(name: .authorization) { writer in
        writer.append(authorizationOf: key.id, in: window, headerList: headerList, parameterList: parameterList)
        writer.append(hex: signature)
      }
    }
    signed.headerFields.replace(authorization)
    request = signed
  }

  /// The text of a request that is signed in its headers.
  var httpString: COSHTTPString {
    COSHTTPString(policy: policy, refused: Self.signatureParameters)
  }

  /// The request with everything that a header signature covers.
  func draft(_ original: HTTPRequest, token: HTTPField?) throws(SigningError) -> HTTPRequest {
    try check(original)
    var request = original
    request.headerFields.reserveCapacity(original.headerFields.count + 2)
    if let token {
      request.headerFields.replace(token)
    } else if request.headerFields.contains(.cosSecurityToken) {
      request.headerFields[.cosSecurityToken] = nil
    }
    return request
  }

  /// The signature of a text.
  func signature(
    of text: COSHTTPString.Write, in window: COSKeyTime, with signingKey: HMACKey<SHA1>
  ) -> Digest {
    let hash = SHA1.hash(writing: text)
    return signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: window) }
  }

  /// What carries a signature in a URL.
  static let signatureParameters = NameTable(["sign"] + COSAuthorization.names)

  /// What a URL that is to be signed must not have: what signing adds.
  static let addedParameters = NameTable(["sign", "x-cos-security-token"] + COSAuthorization.names)

  /// Refuses a request that the service, or its strict mode, would refuse.
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
