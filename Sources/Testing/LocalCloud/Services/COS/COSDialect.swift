// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The names, formats and rules of Tencent Cloud COS.
struct COSDialect: Dialect {
  private static let declaration = "<?xml version='1.0' encoding='utf-8' ?>"

  let provider = LocalCloud.Provider.cos
  let endpoint = LocalCloud.Endpoint.cos
  let operations = table
  let policyLanguage = PolicyLanguage.cam
  let headerPrefix = "x-cos-"
  var hosts: ServiceHosts { .cos }
  let objectAccessHeader = "acl"
  let storageClasses = [
    StorageClass(name: "STANDARD"), StorageClass(name: "STANDARD_IA"), StorageClass(name: "INTELLIGENT_TIERING"),
    StorageClass(name: "ARCHIVE", isArchive: true), StorageClass(name: "DEEP_ARCHIVE", isArchive: true),
    StorageClass(name: "MAZ_STANDARD"), StorageClass(name: "MAZ_STANDARD_IA"),
    StorageClass(name: "MAZ_INTELLIGENT_TIERING"), StorageClass(name: "MAZ_ARCHIVE", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-cos-kms-key-id", "server-side-encryption-context",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [], "SM4": [],
    "cos/kms": ["server-side-encryption-cos-kms-key-id", "server-side-encryption-context"],
  ]
  let trafficLimits: ClosedRange<Int64> = 819_200...838_860_800
  let headerRules = rules
  let wrongDigest = RefusalAnswer(
    .badRequest, "BadDigest", "The Content-MD5 does not match the received body.")
  let defaultPageSize = 1000
  let serverName = "tencent-cos"
  let bucketPaging = BucketPaging(most: 2000)
  let exposedHeaders = ["x-cos-request-id", "x-cos-hash-crc64ecma"]
  let unchangedCopySource = RefusalAnswer.preconditionFailed("x-cos-copy-source-if-…")

  /// Returns a new COS request ID.
  ///
  /// - Returns: The Base64 encoding of a string such as `5ea333fa_4fa70b09_2124_41d8eb`, which contains the time and
  ///   random digits.
  func makeRequestID(at date: Timestamp) -> String {
    let time = String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
    let text =
      "\(time)_\(String(hexadecimal: UInt32.random(in: 0 ... .max)))_2124_"
      + String(String(hexadecimal: UInt32.random(in: 0 ... .max)).suffix(6))
    return String(writing: { writer in withBytes(of: text) { writer.append(base64: $0) } })
  }

  func identify(_ answer: inout Answer, as requestID: String) {
    for name in ["x-cos-request-id", "x-cos-trace-id"] { answer.headers.set(name, requestID) }
  }

  func entityTag(_ tag: String) -> String { "\"\(tag)\"" }

  func bytes(ofPartTag tag: String) -> [UInt8] { [UInt8](hex: tag) ?? [] }

  func checksums(of content: Content) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers.set("x-cos-hash-crc64ecma", String(content.crc64))
    return headers
  }

  /// Returns the response header with an object's storage class, unless the object has the standard storage class.
  func headers(of object: StoredObject) -> HTTPFields {
    var headers: HTTPFields = [:]
    if let name = object.attributes.storageClass { headers.set("x-cos-storage-class", name) }
    return headers
  }

  func elements(of part: UploadedPart) -> [XMLNode] { [XMLNode("HashCrc64ecma", String(part.content.crc64))] }

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind { .cosV5 }

  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer {
    .accessDenied("Access Denied.", details: [RefusalAnswer.Detail(name: "ServerTime", value: date.iso8601)])
  }

  func policyRefusal(at date: Timestamp) -> RefusalAnswer { anonymousRefusal(at: date) }

  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer {
    var answer = Answer(error.status)
    if call.method == .head { return answer }
    let elements =
      [XMLNode("Code", error.code), XMLNode("Message", error.message)]
      + error.details.map { XMLNode($0.name, $0.value) }
      + [
        XMLNode("Resource", (call.host + call.path).shortened(to: RefusalAnswer.echoByteLimit)),
        XMLNode("RequestId", call.requestID),
        XMLNode("TraceId", call.requestID),
      ]
    answer.headers[.contentType] = "application/xml"
    answer.body = .bytes(XMLNode("Error", children: elements).serialized(declaration: Self.declaration))
    return answer
  }

  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer {
    var refusal = refusalWithoutReason(error, at: date)
    refusal.details.append(RefusalAnswer.Detail(name: "Reason", value: error.message))
    return refusal
  }

  private func refusalWithoutReason(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer {
    let serverTime = RefusalAnswer.Detail(name: "ServerTime", value: date.iso8601)
    switch error.code {
    case .mismatch:
      var details: [RefusalAnswer.Detail] = []
      if let comparison = error.comparison {
        details.append(RefusalAnswer.Detail(name: "StringToSign", bounded: comparison.stringToSign))
        details.append(RefusalAnswer.Detail(name: "FormatString", bounded: comparison.canonicalRequest ?? ""))
      }
      return RefusalAnswer(
        .forbidden, "SignatureDoesNotMatch", "The Signature you specified is invalid.", details: details)
    case .unknownKey, .missingToken:
      return RefusalAnswer(
        .forbidden, "InvalidAccessKeyId", "The SecretId does not exist, or its temporary key has expired.")
    case .invalidToken:
      return RefusalAnswer(.forbidden, "InvalidToken", "The session token does not belong to the key.")
    case .keyExpired:
      return RefusalAnswer(.forbidden, "ExpiredToken", "The session token has expired.", details: [serverTime])
    case .expired:
      return .accessDenied("Request has expired", details: [serverTime])
    case .clockSkew, .notYetValid:
      return RefusalAnswer(
        .forbidden, "RequestTimeTooSkewed", "The signing time differs too much from the server's time.",
        details: [serverTime])
    case .unsignedField:
      return .accessDenied("A part of the request that has an effect is not signed.", details: [serverTime])
    case .unsigned:
      return anonymousRefusal(at: date)
    default:
      return .invalidArgument(error.message)
    }
  }

  func ownBucketCode(in region: String) -> String? { "BucketAlreadyOwnedByYou" }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    var answer = Answer(grants(of: access, everybody: "http://cam.qcloud.com/groups/global/AllUsers"))
    if access == nil { answer.headers.set("x-cos-acl", "default") }
    return answer
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("Location", region), XMLNode("CreationDate", bucket.created.iso8601),
        XMLNode("BucketType", "cos"),
      ])
  }
}
