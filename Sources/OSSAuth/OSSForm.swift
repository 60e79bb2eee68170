public import StorageAuth
internal import StorageCrypto

/// The names and the texts of forms of OSS.
enum OSSForm {
  /// The fields that the scheme consists of, in lower case; the policy need not say anything about them.
  static let ownFields: Set<String> = [
    "policy", "ossaccesskeyid", "signature", "x-oss-signature", "x-oss-signature-version", "x-oss-credential",
    "x-oss-date", tokenField,
  ]

  static let tokenField = "x-oss-security-token"

  /// The V1 signature of a policy in Base64.
  static func v1Signature(of policy: String, with key: AccessKey) -> String {
    let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
    return signingKey.authenticationCode(for: policy).base64
  }

  /// The V4 signature of a policy in Base64.
  static func v4Signature(of policy: String, in scope: OSSV4Scope, with key: AccessKey) -> String {
    scope.signingKey(of: key).authenticationCode(for: policy).hex
  }
}

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
    if version == .v1, !allowsAmbiguousV1, policy.objects.holdsQuestionMark { throw .questionMarkInKey }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "content-type", reserved: OSSForm.ownFields, at: date)
    let token = key.sessionToken.map { [FormField(OSSForm.tokenField, $0.reveal())] } ?? []
    switch version {
    case .v1:
      let text = draft.policy(binding: [])
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
      let text = draft.policy(binding: bound)
      return draft.signed(
        adding: bound + [
          FormField("policy", text), FormField("x-oss-signature", OSSForm.v4Signature(of: text, in: scope, with: key)),
        ])
    }
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

extension OSSVerifier: FormVerifier {
  /// Reads who a form says it is from.
  public func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    try limits.check(form)
    try form.checkFields()
    let token = form[OSSForm.tokenField].map { Secret($0) }
    let isV4 = try Self.isV4(form)
    try check(isV4 ? .v4 : .v1)
    if isV4 {
      let id = try form.required("x-oss-credential").parts(between: "/", atMost: 1)[0]
      return FormClaim(accessKeyID: try AccessKeyID(claimed: id), sessionToken: token)
    }
    return FormClaim(accessKeyID: try AccessKeyID(claimed: form.required("OSSAccessKeyId")), sessionToken: token)
  }

  /// Whether the form has a V4 signature, and not a V1 signature.
  private static func isV4(_ form: SubmittedForm) throws(VerificationError) -> Bool {
    let isV4 = ["x-oss-signature", "x-oss-signature-version", "x-oss-credential"].contains { form[$0] != nil }
    let isV1 = ["OSSAccessKeyId", "Signature"].contains { form[$0] != nil }
    if isV4, isV1 { throw .ambiguous("The form has the fields of a V1 and of a V4 signature.") }
    guard isV4 || isV1 else {
      throw VerificationError(.unsigned, "The form carries no signature.", remedy: "Sign the form.")
    }
    return isV4
  }

  /// Proves a form, V1 or V4.
  ///
  /// A condition on the content type is about the field `Content-Type`, where there is one, and about the type that the
  /// object gets: by the service's order `x-oss-content-type`, the type of the file, `Content-Type`.
  public func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let claim = try claim(in: form)
    do throws(VerificationError) {
      try claim.checkToken(against: key, at: date)
      var required: [String] = []
      let policy = try form.required("policy")
      let isRight: Bool
      var start = date
      if try Self.isV4(form) {
        let scheme = try scheme(of: form)
        try check(scheme)
        try checkAge(of: scheme.date, at: date)
        start = scheme.date
        let scope = OSSV4Scope(date: scheme.date, region: scheme.region, product: scheme.product)
        isRight = constantTimeEqual(
          OSSForm.v4Signature(of: policy, in: scope, with: key), try form.required("x-oss-signature"))
        required = ["x-oss-signature-version", "x-oss-credential", "x-oss-date"]
        if claim.sessionToken != nil { required.append(OSSForm.tokenField) }
      } else {
        isRight = constantTimeEqual(OSSForm.v1Signature(of: policy, with: key), try form.required("Signature"))
      }
      guard isRight else {
        throw VerificationError(
          .mismatch, "The signature is not the one of the policy and the key.",
          remedy: "Send the policy in Base64 exactly as it was signed; then check the secret.")
      }
      let objectType = form["x-oss-content-type"] ?? form.fileType ?? form["Content-Type"]
      let reading = FormDocument.Reading(
        required: required, own: OSSForm.ownFields,
        contentTypes: [form["Content-Type"], objectType].compactMap { $0 }, contentType: objectType, hasLists: true)
      return try FormDocument(base64: policy).verify(
        form, of: claim.accessKeyID, as: reading, within: limits, since: start, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }

  private func scheme(of form: SubmittedForm) throws(VerificationError) -> OSSClaim.V4 {
    guard try form.required("x-oss-signature-version") == OSSText.v4Algorithm.description else {
      throw VerificationError(
        .unsupported, "The version of the signature is not OSS4-HMAC-SHA256.", remedy: "Sign with OSS V4 or V1.")
    }
    let scope = try form.required("x-oss-credential").parts(between: "/")
      .map(String.init)
    guard scope.count == 5, !scope[0].isEmpty, scope[4] == OSSText.v4Request.description else {
      throw .malformed("The credential is not id/date/region/product/aliyun_v4_request.")
    }
    guard let date = Timestamp(iso8601Basic: try form.required("x-oss-date")) else {
      throw .malformed("x-oss-date is not a date like 20261120T080000Z.")
    }
    return OSSClaim.V4(
      day: scope[1], region: scope[2], product: scope[3], date: date, lifetime: nil, additionalHeaders: [])
  }

  /// Refuses a form that was signed in the future, or more than seven days ago.
  private func checkAge(of start: Timestamp, at date: Timestamp) throws(VerificationError) {
    let end = start.advanced(by: OSSLimits.urlLifetime)
    guard date <= end else { throw Self.expired(end) }
    if start > date { try checkSkew(start, at: date) }
  }
}
