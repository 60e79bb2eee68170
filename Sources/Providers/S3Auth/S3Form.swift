// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// The field names and the signature of S3 form uploads.
///
/// Sources: AWS, "Authenticating Requests: Browser-Based Uploads Using POST (AWS Signature Version 4)",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html>, and "POST Policy".
private enum S3Form {
  /// The lowercase names of the form fields that belong to the signature.
  static let signatureFields: Set<String> = [
    "x-amz-algorithm", "x-amz-credential", "x-amz-date", tokenField, "policy", "x-amz-signature",
  ]
  static let tokenField = "x-amz-security-token"

  /// Returns the signature of a form policy, whose Base64 is itself the string to sign.
  static func signature(of policy: String, in scope: S3Scope, with key: AccessKey) -> String {
    scope.signingKey(of: key).authenticationCode(for: policy).hex
  }
}

extension S3Signer: FormSigner {
  /// Signs a browser form upload to S3.
  ///
  /// A form is valid for at most seven days, and not for longer than its key. The policy contains the scope, the date
  /// and the session token, so that the signature covers them. A policy for a bucket other than ``bucket`` is rejected.
  ///
  /// - Throws: The errors of `FormSigner.sign(_:to:with:in:)`, which also describes the parameters.
  public func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    try checkConfiguration()
    if key.isAnonymous { throw .anonymousForm }
    try key.check(idWithout: S3Text.idDelimiters)
    if let bucket, !bucket.isIdentical(to: policy.bucket) {
      throw .form("The policy is not for the bucket \"\(bucket)\".", remedy: "Use a signer for the policy's bucket.")
    }
    let date = context.date.wholeSeconds
    let end = policy.expiration.wholeSeconds
    try key.identity.requireValidity(until: end)
    guard end <= date.advanced(by: S3Limits.urlLifetime) else { throw .noLongForm }
    let rules = policy.conditions.map(\.rule) + [policy.contentType].compactMap { $0 }
    for rule in rules {
      switch rule {
      case .oneOf, .noneOf:
        throw .form("S3 has no conditions with lists of values.", remedy: "Use one value, or a prefix.")
      case .equals, .startsWith: break
      }
    }
    let draft = try FormDraft(
      policy, to: endpoint, contentTypeName: "Content-Type", reserved: S3Form.signatureFields, at: date)
    let scope = scope(at: date)
    var signedFields = [
      FormField("x-amz-algorithm", S3Text.algorithm.description),
      FormField("x-amz-credential", "\(key.id.string)/\(String(writing: { scope.append(to: &$0) }))"),
      FormField("x-amz-date", date.iso8601Basic),
    ]
    if let token = key.sessionToken { signedFields.append(FormField(S3Form.tokenField, token.reveal())) }
    let text = draft.policy(binding: signedFields)
    let signature = S3Form.signature(of: text, in: scope, with: key)
    return draft.signed(adding: signedFields + [FormField("policy", text), FormField("x-amz-signature", signature)])
  }
}

