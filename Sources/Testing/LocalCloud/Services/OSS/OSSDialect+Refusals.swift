// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension OSSDialect {
  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer {
    var refusal = refusalWithoutReason(error, at: date)
    refusal.details.append(RefusalAnswer.Detail(name: "Reason", value: error.message))
    return refusal
  }

  private func refusalWithoutReason(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer {
    let keyID = error.accessKeyID.map { [RefusalAnswer.Detail(name: "OSSAccessKeyId", value: $0.string)] } ?? []
    switch error.code {
    case .mismatch:
      return mismatch(error, keyID)
    case .unknownKey, .missingToken:
      return RefusalAnswer(
        .forbidden, "InvalidAccessKeyId", "The OSS Access Key Id you provided does not exist in our records.",
        ec: error.code == .unknownKey ? "0002-00000902" : "0002-00000002", details: keyID)
    case .invalidToken:
      return RefusalAnswer(
        .forbidden, "InvalidSecurityToken", "The security token you provided is invalid.", ec: "0002-00000004",
        details: keyID)
    case .keyExpired:
      return RefusalAnswer(
        .forbidden, "SecurityTokenExpired", "The security token you provided has expired.", ec: "0002-00000007",
        details: keyID)
    case .expired:
      return .accessDenied(
        "Request has expired.",
        details: (error.instant.map { [RefusalAnswer.Detail(name: "Expires", value: $0.iso8601Milliseconds)] } ?? [])
          + [RefusalAnswer.Detail(name: "ServerTime", value: date.iso8601Milliseconds)])
    case .clockSkew, .notYetValid:
      return RefusalAnswer(
        .forbidden, "RequestTimeTooSkewed",
        "The difference between the request time and the current time is too large.", ec: "0002-00000504",
        details: [RefusalAnswer.Detail(name: "MaxAllowedSkewMilliseconds", value: "900000")]
          + (error.instant.map { [RefusalAnswer.Detail(name: "RequestTime", value: $0.iso8601Milliseconds)] } ?? [])
          + [RefusalAnswer.Detail(name: "ServerTime", value: date.iso8601Milliseconds)])
    case .wrongScope:
      return wrongScope(error)
    case .missingDate:
      return .accessDenied("OSS authentication requires a valid Date.")
    case .unsigned:
      return anonymousRefusal(at: date)
    default:
      return .invalidArgument(error.message)
    }
  }

  private func mismatch(_ error: VerificationError, _ keyID: [RefusalAnswer.Detail]) -> RefusalAnswer {
    var details = keyID
    if let comparison = error.comparison {
      details.append(RefusalAnswer.Detail(name: "SignatureProvided", value: comparison.signatureProvided))
      details += text("StringToSign", comparison.stringToSign)
      if let canonical = comparison.canonicalRequest { details += text("CanonicalRequest", canonical) }
    }
    return RefusalAnswer(
      .forbidden, "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
      ec: "0002-00000040", details: details)
  }

  /// Returns two elements of an error document: a string, and its bytes as uppercase hexadecimal digits separated by
  /// spaces.
  private func text(_ name: String, _ value: String) -> [RefusalAnswer.Detail] {
    let bytes = value.utf8.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + digits : digits
    }
    return [
      RefusalAnswer.Detail(name: name, bounded: value),
      RefusalAnswer.Detail(name: "\(name)Bytes", bounded: bytes.joined(separator: " ")),
    ]
  }

  private func wrongScope(_ error: VerificationError) -> RefusalAnswer {
    switch error.scopePart {
    case .region: .invalidArgument("Invalid signing region in Authorization header.", ec: "0002-00000226")
    case .product: .invalidArgument("Invalid signing product in Authorization header.", ec: "0002-00000227")
    case .day, nil: .invalidArgument("Invalid signing date in Authorization header.")
    }
  }
}
