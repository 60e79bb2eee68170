// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

// Form uploads from browsers. Source: Huawei Cloud, "Authentication of Signature Carried in a Table Uploaded Through a
// Browser".

/// A namespace for the lowercase names of the fields that authorize a form upload.
private enum OBSForm {
  static let id = "accesskeyid"
  static let policy = "policy"
  static let signature = "signature"
  static let token = "x-obs-security-token"
  /// The name of a field that replaces the separate fields: `id:signature:policy`.
  static let combined = "token"
  static let own: Set<String> = [id, policy, signature, combined]

  /// The prefix of the field names that need no condition in the policy.
  static let ignoredPrefix: ByteExactString = "x-ignore-"

  /// Returns the Base64-encoded signature of a policy.
  ///
  /// The Base64-encoded policy is itself the string to sign.
  static func signature(of policy: String, with key: AccessKey) -> String {
    key.authenticationCode(for: policy, using: .hmacSHA1).base64
  }
}

extension OBSSigner: FormSigner {
  /// Signs a form upload.
  ///
  /// A form is valid at most until its key expires. The policy contains the session token, so that the signature
  /// includes the token.
  ///
  /// - Parameters:
  ///   - policy: The uploads that the form allows.
  ///   - endpoint: The OBS endpoint that receives the form.
  ///   - key: The access key that signs the policy.
  ///   - context: The signing time.
  /// - Returns: The URL and the form fields for a web page.
  /// - Throws: A `SigningError` if the key is anonymous or expires before the policy, or OBS cannot express the policy.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    if key.isAnonymous { throw Self.anonymous }
    try key.check()
    let end = policy.expiration.wholeSeconds
    if let expiration = key.expiration, expiration < end { throw .credentialEndsFirst(expiration, required: end) }
    for rule in policy.conditions.map(\.rule) + [policy.contentType].compactMap({ $0 }) {
      switch rule {
      case .equals, .startsWith: break
      case .oneOf, .noneOf:
        throw SigningError(
          .invalidRequest, "OBS has no conditions with lists of values.", remedy: "Use one value, or a prefix.")
      }
    }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "content-type", reserved: OBSForm.own.union([OBSForm.token]),
      at: context.date)
    let token = key.sessionToken.map { [FormField(OBSForm.token, $0.reveal())] } ?? []
    return draft.signed(adding: token + Self.authorization(of: draft.policy(binding: token), with: key))
  }

  /// Signs a policy that another program created.
  ///
  /// The policy is sent unchanged. If the key is temporary, its session token is added as a field.
  ///
  /// - Parameters:
  ///   - policy: The policy document, in JSON.
  ///   - key: The access key that signs the policy.
  /// - Returns: The fields that authorize the form.
  /// - Throws: A `SigningError` if the key cannot sign.
  public func fields(forPolicy policy: String, with key: AccessKey) throws(SigningError) -> [FormField] {
    if key.isAnonymous { throw Self.anonymous }
    try key.check()
    let token = key.sessionToken.map { [FormField(OBSForm.token, $0.reveal())] } ?? []
    return Self.authorization(of: Base64.encoded(policy), with: key) + token
  }

  private static func authorization(of policy: String, with key: AccessKey) -> [FormField] {
    [
      FormField("AccessKeyId", key.id.string), FormField("policy", policy),
      FormField("signature", OBSForm.signature(of: policy, with: key)),
    ]
  }
}

extension OBSVerifier: FormVerifier {
  /// Parses the identity that a submitted form claims.
  ///
  /// - Parameter form: The form as it arrived.
  /// - Returns: The access key ID and the session token in the form.
  /// - Throws: A `VerificationError` if the form has no authorization, two authorizations or a malformed authorization,
  ///   if a field appears twice, or if the form exceeds the limits.
  public func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    try limits.check(form)
    try form.checkFields()
    return FormClaim(
      accessKeyID: try AccessKeyID(claimed: Self.authorization(of: form).id[...]),
      sessionToken: form[OBSForm.token].map { Secret($0) })
  }

  /// Returns the three strings that authorize a form, from separate fields or from the combined field.
  private static func authorization(
    of form: SubmittedForm
  ) throws(VerificationError) -> (id: String, signature: String, policy: String) {
    let isSeparate = [OBSForm.id, OBSForm.policy, OBSForm.signature].contains { form[$0] != nil }
    guard let combined = form[OBSForm.combined] else {
      guard isSeparate else {
        throw VerificationError(.unsigned, "The form carries no signature.", remedy: "Sign the form.")
      }
      return (
        try form.required(OBSForm.id), try form.required(OBSForm.signature), try form.required(OBSForm.policy)
      )
    }
    guard !isSeparate else { throw .ambiguous("The form has a token and the fields that it stands for.") }
    let parts = combined.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("The field token is not id:signature:policy.") }
    return (String(Substring(parts[0])), String(Substring(parts[1])), String(Substring(parts[2])))
  }

  /// Verifies a submitted form.
  ///
  /// The signature is verified first, then the expiration of the policy, then every condition. A field without a
  /// condition is rejected, except for the authorization fields and fields with the prefix `x-ignore-`.
  ///
  /// - Parameters:
  ///   - form: The form as it arrived.
  ///   - key: The key with the claimed ID.
  ///   - date: The current time.
  /// - Returns: The verified form, with its only interpretation and the permitted file sizes.
  /// - Throws: A `VerificationError` if the session token, the signature, the expiration or a condition is wrong.
  public func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let claim = try claim(in: form)
    do throws(VerificationError) {
      return try prove(form, claim, against: key, at: date)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
  }

  private func prove(
    _ form: SubmittedForm, _ claim: FormClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    try claim.checkToken(against: key, at: date)
    let (_, signature, policy) = try Self.authorization(of: form)
    guard Secret(OBSForm.signature(of: policy, with: key)) == Secret(signature) else {
      // The error does not contain the policy, which may contain the session token.
      throw VerificationError(
        .mismatch, "The signature is not the one of the policy and the key.",
        remedy: "Send the policy in Base64 exactly as it was signed; then check the secret.")
    }
    let type = form["Content-Type"]
    let reading = FormDocument.Reading(
      required: claim.sessionToken == nil ? [] : [OBSForm.token], own: OBSForm.own,
      contentTypes: type.map { [$0] } ?? [], contentType: type ?? form.fileType, hasLists: false)
    let proof = try FormDocument(base64: policy).verify(
      form, of: claim.accessKeyID, as: reading, within: limits, since: date, at: date)
    let extra = proof.unlistedFields.filter { !ByteExactString($0).starts(with: OBSForm.ignoredPrefix) }
    guard extra.isEmpty else {
      throw VerificationError(
        .conditionFailed, "The policy has no condition for the fields \(extra.joined(separator: ", ")).",
        remedy: "Add a condition for each field.")
    }
    return proof
  }
}
