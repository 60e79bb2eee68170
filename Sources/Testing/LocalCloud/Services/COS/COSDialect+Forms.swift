// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension COSDialect {
  var formAccessField: String { "acl" }

  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind { .cosV5 }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer? {
    switch error.code {
    case .policyExpired:
      .accessDenied(
        "You post object request has been expired, expiration time: \(error.instant?.unixSeconds ?? 0) "
          + "but the time now : \(date.unixSeconds)")
    case .conditionFailed:
      .accessDenied(
        "Condition key \(error.condition?.field ?? "") doesn't match the value \(error.condition?.shownValue ?? "")")
    case .invalidPolicy:
      RefusalAnswer(
        .badRequest, "InvalidPolicyDocument",
        "You must provide condition if you specify a policy in post object request.",
        details: [RefusalAnswer.Detail(name: "Reason", value: error.message)])
    default: nil
    }
  }
}

extension FormCondition {
  /// The value or prefix that a form policy's condition expects, masked if the form field contains a secret.
  fileprivate var shownValue: String {
    if SecretName.isSecret(field) { return Secret.mask }
    return switch rule {
    case .equals(let text), .startsWith(let text): text
    case .oneOf(let texts), .noneOf(let texts): texts.joined(separator: ", ")
    }
  }
}
