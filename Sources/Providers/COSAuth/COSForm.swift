// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// The field names and the signature of COS form uploads (POST Object).
///
/// Source: Tencent Cloud, "POST Object", <https://www.tencentcloud.com/document/product/436/14690>.
enum COSForm {
  /// The lowercase names of the form fields that are part of the signature and need no conditions in the policy.
  static let signatureFields: Set<String> = [
    "policy", "q-sign-algorithm", "q-ak", "q-key-time", "q-sign-time", "q-signature", tokenField,
  ]

  static let tokenField = "x-cos-security-token"
  static let algorithm = "sha1"

  /// Returns the signature of a policy, whose string to sign is only the SHA-1 of the document before its Base64.
  static func signature(of policy: [UInt8], in window: COSKeyTime, with key: AccessKey) -> String {
    window.signingKey(of: key).authenticationCode { $0.append(hex: SHA1.hash(policy)) }.hex
  }
}

extension COSSigner: FormSigner {
  /// Signs a form upload (POST Object) to COS.
  ///
  /// The form is valid from the start time of the key, or the current time, until the policy expires. The session token
  /// of a temporary key becomes a field that is not signed. COS has no conditions with lists of values, so
  /// `FormCondition.Rule.oneOf(_:)` with more than one value and `FormCondition.Rule.noneOf(_:)` are rejected.
  ///
  /// - Throws: The errors of `FormSigner.sign(_:to:with:in:)`, which also describes the parameters.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    if key.isAnonymous { throw .anonymousForm }
    try key.check(idWithout: COSKeyTime.idDelimiters)
    let window = try validated(COSKeyTime(from: key.start ?? context.date, until: policy.expiration), for: key.identity)
    var policy = policy
    policy.contentType = try policy.contentType.map(Self.ruleWithoutList)
    policy.conditions = try policy.conditions.map { condition throws(SigningError) in
      FormCondition(condition.field, try Self.ruleWithoutList(condition.rule))
    }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "Content-Type", reserved: COSForm.signatureFields, at: context.date)
    let windowText = String(writing: { window.append(to: &$0) })
    let identification = [FormField("q-sign-algorithm", COSForm.algorithm), FormField("q-ak", key.id.string)]
    let document = Array(draft.document(binding: identification + [FormField("q-sign-time", windowText)]).utf8)
    let fields =
      [FormField("policy", String(writing: { $0.append(base64: document) }))] + identification + [
        FormField("q-key-time", windowText),
        FormField("q-signature", COSForm.signature(of: document, in: window, with: key)),
      ]
    let token = key.sessionToken.map { [FormField(COSForm.tokenField, $0.reveal())] } ?? []
    return draft.signed(adding: fields + token)
  }

  /// Returns an equivalent rule without a list, or throws an error if the list does not have exactly one value.
  private static func ruleWithoutList(_ rule: FormCondition.Rule) throws(SigningError) -> FormCondition.Rule {
    switch rule {
    case .equals, .startsWith: return rule
    case .oneOf, .noneOf:
      guard let value = rule.onlyValue else {
        throw .form(
          "COS has no conditions with lists of values.",
          remedy: "Sign a form for one value, or for values with a common prefix.")
      }
      return .equals(value)
    }
  }
}

extension COSVerifier: FormVerifier {
  /// Parses the access key ID and the session token of a submitted form, both unverified.
  ///
  /// - Throws: The errors of `FormVerifier.claim(in:)`, which also describes the parameters.
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

  /// Verifies the signature of a form and the conditions of its policy.
  ///
  /// A condition on the content type applies to the field `Content-Type`; COS ignores the media type of the file.
  ///
  /// - Throws: The errors of `FormVerifier.verify(_:against:at:)`, which also describes the parameters.
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
        throw .malformed("q-key-time is not two times in ascending order.")
      }
      try checkWindow(window, at: date)
      guard let policy = [UInt8](base64: try form.required("policy")) else {
        throw .invalidPolicy("The policy is not Base64.")
      }
      let expected = COSForm.signature(of: policy, in: window, with: key)
      guard constantTimeEqual(expected, try form.required("q-signature")) else {
        throw VerificationError(
          .mismatch, "The signature is not the one of the policy and the key.",
          remedy: "Sign the policy document and send the Base64 of the same bytes; then check the secret.")
      }
      let contentType = form["Content-Type"]
      let reading = FormDocument.Reading(
        required: ["q-sign-algorithm", "q-ak", "q-sign-time"], own: COSForm.signatureFields,
        aliases: ["q-sign-time": "q-key-time"], contentTypes: [contentType].compactMap { $0 }, contentType: contentType,
        hasLists: false)
      try limits.checkLifetime(from: window.start, until: window.end, at: date, in: .query)
      return try FormDocument(policy).verify(
        form, of: claim.accessKeyID, as: reading, within: limits, since: date, at: date)
    } catch { throw error.with(accessKeyID: claim.accessKeyID) }
  }
}
