// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A conformance suite for signers and verifiers of forms, which checks an implementation against each ``FormRule``.
///
/// ```swift
/// let report = FormConformance(
///   OBSSigner(), verifier: OBSVerifier(), endpoint: endpoint, bucket: "photos", metadata: "x-obs-meta-author"
/// ).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct FormConformance<Signing: FormSigner<AccessKey>, Verifying: FormVerifier>: Sendable {
  let signer: Signing
  let verifier: Verifying
  let endpoint: ServiceEndpoint
  let bucket: String
  let metadataField: String
  let date: Timestamp

  /// Creates a suite for a signer and a verifier of forms.
  ///
  /// `verifier` accepts the signer's forms. `endpoint` and `bucket` receive the forms, and `date` is the signing time.
  /// `metadata` is the name of a field with metadata, such as `x-acme-meta-author`.
  public init(
    _ signer: Signing, verifier: Verifying, endpoint: ServiceEndpoint, bucket: String, metadata: String,
    date: Timestamp = Timestamp(unixSeconds: 1_795_161_600)
  ) {
    self.signer = signer
    self.verifier = verifier
    self.endpoint = endpoint
    self.bucket = bucket
    metadataField = metadata
    self.date = date
  }

  /// Checks rules, and returns a report about the signer and the verifier with one check for each of them.
  public func report(_ rules: [FormRule] = FormRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Verifying.self, rules) { rule in try Self.keys.reduce(0) { try $0 + check(rule, $1) } }
  }

  private func check(_ rule: FormRule, _ key: AccessKey) throws -> Int {
    switch rule {
    case .acceptance: try checkAcceptance(key)
    case .fields: try checkFields(key)
    case .repetition: try checkRepetition(key)
    case .additions: try checkAdditions(key)
    case .target: try checkTarget(key)
    case .fileName: try checkFileName(key)
    case .time: try checkTime(key)
    case .key: try checkKey(key)
    case .refusal: try checkRefusal(key)
    case .secrecy: try checkSecrecy(key)
    }
  }
}

/// A rule that implementations of `FormSigner` and `FormVerifier` must follow.
public enum FormRule: String, CaseIterable, Sendable {
  /// The verifier accepts what the signer signs, and reports what the policy permits.
  case acceptance = "a signed form is accepted, with its id, key, sizes, media type and expiration"
  /// No field of a form can be changed.
  case fields = "a form with a changed or missing field is rejected"
  /// A form has one meaning.
  case repetition = "a form with a repeated field is rejected, also in another letter case"
  /// A field that the policy does not know has no unnoticed effect.
  case additions = "a field without a condition is rejected or reported"
  /// A form is for one bucket and certain keys.
  case target = "a form for another bucket, or with a key outside of the policy, is rejected"
  /// A file name cannot leave the prefix of the policy.
  case fileName = "only the last component of the file name becomes a part of the key"
  /// A form expires.
  case time = "a form is accepted until its policy expires, and not later"
  /// The signature and the token are those of the key.
  case key = "a form is rejected with another secret, id or session token"
  /// The signer rejects what it cannot sign.
  case refusal = "unusable, anonymous and early ending keys, and policies that have expired, are rejected"
  /// Forms and errors do not disclose secrets.
  case secrecy = "no secret is in a form or an error, and no token in a description"
}

extension FormConformance {
  private static var keys: [AccessKey] {
    let permanent = AccessKey(id: "AKIDexample1", secret: "secret0canary")
    return [permanent, AccessKey(id: "AKIDexample2", secret: "secret1canary", sessionToken: "token0canary+/=")]
  }

  private var policy: FormPolicy {
    FormPolicy(
      bucket: bucket, objects: .prefix("up/"), sizes: 1...100, contentType: .startsWith("image/"), response: .created,
      conditions: [FormCondition(metadataField, .equals("mia"))], until: date.advanced(by: .seconds(600)))
  }

  private func sign(
    _ key: AccessKey, _ change: (inout FormPolicy) -> Void = { _ in }
  ) throws(SigningError) -> SignedForm {
    var policy = policy
    change(&policy)
    return try signer.sign(policy, to: endpoint, with: key, in: .at(date))
  }

  /// Returns the fields of a signed form as a browser completes them.
  private func completedFields(_ key: AccessKey) throws -> [FormField] {
    let form = try sign(key)
    return form.fields + form.openConditions.map { FormField($0.field, "image/png") }
  }

  private func submitted(_ fields: [FormField], bucket: String? = nil, fileName: String = "cat.png") -> SubmittedForm {
    SubmittedForm(bucket: bucket ?? self.bucket, fields: fields, fileName: fileName, fileType: "image/png")
  }

  private func verify(
    _ form: SubmittedForm, _ key: AccessKey, after seconds: Int64 = 0
  ) throws(VerificationError) -> VerifiedForm {
    _ = try verifier.claim(in: form)
    return try verifier.verify(form, against: key, at: date.advanced(by: .seconds(seconds)))
  }

  private func requireRejected(
    _ form: SubmittedForm, _ key: AccessKey, after seconds: Int64 = 0, _ label: String
  ) throws {
    do throws(VerificationError) { _ = try verify(form, key, after: seconds) } catch { return }
    throw Violation("a form \(label) was accepted")
  }

