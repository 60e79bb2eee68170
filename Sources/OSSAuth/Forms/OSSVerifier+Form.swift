public import StorageAuth
internal import StorageCrypto

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
      guard let bytes = [UInt8](base64: policy) else { throw .invalidPolicy("The policy is not Base64.") }
      let objectType = form["x-oss-content-type"] ?? form.fileType ?? form["Content-Type"]
      let reading = FormDocument.Reading(
        required: required, own: OSSForm.ownFields,
        contentTypes: [form["Content-Type"], objectType].compactMap { $0 }, contentType: objectType, hasLists: true)
      return try FormDocument(bytes).verify(
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
