// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// The field names and signatures of OSS form uploads (PostObject).
///
/// Sources: Alibaba Cloud, "A V4 signature in a PostObject request",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/signature-version-4-recommend>; "A V1 signature in a
/// PostObject request", <https://www.alibabacloud.com/help/en/oss/developer-reference/signature-version-1>.
enum OSSForm {
  /// The lowercase names of the form fields that are part of the signature and need no conditions in the policy.
  static let signatureFields: Set<String> = [
    "policy", "ossaccesskeyid", "signature", "x-oss-signature", "x-oss-signature-version", "x-oss-credential",
    "x-oss-date", tokenField,
  ]

  static let tokenField = "x-oss-security-token"

  /// Returns the V4 signature of a form policy, whose Base64 is itself the string to sign.
  static func v4Signature(of policy: String, in scope: OSSV4Scope, with key: AccessKey) -> String {
    scope.signingKey(of: key).authenticationCode(for: policy).hex
  }
}

extension OSSSigner: FormSigner {
  /// Signs a form upload (PostObject) to OSS.
  ///
  /// A V4 form is valid for at most seven days, and no form is valid for longer than its key. The policy of a V4 form
  /// contains the region, the date and the session token, so that the signature covers them. A V1 form for a key or a
  /// prefix that contains a question mark is rejected unless ``allowsAmbiguousV1`` is set.
  ///
  /// - Throws: The errors of `FormSigner.sign(_:to:with:in:)`, which also describes the parameters.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    try checkConfiguration()
    if key.isAnonymous { throw .anonymousForm }
    try key.check(idWithout: OSSText.idDelimiters)
    let date = context.date.wholeSeconds
    let expiration = policy.expiration.wholeSeconds
    try key.identity.requireValidity(until: expiration)
    if version == .v1, !allowsAmbiguousV1, policy.objects.holdsQuestionMark { throw .questionMarkInKey }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "content-type", reserved: OSSForm.signatureFields, at: date)
    let token = key.sessionToken.map { [FormField(OSSForm.tokenField, $0.reveal())] } ?? []
    switch version {
    case .v1:
      let text = draft.policy(binding: [])
      let fields = [
        FormField("OSSAccessKeyId", key.id.string), FormField("policy", text),
        FormField("Signature", key.hmacSHA1Base64(text)),
      ]
      return draft.signed(adding: fields + token)
    case .v4:
      guard expiration <= date.advanced(by: OSSLimits.urlLifetime) else { throw .noLongForm }
      let scope = OSSV4Scope(date: date, region: region, product: product)
      let signedFields =
        [
          FormField("x-oss-signature-version", OSSText.v4Algorithm.description),
          FormField("x-oss-credential", "\(key.id.string)/\(String(writing: { scope.append(to: &$0) }))"),
          FormField("x-oss-date", date.iso8601Basic),
        ] + token
      let text = draft.policy(binding: signedFields)
      let signature = OSSForm.v4Signature(of: text, in: scope, with: key)
      return draft.signed(adding: signedFields + [FormField("policy", text), FormField("x-oss-signature", signature)])
    }
  }
}

extension ObjectScope {
  fileprivate var holdsQuestionMark: Bool {
    switch self {
    case .all: false
    case .prefix(let text), .key(let text): text.utf8.contains(UInt8(ascii: "?"))
    }
  }
}

