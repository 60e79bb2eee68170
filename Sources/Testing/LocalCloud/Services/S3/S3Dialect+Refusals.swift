// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

// Page: "Error Responses".

extension S3Dialect {
  private static let words = S3Verifier().refusals

  private static let redirectionCode = "PermanentRedirect"

  /// Returns a redirection if the host of a request specifies a region other than the server's, or `nil` otherwise.
  ///
  /// Page: "Request redirection and the REST API".
  func redirection(of host: String, for bucket: String) -> RefusalAnswer? {
    guard let named = S3Address.region(in: host), named != region,
      let endpoint = try? ServiceEndpoint.s3(region: region, bucket: bucket)
    else { return nil }
    let prefix = endpoint.style == .virtualHosted ? "\(bucket)." : ""
    return RefusalAnswer(
      .movedPermanently, Self.redirectionCode,
      """
      The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future \
      requests to this endpoint.
      """,
      details: [
        RefusalAnswer.Detail(name: "Endpoint", value: "\(prefix)\(endpoint.authority)"),
        RefusalAnswer.Detail(name: "Bucket", value: bucket),
      ])
  }

  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer { .accessDenied("Access Denied") }

  func policyRefusal(at date: Timestamp) -> RefusalAnswer { anonymousRefusal(at: date) }

  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer {
    var answer = Answer(error.status)
    if error.code == Self.redirectionCode || error.details.contains(where: { $0.name == "Region" }) {
      answer.headers.set("x-amz-bucket-region", region)
    }
    if call.method == .head { return answer }
    var identity = Answer()
    identify(&identity, as: call.requestID)
    let elements =
      [XMLNode("Code", error.code), XMLNode("Message", error.message)]
      + error.details.map { XMLNode($0.name, $0.value) }
      + [
        XMLNode("RequestId", call.requestID), XMLNode("HostId", identity.headers.first("x-amz-id-2") ?? ""),
      ]
    answer.headers[.contentType] = "application/xml"
    answer.body = .bytes(XMLNode("Error", children: elements).serialized())
    return answer
  }

  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer {
    let word = Self.words[error]
    var refusal = RefusalAnswer(word.status, word.code, error.message)
    let keyID = error.accessKeyID.map { [RefusalAnswer.Detail(name: "AWSAccessKeyId", value: $0.string)] } ?? []
    let serverTime = RefusalAnswer.Detail(name: "ServerTime", value: date.iso8601)
    switch error.code {
    case .mismatch where word.code == "SignatureDoesNotMatch":
      refusal.message =
        "The request signature we calculated does not match the signature you provided. Check your key and signing "
        + "method."
      refusal.details = keyID + Self.comparison(error.comparison)
    case .unknownKey, .missingToken:
      refusal.message = "The AWS Access Key Id you provided does not exist in our records."
      refusal.details = keyID
    case .invalidToken:
      refusal.message = "The provided token is malformed or otherwise invalid."
      refusal.details = [Self.token]
    case .keyExpired:
      refusal.message = "The provided token has expired."
      refusal.details = [Self.token]
    case .clockSkew:
      refusal.message = "The difference between the request time and the current time is too large."
      refusal.details =
        (error.instant.map { [RefusalAnswer.Detail(name: "RequestTime", value: $0.iso8601Basic)] } ?? [])
        + [serverTime, RefusalAnswer.Detail(name: "MaxAllowedSkewMilliseconds", value: "900000")]
    case .expired, .notYetValid:
      refusal.details =
        (error.instant.map { [RefusalAnswer.Detail(name: "Expires", value: $0.iso8601)] } ?? []) + [serverTime]
    case .unsignedField:
      let parts = error.message.parts(between: ":", atMost: 1)
      refusal.message = String(parts[0])
      if parts.count > 1 {
        refusal.details = [RefusalAnswer.Detail(name: "HeadersNotSigned", value: String(parts[1].droppingBlanks))]
      }
    case .wrongScope where error.scopePart == .region:
      refusal.details = [RefusalAnswer.Detail(name: "Region", value: region)]
    case .unsigned:
      return anonymousRefusal(at: date)
    default: break
    }
    return refusal
  }

  /// The element of an error document in which S3 returns the session token; here, the token is masked.
  private static let token = RefusalAnswer.Detail(name: "Token-0", value: Secret.mask)

  private static func comparison(_ comparison: VerificationError.Comparison?) -> [RefusalAnswer.Detail] {
    guard let comparison else { return [] }
    var details = [
      RefusalAnswer.Detail(name: "StringToSign", bounded: comparison.stringToSign),
      RefusalAnswer.Detail(name: "SignatureProvided", value: comparison.signatureProvided),
      RefusalAnswer.Detail(name: "StringToSignBytes", bounded: bytes(of: comparison.stringToSign)),
    ]
    if let canonical = comparison.canonicalRequest {
      details += [
        RefusalAnswer.Detail(name: "CanonicalRequest", bounded: canonical),
        RefusalAnswer.Detail(name: "CanonicalRequestBytes", bounded: bytes(of: canonical)),
      ]
    }
    return details
  }

  /// Returns the UTF-8 bytes of a string as lowercase hexadecimal digits, separated by spaces.
  private static func bytes(of text: String) -> String {
    text.utf8.map { byte in byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16) }
      .joined(separator: " ")
  }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer? {
    switch error.code {
    case .policyExpired: .accessDenied("Invalid according to Policy: Policy expired.")
    case .conditionFailed:
      .accessDenied(
        error.condition.map { "Invalid according to Policy: Policy Condition failed: \($0)" } ?? error.message)
    case .invalidPolicy: RefusalAnswer(.badRequest, "InvalidPolicyDocument", "Invalid Policy: \(error.message)")
    default: nil
    }
  }
}
