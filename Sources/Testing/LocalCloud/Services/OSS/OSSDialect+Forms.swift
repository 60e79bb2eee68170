// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension OSSDialect {
  var formAccessField: String { header(objectAccessHeader) }

  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind {
    form["x-oss-signature-version"] == nil ? .ossV1 : .ossV4
  }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer? {
    switch error.code {
    case .policyExpired: .accessDenied("Invalid according to Policy: Policy expired.")
    case .conditionFailed:
      .accessDenied(
        "Invalid according to Policy: Policy Condition failed: \(error.condition.map(\.description) ?? "")")
    case .invalidPolicy: RefusalAnswer(.badRequest, "InvalidPolicyDocument", "Invalid Policy: \(error.message)")
    case .wrongScope: .invalidArgument(error.message, ec: "0002-00000710")
    default: nil
    }
  }
}
