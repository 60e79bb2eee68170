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
  ///   - window: When the signature is valid, in the service's time.
  /// - Throws: A ``SigningError``; the request is untouched then.
  public func sign(
    _ request: inout HTTPRequest, with key: AccessKey, during window: COSKeyTime
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var signed = try draft(request, token: key.tokenField(named: .cosSecurityToken))
    let window = try checked(window)
    let signingKey = window.signingKey(of: key)
    let authorization = try COSHTTPString(policy: policy).with(signed) { text, headerList, parameterList in
      let signature = signature(of: text, in: window, with: signingKey)
      return String(writing: { writer in
        writer.append(authorizationOf: key.id, in: window, headerList: headerList, parameterList: parameterList)
        writer.append(hex: signature)
      })
    }
    signed.headerFields.append(HTTPField(name: .authorization, value: authorization))
    request = signed
  }

  /// The request with everything that a header signature covers.
  func draft(_ original: HTTPRequest, token: HTTPField?) throws(SigningError) -> HTTPRequest {
    try check(original)
    var request = original
    request.headerFields.reserveCapacity(original.headerFields.count + 2)
    if request.headerFields.contains(.authorization) { request.headerFields[.authorization] = nil }
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

  private static let signatureParameters = NameTable(["sign"] + COSAuthorization.names)

  /// Refuses a request that the service, or its strict mode, would refuse.
  func check(_ request: HTTPRequest) throws(SigningError) {
    guard let authority = request.authority, isHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request has no host, or a malformed one.",
        remedy: "Set its authority, such as photos-1250000000.cos.ap-guangzhou.myqcloud.com.")
    }
    if let path = request.path, carries(Self.signatureParameters, path) {
      throw SigningError(
        .invalidPath, "The URL carries a signature already.", remedy: "Sign the URL without its signature parameters.")
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

  /// Refuses a URL that has a session token already: it would be there twice.
  func refuseToken(inPathOf request: HTTPRequest) throws(SigningError) {
    if let path = request.path, carries(NameTable(["x-cos-security-token"]), path) {
      throw SigningError(
        .invalidPath, "The URL carries a session token already.",
        remedy: "Leave it out; the one of the key is added and signed.")
    }
  }

  private func carries(_ names: NameTable, _ path: String) -> Bool {
    withBytes(of: path) { wire in
      ScratchList<WireParameter>.with { parameters in
        guard WireQuery.cut(wire, into: &parameters) != nil else { return false }
        for index in 0..<parameters.count
        where names.contains(wire.extracting(parameters[index].name)) {
          return true
        }
        return false
      }
    }
  }
}

extension ByteWriter {
  /// Appends an authorization up to its signature.
  mutating func append(
    authorizationOf id: String, in window: COSKeyTime, headerList: COSHTTPString.Write,
    parameterList: COSHTTPString.Write
  ) {
    append("q-sign-algorithm=sha1&q-ak=")
    append(id)
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