extension OSSVerifier: FormVerifier {
  /// Parses the access key ID and the session token of a submitted form, both unverified.
  ///
  /// - Throws: The errors of `FormVerifier.claim(in:)`, which also describes the parameters.
  public func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    try limits.check(form)
    try form.checkFields()
    let token = form[OSSForm.tokenField].map { Secret($0) }
    let version = try Self.version(of: form)
    try checkVersion(version)
    let id =
      switch version {
      case .v1: try form.required("OSSAccessKeyId")[...]
      case .v4: try form.required("x-oss-credential").parts(between: "/", maxSplits: 1)[0]
      }
    return FormClaim(accessKeyID: try AccessKeyID(claimed: id), sessionToken: token)
  }

  private static func version(of form: SubmittedForm) throws(VerificationError) -> OSSSignatureVersion {
    let isV4 = ["x-oss-signature", "x-oss-signature-version", "x-oss-credential"].contains { form[$0] != nil }
    let isV1 = ["OSSAccessKeyId", "Signature"].contains { form[$0] != nil }
    if isV4, isV1 { throw .ambiguous("The form has the fields of a V1 and of a V4 signature.") }
    guard isV4 || isV1 else {
      throw VerificationError(.unsigned, "The form carries no signature.", remedy: "Sign the form.")
    }
    return isV4 ? .v4 : .v1
  }

  /// Verifies a form with a V1 or V4 signature.
  ///
  /// A condition on the content type applies to the field `Content-Type`, if the form contains it, and to the object's
  /// content type: the value of `x-oss-content-type`, the media type of the file or `Content-Type`, in this order.
  ///
  /// - Throws: The errors of `FormVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let claim = try claim(in: form)
    do throws(VerificationError) {
      try claim.checkToken(against: key, at: date)
      let policy = try form.required("policy")
      var start = date
      var requiredFields: [String] = []
      switch try Self.version(of: form) {
      case .v1: try verifyV1Signature(of: policy, in: form, against: key)
      case .v4:
        start = try verifyV4Signature(of: policy, in: form, against: key, at: date)
        requiredFields = ["x-oss-signature-version", "x-oss-credential", "x-oss-date"]
        if claim.sessionToken != nil { requiredFields.append(OSSForm.tokenField) }
      }
      let objectType = form["x-oss-content-type"] ?? form.fileType ?? form["Content-Type"]
      let reading = FormDocument.Reading(
        required: requiredFields, own: OSSForm.signatureFields,
        contentTypes: [form["Content-Type"], objectType].compactMap { $0 }, contentType: objectType, hasLists: true)
      return try FormDocument(base64: policy).verify(
        form, of: claim.accessKeyID, as: reading, within: limits, since: start, at: date)
    } catch { throw error.with(accessKeyID: claim.accessKeyID) }
  }

  private func verifyV1Signature(
    of policy: String, in form: SubmittedForm, against key: AccessKey
  ) throws(VerificationError) {
    guard constantTimeEqual(key.hmacSHA1Base64(policy), try form.required("Signature")) else { throw Self.mismatch }
  }

  /// Verifies a V4 signature with its scope, and returns the signing time.
  private func verifyV4Signature(
    of policy: String, in form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> Timestamp {
    let scheme = try v4Scheme(of: form)
    try checkScope(of: scheme)
    try checkAge(of: scheme.date, at: date)
    let expected = OSSForm.v4Signature(of: policy, in: scheme.scope, with: key)
    guard constantTimeEqual(expected, try form.required("x-oss-signature")) else { throw Self.mismatch }
    return scheme.date
  }

  private static let mismatch = VerificationError(
    .mismatch, "The signature is not the one of the policy and the key.",
    remedy: "Send the policy in Base64 exactly as it was signed; then check the secret.")

  private func v4Scheme(of form: SubmittedForm) throws(VerificationError) -> OSSClaim.V4 {
    guard try form.required("x-oss-signature-version") == OSSText.v4Algorithm.description else {
      throw Self.unsupportedVersion
    }
    let components = try OSSClaim.V4.components(of: form.required("x-oss-credential"))
    guard let date = Timestamp(iso8601Basic: try form.required("x-oss-date")) else {
      throw .malformed("x-oss-date is not a date like 20261120T080000Z.")
    }
    return OSSClaim.V4(
      day: components.day, region: components.region, product: components.product, date: date, lifetime: nil,
      additionalHeaders: [])
  }

  /// Rejects a form whose signing time is in the future or more than seven days ago.
  private func checkAge(of signedAt: Timestamp, at date: Timestamp) throws(VerificationError) {
    let end = signedAt.advanced(by: OSSLimits.urlLifetime)
    guard date <= end else { throw Self.expired("form", at: end) }
    if signedAt > date { try checkSkew(signedAt, at: date) }
  }
}
