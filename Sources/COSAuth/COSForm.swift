public import StorageAuth
internal import StorageCrypto

/// The names and the texts of forms of COS.
enum COSForm {
  /// The fields that the scheme consists of, in lower case; the policy need not say anything about them.
  static let ownFields: Set<String> = [
    "policy", "q-sign-algorithm", "q-ak", "q-key-time", "q-sign-time", "q-signature", tokenField,
  ]

  static let tokenField = "x-cos-security-token"

  static let algorithm = "sha1"

  /// The signature of a policy: its text is hashed, not its Base64.
  static func signature(of policy: [UInt8], in window: COSKeyTime, with key: AccessKey) -> String {
    window.signingKey(of: key).authenticationCode { $0.append(hex: SHA1.hash(policy)) }.hex
  }
}

extension COSSigner: FormSigner {
  /// Signs a form.
  ///
  /// It works from the start of the key, or now, until the policy ends. The session token of a temporary key is a field
  /// and is not part of what is signed. COS has no conditions with lists of values: ``FormCondition/Rule/oneOf(_:)`` with
  /// more than one value and ``FormCondition/Rule/noneOf(_:)`` are refused.
  ///
  /// - Parameters:
  ///   - policy: What the form may upload.
  ///   - endpoint: Where COS is.
  ///   - key: The key.
  ///   - context: The time of the act.
  /// - Returns: The URL and the fields that a page needs.
  /// - Throws: A ``SigningError`` if the key ends first or is anonymous, or COS cannot express the policy.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    if key.isAnonymous {
      throw SigningError(
        .anonymous, "An anonymous credential cannot sign a form.", remedy: "Use a key that has the right.")
    }
    try key.check()
    let window = try checked(
      COSKeyTime(from: key.start ?? context.date, until: policy.expiration), for: key.identity)
    var policy = policy
    policy.contentType = try policy.contentType.map(Self.expressible)
    policy.conditions = try policy.conditions.map { condition throws(SigningError) in
      FormCondition(condition.field, try Self.expressible(condition.rule))
    }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "Content-Type", reserved: COSForm.ownFields, at: context.date)
    let times = String(writing: { window.append(to: &$0) })
    let identification = [FormField("q-sign-algorithm", COSForm.algorithm), FormField("q-ak", key.id.string)]
    let text = Array(draft.document(binding: identification + [FormField("q-sign-time", times)]).utf8)
    let fields =
      [FormField("policy", String(writing: { $0.append(base64: text.span) }))] + identification + [
        FormField("q-key-time", times), FormField("q-signature", COSForm.signature(of: text, in: window, with: key)),
      ]
    let token = key.sessionToken.map { [FormField(COSForm.tokenField, $0.reveal())] } ?? []
    return draft.signed(adding: fields + token)
  }

  private static func expressible(_ rule: FormCondition.Rule) throws(SigningError) -> FormCondition.Rule {
    switch rule {
    case .equals, .startsWith: return rule
    case .oneOf, .noneOf:
      guard let value = rule.onlyValue else {
        throw .form(
          "COS has no conditions with lists of values.",
          remedy: "Sign a form for one value, or for values that start alike.")
      }
      return .equals(value)
    }
  }
}

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
