public import StorageAuth
internal import StorageCrypto

extension OSSSigner: FormSigner {
  /// Signs a form.
  ///
  /// A V4 form works for seven days at most, and no form longer than its key. The policy of a V4 form binds the region,
  /// the date and the session token. A V1 form for a key or a prefix that holds a question mark is refused unless
  /// ``allowsAmbiguousV1`` is set: a V1 URL for the object would also open another one.
  ///
  /// - Parameters:
  ///   - policy: What the form may upload.
  ///   - endpoint: Where OSS is.
  ///   - key: The key.
  ///   - context: The time of the act.
  /// - Returns: The URL and the fields that a page needs.
  /// - Throws: A ``SigningError`` if a limit is exceeded, the key ends first or is anonymous, or OSS cannot express the
  ///   policy.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    try checkConfiguration()
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a form.", remedy: "Use a key that has the right.")
    }
    try key.check()
    let date = context.date.wholeSeconds
    if let expiration = key.expiration, expiration < policy.expiration.wholeSeconds {
      throw .credentialEndsFirst(expiration, required: policy.expiration.wholeSeconds)
    }
    if version == .v1, !allowsAmbiguousV1, policy.keys.holdsQuestionMark { throw .questionMarkInKey }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "content-type", reserved: OSSForm.ownFields, at: date)
    let token = key.sessionToken.map { [FormField(OSSForm.tokenField, $0.reveal())] } ?? []
    switch version {
    case .v1:
      let text = base64(draft.document(binding: []))
      return draft.signed(
        adding: [
          FormField("OSSAccessKeyId", key.id.string), FormField("policy", text),
          FormField("Signature", OSSForm.v1Signature(of: text, with: key)),
        ] + token)
    case .v4:
      guard policy.expiration.wholeSeconds <= date.advanced(by: OSSLimits.urlLifetime) else {
        throw SigningError(
          .lifetimeOutOfRange, "The form is to work for more than seven days.", remedy: "Let it end earlier.")
      }
      let scope = OSSV4Scope(date: date, region: region, product: product)
      let bound =
        [
          FormField("x-oss-signature-version", OSSText.v4Algorithm.description),
          FormField("x-oss-credential", "\(key.id.string)/\(String(writing: { scope.append(to: &$0) }))"),
          FormField("x-oss-date", date.iso8601Basic),
        ] + token
      let text = base64(draft.document(binding: bound))
      return draft.signed(
        adding: bound + [
          FormField("policy", text), FormField("x-oss-signature", OSSForm.v4Signature(of: text, in: scope, with: key)),
        ])
    }
  }

  private func base64(_ text: String) -> String {
    String(writing: { writer in withBytes(of: text) { writer.append(base64: $0) } })
  }
}

extension ObjectScope {
  /// Whether the key, or the start of all keys, holds a question mark.
  fileprivate var holdsQuestionMark: Bool {
    switch self {
    case .all: false
    case .prefix(let text), .key(let text): text.utf8.contains(UInt8(ascii: "?"))
    }
  }
}