extension S3Verifier: FormVerifier {
  /// Parses the access key ID and the session token of a submitted form, both unverified.
  ///
  /// - Throws: The errors of `FormVerifier.claim(in:)`, which also describes the parameters.
  public func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    try limits.check(form)
    let byteCount = form.fields.reduce(0) { $0.saturatingAdding($1.name.utf8.count + $1.value.utf8.count) }
    guard byteCount <= S3Limits.formByteLimit else {
      throw .s3(
        "MaxPostPreDataLengthExceeded", .limitExceeded,
        "Your POST request fields preceding the upload file were too large.",
        remedy: "Send at most 20,480 bytes before the file.")
    }
    try form.checkFields()
    return FormClaim(
      accessKeyID: try authorization(of: form).accessKeyID, sessionToken: form[S3Form.tokenField].map { Secret($0) })
  }

  private func authorization(of form: SubmittedForm) throws(VerificationError) -> S3Authorization {
    if form["AWSAccessKeyId"] != nil || form["signature"] != nil { throw S3Authorization.unsupportedVersion2 }
    if form.fields.allSatisfy({ !S3Form.signatureFields.contains($0.name.asciiLowercased) }) {
      throw VerificationError(.unsigned, "The form carries no signature.", remedy: "Sign the form.")
        .with(serviceCode: "AccessDenied")
    }
    let algorithm = try requiredField("x-amz-algorithm", of: form)
    guard algorithm.isIdentical(to: S3Text.algorithm.description) else {
      throw S3Authorization.unsupportedScheme(algorithm)
    }
    return try S3Authorization(
      credential: requiredField("x-amz-credential", of: form)[...], signedHeaders: "host",
      signature: requiredField("x-amz-signature", of: form)[...], as: "InvalidArgument")
  }

  private func requiredField(_ name: String, of form: SubmittedForm) throws(VerificationError) -> String {
    do throws(VerificationError) {
      return try form.required(name)
    } catch { throw error.with(serviceCode: "InvalidArgument") }
  }

  /// Verifies the signature of a form and the conditions of its policy.
  ///
  /// The verifier checks the signature, the expiration of the policy, and every condition, in this order. Every field
  /// needs a condition, except `policy`, `x-amz-signature` and `x-ignore-…`. The bucket is that of the form's URL.
  ///
  /// - Throws: The errors of `FormVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let claim = try claim(in: form)
    do throws(VerificationError) {
      return try verifySignature(of: form, claim: claim, against: key, at: date)
    } catch { throw error.with(accessKeyID: claim.accessKeyID) }
  }

  private func verifySignature(
    of form: SubmittedForm, claim: FormClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    let authorization = try authorization(of: form)
    try checkToken(of: claim, against: key, at: date)
    guard let signingDate = Timestamp(iso8601Basic: try requiredField("x-amz-date", of: form)) else {
      throw S3Authorization.malformed("x-amz-date is not a date like 20261120T080000Z.", as: "InvalidArgument")
    }
    try checkScope(of: authorization, date: signingDate, as: "InvalidArgument")
    let end = signingDate.advanced(by: S3Limits.urlLifetime)
    guard date <= end else {
      throw VerificationError(.expired, "The form was signed more than seven days ago.", remedy: "Get a new form.")
        .with(instant: end).with(serviceCode: "AccessDenied")
    }
    if signingDate > date { try checkSkew(signingDate, at: date) }
    let policy = try requiredField("policy", of: form)
    let scope = S3Scope(date: signingDate, region: authorization.region, service: authorization.service)
    guard constantTimeEqual(S3Form.signature(of: policy, in: scope, with: key), authorization.signature) else {
      throw .s3(
        "SignatureDoesNotMatch", .mismatch, "The signature is not the one of the policy and the key.",
        remedy: "Send the policy in Base64 exactly as it was signed; then check the secret.")
    }
    let document = try FormDocument(base64: policy)
    return try verifyConditions(of: document, in: form, claim: claim, since: signingDate, at: date)
  }

  private func verifyConditions(
    of document: FormDocument, in form: SubmittedForm, claim: FormClaim, since signingDate: Timestamp,
    at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    var required = ["bucket", "x-amz-algorithm", "x-amz-credential", "x-amz-date"]
    if claim.sessionToken != nil { required.append(S3Form.tokenField) }
    let contentType = form["Content-Type"]
    // Each media type in a list must satisfy the conditions, so an equality condition never accepts a list.
    let contentTypes = contentType.map { text in
      [text] + (text.hasByte(",") ? text.parts(between: ",").map { String($0.droppingBlanks) } : [])
    }
    let reading = FormDocument.Reading(
      required: required, own: ["policy", "x-amz-signature"], contentTypes: contentTypes ?? [],
      contentType: contentType ?? form.fileType, hasLists: false)
    if let bucket = form["bucket"], !bucket.isIdentical(to: form.bucket) {
      throw .s3(
        "AccessDenied", .conditionFailed, "The field bucket is not the bucket that the form was posted to.",
        remedy: "Post the form to the bucket of its policy.")
    }
    let verified = try document.verify(
      form, of: claim.accessKeyID, as: reading, within: limits, since: signingDate, at: date)
    let unlistedFields = verified.unlistedFields.filter { !$0.hasBytePrefix("x-ignore-") }
    guard unlistedFields.isEmpty else {
      throw .s3(
        "AccessDenied", .conditionFailed,
        "Invalid according to Policy: Extra input fields: \(unlistedFields.joined(separator: ", "))",
        remedy: "Add a condition for each field.")
    }
    return verified
  }
}
