// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The names, formats and rules of Tencent Cloud COS.
struct SimulatedCOS: SimulatedService {
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

extension SimulatedCOS {
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

extension SimulatedCOS {
  func region(of configuration: LocalCloud.Configuration) -> String { "ap-guangzhou" }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    COSVerifier(mode: configuration.isStrict ? .strict : .compatible, limits: .asServices)
  }

  /// The operations of COS.
  ///
  /// Query parameter names are case-insensitive, because COS signatures contain them in lowercase.
  static let table = OperationTable(
    OperationRoute.shared,
    ParameterNames(
      signature: [
        "sign", "token", "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list",
        "q-signature", "x-cos-security-token", "x-ci-security-token",
      ], ignoresCase: true),
    ofTransfers: ["x-cos-traffic-limit"])

  static let rules = HeaderRules(
    ["x-cos-", "x-ci-"],
    everywhere: ["date", "security-token", "sdk-retry", "request-payer", "x-ci-security-token"],
    HeaderRules.shared.merging([
      "acl": HeaderRules.creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]),
      "server-side-encryption-cos-kms-key-id": HeaderRules.creations,
      "server-side-encryption-context": HeaderRules.creations,
    ]) { $0.union($1) }
    .merging(HeaderRules.customerKeys) { $0.union($1) })

  /// Parses the COS header that specifies a copy source, `host/key` or `/bucket/key`.
  ///
  /// The host contains the bucket name, unless the host is an IP address or `localhost`: then the bucket name precedes
  /// the key.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource {
    try NamedSource(header, of: self) { rest in
      let first = NamedSource.takeSegment(of: &rest)
      return isAddressOrLocalhost(first) ? NamedSource.takeSegment(of: &rest) : hosts.bucket(in: first) ?? first
    }
  }
}

extension SimulatedCOS {
  var postAction: String { "cos:PostObject" }
  var readAction: String { "cos:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("cos:GetService", on: .service)
    case .createBucket: Operation.Need("cos:PutBucket", on: .bucket)
    case .deleteBucket: Operation.Need("cos:DeleteBucket", on: .bucket)
    case .headBucket: Operation.Need("cos:HeadBucket", on: .bucket)
    case .readBucketAccess: Operation.Need("cos:GetBucketACL", on: .bucket)
    case .changeBucketAccess: Operation.Need("cos:PutBucketACL", on: .bucket)
    case .bucketLocation: Operation.Need("cos:GetBucketLocation", on: .bucket)
    case .bucketVersioning: Operation.Need("cos:GetBucketVersioning", on: .bucket)
    case .bucketInfo, .readTags, .changeTags, .deleteTags, .objectAttributes: nil
    case .listObjects, .listObjectsV2: Operation.Need("cos:GetBucket", on: .list)
    case .listUploads: Operation.Need("cos:ListMultipartUploads", on: .list)
    case .deleteObjects: Operation.Need("cos:DeleteMultipleObjects", on: .objectsOfBody)
    case .putObject, .copyObject: Operation.Need("cos:PutObject", on: .object)
    case .initiateUpload: Operation.Need("cos:InitiateMultipartUpload", on: .object)
    case .uploadPart, .copyPart: Operation.Need("cos:UploadPart", on: .object)
    case .completeUpload: Operation.Need("cos:CompleteMultipartUpload", on: .object)
    case .abortUpload: Operation.Need("cos:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("cos:ListParts", on: .object)
    case .getObject: Operation.Need("cos:GetObject", on: .object)
    case .headObject, .objectMeta: Operation.Need("cos:HeadObject", on: .object)
    case .deleteObject: Operation.Need("cos:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("cos:GetObjectACL", on: .object)
    case .changeObjectAccess: Operation.Need("cos:PutObjectACL", on: .object)
    }
  }

  func resource(_ name: String, in region: String) -> [String] {
    // In COS, bucket names end with the ID of the account (APPID).
    let number = name.parts(between: "/")[0].words(between: "-").last.flatMap {
      $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? String($0) : nil
    }
    return ["qcs", "", "cos", region, "uid/\(number ?? Self.account)", name]
  }

  func resourceName(ofBucket bucket: String) -> String { "\(bucket)/" }

  func facts(at date: Timestamp) -> [String: String] {
    ["qcs:ip": "127.0.0.1", "qcs:current_time": date.iso8601, "cos:secure-transport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    for name in ["content-type", "content-length", "x-cos-acl", "x-cos-storage-class"] {
      facts["cos:\(name)"] = head.headerFields.joined(name)
    }
    // Policies compare parameters in the percent-encoded form of the URL.
    for name in ["prefix", "response-content-type"] {
      facts["cos:\(name)"] = target[ByteExactString(name)]?.string.percentEncoded()
    }
    facts["cos:versionid"] = target["versionId"]?.string
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["cos:content-type"] = form.contentType
    facts["cos:content-length"] = form.sizes.upperBound == .max ? nil : "\(form.sizes.upperBound)"
    facts["cos:x-cos-acl"] = form.form["acl"]
    facts["cos:x-cos-storage-class"] = form.form["x-cos-storage-class"]
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "AKID" + RandomText.letters(60), secret: RandomText.letters(44),
      sessionToken: RandomText.letters(32) + "/+" + RandomText.base64(byteCount: 150) + "==", start: start,
      expiration: end)
  }

