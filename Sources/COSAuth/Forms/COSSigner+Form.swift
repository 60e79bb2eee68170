public import StorageAuth
internal import StorageCrypto

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
