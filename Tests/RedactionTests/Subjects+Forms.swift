// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import OSSAuth
import S3Auth
import StorageAuth

extension Subjects {
  /// Types of forms whose instances hold no secret, with the reason.
  static let holdsNothingOfForms: [String: String] = [
    "StorageAuth.FormPolicy": "the permitted uploads, before signing",
    "StorageAuth.FormPolicy.Response": "a status, or a URL of the application",
    "StorageAuth.FormDraft": "a policy and its derived fields, before signing",
    "StorageAuth.FormDocument.Reading": "names of fields, and media types",
    "StorageAuth.FormCondition.Rule": "values of fields; FormCondition masks those of tokens",
  ]

  /// Returns results of signing and verifying forms: forms, claims, proofs, and conditions that are not met.
  static func forms() throws -> [(String, Any)] {
    let policy = FormPolicy(bucket: "photos-125", objects: .key("a"), until: date.advanced(by: .seconds(60)))
    let endpoint = try ServiceEndpoint("http://127.0.0.1:9000")
    let signed = [
      try OSSSigner(.v1).sign(policy, to: endpoint, with: key, in: .at(date)),
      try oss.sign(policy, to: endpoint, with: key, in: .at(date)),
    ]
    let cos = try COSSigner().sign(policy, to: endpoint, with: key, in: .at(date))
    let s3 = try S3Signer(region: "eu-central-1").sign(policy, to: endpoint, with: key, in: .at(date))
    let text = s3.fields.first { $0.name == "policy" }?.value ?? ""
    return try signed.flatMap { try subjects(of: $0, OSSVerifier()) } + subjects(of: cos, COSVerifier())
      + subjects(of: s3, S3Verifier(region: "eu-central-1"))
      // The policy of an S3 form contains the token.
      + [("StorageAuth.FormDocument", FormDocument(base64: text))]
  }

  private static func subjects(of form: SignedForm, _ verifier: some FormVerifier) throws -> [(String, Any)] {
    let submitted = SubmittedForm(bucket: "photos-125", fields: form.fields, fileName: "a")
    let changed = form.fields.map { FormField($0.name, $0.name.hasSuffix("token") ? token + "x" : $0.value) }
    let other = AccessKey(id: key.id, secret: secret, sessionToken: token + "x")
    // A V4 policy contains the token, and therefore also the condition that is not met.
    let refused = Result {
      try verifier.verify(SubmittedForm(bucket: "other-125", fields: changed), against: other, at: date)
    }
    guard case .failure(let error) = refused else {
      throw CredentialError(.failed, source: "the test", "No error was thrown.", remedy: "Check the test.")
    }
    return [
      ("StorageAuth.SignedForm", form), ("StorageAuth.FormField", FormField("x-oss-security-token", token)),
      ("StorageAuth.SubmittedForm", submitted), ("StorageAuth.FormClaim", try verifier.claim(in: submitted)),
      ("StorageAuth.VerifiedForm", try verifier.verify(submitted, against: key, at: date)),
      ("StorageAuth.VerificationError", error),
      ("StorageAuth.FormCondition", FormCondition("x-oss-security-token", .equals(token))),
    ]
  }
}