  /// Splits a role name such as `qcs::cam::uin/1250000000:roleName/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == 6, parts[0] == "qcs", parts[1].isEmpty, parts[2] == "cam",
      parts[5].hasBytePrefix("roleName/"), !parts[5].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}

extension PolicyLanguage {
  /// The policy language of Tencent Cloud CAM, version 2.0.
  ///
  /// Action names can have the prefix `name/`. Action groups (`permid`) are not supported. Page: "Element Reference".
  static let cam = PolicyLanguage(
    versions: ["2.0"], effects: Effects(allow: "allow", deny: "deny", ignoresCase: true), members: [],
    capitalizesMembers: false, actionPrefix: "name/", ignoresActionCase: false, existenceSuffix: "_if_exist",
    absence: .fails, keys: camKeys, comparisons: camComparisons, parts: camParts)

  @Sendable
  private static func camParts(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", atMost: 5).map(String.init)
    guard parts.count == 6, parts[0] == "qcs", parts[1].isEmpty else { return nil }
    // The older resource format is `prefix//APPID/short bucket name/key`.
    let old = parts[5].parts(between: "/", atMost: 4)
    if old.count == 5, old[0] == "prefix", old[1].isEmpty { parts[5] = "\(old[3])-\(old[2])/\(old[4])" }
    return parts
  }

  private static let camKeys: Set = [
    "qcs:ip", "qcs:current_time", "cos:secure-transport", "cos:content-type", "cos:content-length", "cos:prefix",
    "cos:x-cos-acl", "cos:x-cos-storage-class", "cos:response-content-type", "cos:versionid",
  ]

  private static let camComparisons: [String: Comparison] = [
    "string_equal": Comparison(.text), "string_not_equal": Comparison(.text, not: true),
    "string_equal_ignore_case": Comparison(.textIgnoringCase),
    "string_not_equal_ignore_case": Comparison(.textIgnoringCase, not: true),
    "string_like": Comparison(.pattern), "string_not_like": Comparison(.pattern, not: true),
    "numeric_equal": Comparison(.number(.equal)), "numeric_not_equal": Comparison(.number(.equal), not: true),
    "numeric_less_than": Comparison(.number(.less)), "numeric_less_than_equal": Comparison(.number(.lessOrEqual)),
    "numeric_greater_than": Comparison(.number(.greater)),
    "numeric_greater_than_equal": Comparison(.number(.greaterOrEqual)),
    "date_equal": Comparison(.date(.equal)), "date_not_equal": Comparison(.date(.equal), not: true),
    "date_less_than": Comparison(.date(.less)), "date_less_than_equal": Comparison(.date(.lessOrEqual)),
    "date_greater_than": Comparison(.date(.greater)), "date_greater_than_equal": Comparison(.date(.greaterOrEqual)),
    "bool_equal": Comparison(.truth), "ip_equal": Comparison(.network), "ip_not_equal": Comparison(.network, not: true),
    "null_equal": Comparison(.absence),
  ]
}