  private func checkAcceptance(_ key: AccessKey) throws -> Int {
    let form = submitted(try completedFields(key))
    let claim = try verifier.claim(in: form)
    try require(claim.accessKeyID == key.id && claim.sessionToken == key.sessionToken, "the claim is of another key")
    let verified = try verify(form, key)
    try require(verified.accessKeyID == key.id, "the access key ID is \(verified.accessKeyID)")
    try require(verified.key == "up/cat.png", "the key is \(verified.key)")
    try require(verified.sizes == 1...100, "the permitted sizes are \(verified.sizes)")
    try require(verified.contentType == "image/png", "the media type is \(verified.contentType ?? "nil")")
    try require(verified.expiration == policy.expiration, "the expiration is \(verified.expiration)")
    try require(verified.unlistedFields.isEmpty, "the fields \(verified.unlistedFields) have no condition")
    return 1
  }

  private func checkFields(_ key: AccessKey) throws -> Int {
    let signed = try sign(key).fields
    let fields = try completedFields(key)
    for (index, field) in fields.enumerated() {
      var changed = fields
      // The values differ at the beginning, because the policy permits every key with the prefix.
      changed[index] = FormField(field.name, "x" + field.value)
      try requireRejected(submitted(changed), key, "with another value of \(field.name)")
      // The media type of the file can replace a missing one.
      guard index < signed.count else { continue }
      changed.remove(at: index)
      try requireRejected(submitted(changed), key, "without \(field.name)")
    }
    return fields.count * 2
  }

  private func checkRepetition(_ key: AccessKey) throws -> Int {
    let fields = try completedFields(key)
    for field in fields {
      for copy in [field, FormField(field.name.uppercased(), field.value), FormField(field.name, "x")] {
        try requireRejected(submitted(fields + [copy]), key, "with \(copy.name) twice")
        try requireRejected(submitted([copy] + fields), key, "with \(copy.name) twice")
      }
    }
    return fields.count * 6
  }

  private func checkAdditions(_ key: AccessKey) throws -> Int {
    let name = metadataField + "-other"
    let form = submitted(try completedFields(key) + [FormField(name, "x")])
    guard let verified = try? verify(form, key) else { return 1 }
    try require(verified.unlistedFields == [name], "a field without a condition was accepted and not reported")
    return 1
  }

  private func checkTarget(_ key: AccessKey) throws -> Int {
    let fields = try completedFields(key)
    try requireRejected(submitted(fields, bucket: bucket + "x"), key, "for another bucket")
    let foreignKeys = ["down/a", "up", "Up/a", "/up/a", "", "up\u{2215}a"]
    for name in foreignKeys {
      let changed = fields.map { $0.name == "key" ? FormField("key", name) : $0 }
      try requireRejected(submitted(changed), key, "with the key \(name.debugDescription)")
    }
    return foreignKeys.count + 1
  }

  private func checkFileName(_ key: AccessKey) throws -> Int {
    try ["../../cat.png", "C:\\photos\\cat.png", "/etc/cat.png"].tryEach { name in
      let verified = try verify(submitted(try completedFields(key), fileName: name), key)
      try require(verified.key == "up/cat.png", "the file name \(name) leads to the key \(verified.key)")
    }
  }

  private func checkTime(_ key: AccessKey) throws -> Int {
    let form = submitted(try completedFields(key))
    _ = try verify(form, key, after: 599)
    try requireRejected(form, key, after: 601, "whose policy expired a second ago")
    try requireRejected(form, key, after: 1 << 31, "whose policy expired long ago")
    return 3
  }

  private func checkKey(_ key: AccessKey) throws -> Int {
    let form = submitted(try completedFields(key))
    let otherKeys = [(name: "another secret", key: key.withOtherSecret)] + key.withOtherTokens
    for (name, otherKey) in otherKeys { try requireRejected(form, otherKey, "of \(name)") }
    let renamed = form.fields.map { FormField($0.name, $0.value.replacing(key.id.string, with: "AKIDother")) }
    try requireRejected(submitted(renamed), key, "with another id")
    return otherKeys.count + 1
  }

  private func checkRefusal(_ key: AccessKey) throws -> Int {
    let early = AccessKey(
      id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: date.advanced(by: .seconds(599)))
    let keys = AccessKey.unusable + [("an anonymous key", .anonymous), ("a key that ends before the policy", early)]
    for (name, key) in keys {
      try requireUnsigned(name) { () throws(SigningError) in _ = try sign(key) }
    }
    let pastExpirations = [date, date.advanced(by: .seconds(-1))]
    for expiration in pastExpirations {
      try requireUnsigned("a policy that has expired") { () throws(SigningError) in
        _ = try sign(key) { $0.expiration = expiration }
      }
    }
    return keys.count + pastExpirations.count
  }

  private func checkSecrecy(_ key: AccessKey) throws -> Int {
    let form = try sign(key)
    let secrets = [key.secret.reveal()]
    try secrets.requireAbsent(from: form.json, "the form")
    let submittedForm = submitted(try completedFields(key))
    // The token is sent in the form, but not shown.
    let hidden = secrets + [key.sessionToken?.reveal()].compactMap { $0 }
    try hidden.requireAbsent(fromDisplaysOf: form, "the signed form")
    try hidden.requireAbsent(fromDisplaysOf: submittedForm, "the submitted form")
    // A wrong signature, and a policy that has expired.
    for (usedKey, seconds) in [(key.withOtherSecret, Int64(0)), (key, 9_999)] {
      do throws(VerificationError) { _ = try verify(submittedForm, usedKey, after: seconds) } catch {
        try hidden.requireAbsent(fromDisplaysOf: error, "the error \(error.code)")
      }
    }
    // Three texts and two errors.
    return 5
  }
}
