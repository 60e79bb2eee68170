public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

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
      .with(draft.request, path: draft.path, date: draft.dateLine, refusing: draft.refused, body)
  }

  /// Hands a function that writes the V4 canonical request to `body`.
  func withV4Request<Result>(
    of draft: OSSDraft, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV4Request(resource: draft.resource, additional: additionalHeaders)
      .with(draft.request, path: draft.path, refusing: draft.refused, body)
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
