public import StorageAuth
internal import StorageCrypto

extension COSVerifier: FormVerifier {
  /// Reads who a form says it is from.
  public func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    try limits.check(form)
    try form.checkFields()
    guard ["q-sign-algorithm", "q-ak", "q-key-time", "q-signature"].contains(where: { form[$0] != nil }) else {
      throw VerificationError(.unsigned, "The form carries no signature.", remedy: "Sign the form.")
    }
    return FormClaim(
      accessKeyID: try AccessKeyID(claimed: form.required("q-ak")),
      sessionToken: form[COSForm.tokenField].map { Secret($0) })
  }

  /// Proves a form.
  ///
  /// A condition on the content type is about the field `Content-Type`: COS does not look at the type of the file.
  public func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let claim = try claim(in: form)
    do throws(VerificationError) {
      try claim.checkToken(against: key, at: date)
      guard try form.required("q-sign-algorithm") == COSForm.algorithm else {
        throw VerificationError(.unsupported, "The algorithm is not sha1.", remedy: "Sign with COS V5.")
      }
      guard let window = COSKeyTime(try form.required("q-key-time")), window.start <= window.end else {
        throw .malformed("q-key-time is not two times in their order.")
      }
      try check(window, at: date)
      guard let policy = [UInt8](base64: try form.required("policy")) else {
        throw .invalidPolicy("The policy is not Base64.")
      }
      guard
        constantTimeEqual(COSForm.signature(of: policy, in: window, with: key), try form.required("q-signature"))
      else {
        throw VerificationError(
          .mismatch, "The signature is not the one of the policy and the key.",
          remedy: "Sign the text of the policy and send the Base64 of the same bytes; then check the secret.")
      }
      let type = form["Content-Type"]
      let reading = FormDocument.Reading(
        required: ["q-sign-algorithm", "q-ak", "q-sign-time"], own: COSForm.ownFields,
        aliases: ["q-sign-time": "q-key-time"], contentTypes: type.map { [$0] } ?? [], contentType: type,
        hasLists: false)
      try limits.checkLifetime(from: window.start, until: window.end, at: date, in: .query)
      return try FormDocument(policy).verify(
        form, of: claim.accessKeyID, as: reading, within: limits, since: date, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }
}
