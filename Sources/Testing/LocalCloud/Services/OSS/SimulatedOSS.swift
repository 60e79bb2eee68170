// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto

/// The names, formats and rules of Alibaba Cloud OSS.
struct SimulatedOSS: SimulatedService {
  let provider = LocalCloud.Provider.oss
  let endpoint = LocalCloud.Endpoint.oss
  let operations = table
  let policyLanguage = PolicyLanguage.ram
  let headerPrefix = "x-oss-"
  var hosts: ServiceHosts { .oss }
  let objectAccessHeader = "object-acl"
  let storageClasses = [
    StorageClass(name: "Standard"), StorageClass(name: "IA"), StorageClass(name: "Archive", isArchive: true),
    StorageClass(name: "ColdArchive", isArchive: true), StorageClass(name: "DeepColdArchive", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-key-id", "server-side-data-encryption",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [], "SM4": [], "KMS": ["server-side-encryption-key-id", "server-side-data-encryption"],
  ]
  let trafficLimits: ClosedRange<Int64> = 245_760...838_860_800
  let headerRules = rules
  let wrongDigest = RefusalAnswer.invalidDigest("The Content-MD5 does not match the received body.")
  let defaultPageSize = 100
  let serverName = "AliyunOSS"
  let bucketPaging = BucketPaging(most: 2000)
  let exposedHeaders = ["x-oss-request-id", "x-oss-hash-crc64ecma"]
  let unchangedCopySource = RefusalAnswer(
    .notModified, "NotModified", "The conditions exclude the source object.")

  /// Returns a new OSS request ID: 24 hexadecimal digits that contain the time and random digits.
  func makeRequestID(at date: Timestamp) -> String {
    (String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
      + String(hexadecimal: UInt64.random(in: 0 ... .max)))
      .asciiUppercased
  }

  func identify(_ answer: inout Answer, as requestID: String) { answer.headers.set("x-oss-request-id", requestID) }

  func entityTag(_ tag: String) -> String { "\"\(tag.asciiUppercased)\"" }

  /// Returns the bytes of a part's entity tag in uppercase hexadecimal, as OSS formats it.
  ///
  /// The entity tag of the whole object is the MD5 of these bytes, as the vendor's test suites show.
  func bytes(ofPartTag tag: String) -> [UInt8] { Array(tag.asciiUppercased.utf8) }

  func checksums(of content: Content) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers.set("x-oss-hash-crc64ecma", String(content.crc64))
    if let md5 = [UInt8](hex: content.entityTag) {
      headers[.contentMD5] = String(writing: { $0.append(base64: md5) })
    }
    return headers
  }

  func headers(of object: StoredObject) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers.set("x-oss-object-type", object.isMultipart ? "Multipart" : "Normal")
    headers.set("x-oss-storage-class", object.attributes.storageClass ?? standardClass)
    return headers
  }

  func elements(of object: StoredObject) -> [XMLNode] {
    [XMLNode("Type", object.isMultipart ? "Multipart" : "Normal")]
  }

  func elements(of part: UploadedPart) -> [XMLNode] { [XMLNode("HashCrc64ecma", String(part.content.crc64))] }

  func location(of region: String) -> String { "oss-\(region)" }

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind {
    let isV4 =
      switch verified.placement {
      case .header: request.headerFields[.authorization]?.hasBytePrefix("OSS4") == true
      case .query: verified.wholeTarget.contains("x-oss-signature-version")
      }
    return isV4 ? .ossV4 : .ossV1
  }

  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer {
    .accessDenied("You have no right to access this object because of bucket acl.", ec: "0003-00000001")
  }

  func policyRefusal(at date: Timestamp) -> RefusalAnswer {
    .accessDenied("Access denied by authorizer's policy.", ec: "0003-00000301")
  }

  /// The maximum length, in bytes, of each element of an error document in the header of a response to a HEAD request.
  private static let headerEchoByteLimit = 256

  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer {
    // Headers have stricter size limits than bodies.
    let limit = call.method == .head ? Self.headerEchoByteLimit : .max
    var elements = [
      XMLNode("Code", error.code), XMLNode("Message", error.message.shortened(to: limit)),
      XMLNode("RequestId", call.requestID),
      XMLNode("HostId", call.host.shortened(to: min(limit, RefusalAnswer.echoByteLimit))),
    ]
    elements += error.details.map { XMLNode($0.name, $0.value.shortened(to: limit)) }
    if let ec = error.ec { elements.append(XMLNode("EC", ec)) }
    let document = XMLNode("Error", children: elements).serialized()
    var answer = Answer(error.status)
    if let ec = error.ec { answer.headers.set("x-oss-ec", ec) }
    if call.method == .head {
      answer.headers.set("x-oss-err", String(writing: { $0.append(base64: document) }))
    } else {
      answer.headers[.contentType] = "application/xml"
      answer.body = .bytes(document)
    }
    return answer
  }

  func ownBucketCode(in region: String) -> String? { nil }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    let grant = XMLNode("Grant", access?.rawValue ?? "default")
    return Answer(
      XMLNode("AccessControlPolicy", children: [owner, XMLNode("AccessControlList", children: [grant])]))
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let extranet = "oss-\(region).aliyuncs.com"
    let intranet = endpoint == extranet ? "oss-\(region)-internal.aliyuncs.com" : endpoint
    return XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("Location", location(of: region)), XMLNode("Region", region),
        XMLNode("CreationDate", bucket.created.iso8601Milliseconds), XMLNode("ExtranetEndpoint", endpoint),
        XMLNode("IntranetEndpoint", intranet), XMLNode("StorageClass", standardClass),
      ])
  }
}

extension SimulatedOSS {
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

extension SimulatedOSS {
  func region(of configuration: LocalCloud.Configuration) -> String { configuration.region ?? "cn-hangzhou" }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    OSSVerifier(region: configuration.region, acceptsAmbiguousV1: true, limits: .asServices)
  }

  static let table = OperationTable(
    OperationRoute.shared.map { route in
      [.putObject, .completeUpload].contains(route.operation) ? route.taking(["callback", "callback-var"]) : route
    } + [
      OperationRoute(.bucketInfo, .get, .bucket, ["bucketInfo"]),
      OperationRoute(.objectMeta, .head, .object, ["objectMeta"], taking: ["versionId"]),
    ],
    ParameterNames(signature: [
      "OSSAccessKeyId", "Expires", "Signature", "security-token", "x-oss-signature-version", "x-oss-credential",
      "x-oss-date", "x-oss-expires", "x-oss-signature", "x-oss-additional-headers", "x-oss-security-token",
    ]),
    common: ["x-oss-request-payer"], ofTransfers: ["x-oss-traffic-limit"])

  static let rules = HeaderRules(
    ["x-oss-"], everywhere: ["date", "security-token", "content-sha256", "user-agent", "request-payer"],
    HeaderRules.shared.merging([
      "acl": [.createBucket, .changeBucketAccess],
      "object-acl": HeaderRules.creations.union([.completeUpload, .changeObjectAccess]),
      "server-side-encryption-key-id": HeaderRules.creations, "server-side-data-encryption": HeaderRules.creations,
      "callback": [.putObject, .completeUpload], "callback-var": [.putObject, .completeUpload],
      "complete-all": [.completeUpload], "range-behavior": [.getObject],
    ]) { $0.union($1) },
    formFields: ["signature", "signature-version", "credential", "expires", "content-type", "additional-headers"],
    takesFormCallback: true)

  /// Parses the OSS header that specifies a copy source, `/bucket/key`.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource { try NamedSource(header, of: self) }

  /// Returns whether OSS ignores a byte range and responds with the whole object.
  ///
  /// OSS ignores a range that exceeds the object, unless the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool {
    !isStandard && !range.lies(within: byteCount)
  }
}

extension SimulatedOSS {
  var postAction: String { "oss:PutObject" }
  var readAction: String { "oss:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("oss:ListBuckets", on: .service)
    case .createBucket: Operation.Need("oss:PutBucket", on: .bucket)
    case .deleteBucket: Operation.Need("oss:DeleteBucket", on: .bucket)
    case .headBucket, .bucketInfo: Operation.Need("oss:GetBucketInfo", on: .bucket)
    case .bucketVersioning: Operation.Need("oss:GetBucketVersioning", on: .bucket)
    case .readTags, .changeTags, .deleteTags, .objectAttributes: nil
    case .readBucketAccess: Operation.Need("oss:GetBucketAcl", on: .bucket)
    case .changeBucketAccess: Operation.Need("oss:PutBucketAcl", on: .bucket)
    case .bucketLocation: Operation.Need("oss:GetBucketLocation", on: .bucket)
    case .listObjects, .listObjectsV2: Operation.Need("oss:ListObjects", on: .bucket)
    case .listUploads: Operation.Need("oss:ListMultipartUploads", on: .bucket)
    case .deleteObjects: Operation.Need("oss:DeleteObject", on: .objectsOfBody)
    case .putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload:
      Operation.Need("oss:PutObject", on: .object)
    case .getObject, .headObject, .objectMeta: Operation.Need("oss:GetObject", on: .object)
    case .deleteObject: Operation.Need("oss:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("oss:GetObjectAcl", on: .object)
    case .changeObjectAccess: Operation.Need("oss:PutObjectAcl", on: .object)
    case .abortUpload: Operation.Need("oss:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("oss:ListParts", on: .object)
    }
  }

  func resource(_ name: String, in region: String) -> [String] { ["acs", "oss", region, Self.account, name] }

  func facts(at date: Timestamp) -> [String: String] {
    ["acs:SourceIp": "127.0.0.1", "acs:CurrentTime": date.iso8601, "acs:SecureTransport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    facts["acs:UserAgent"] = head.headerFields[.userAgent]
    for name in ["x-oss-acl", "x-oss-object-acl"] { facts["oss:\(name)"] = head.headerFields.joined(name) }
    switch operation {
    case .listObjects, .listObjectsV2:
      facts["oss:Prefix"] = target["prefix"]?.string ?? ""
      facts["oss:Delimiter"] = target["delimiter"]?.string ?? ""
    default: break
    }
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["oss:x-oss-object-acl"] = form.form["x-oss-object-acl"]
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "STS." + RandomText.letters(25), secret: RandomText.letters(44),
      sessionToken: "CAIS/+" + RandomText.base64(byteCount: 240) + "==", start: start, expiration: end)
  }

  /// Splits a role name such as `acs:ram::1250000000:role/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == 5, parts[0] == "acs", parts[1] == "ram", parts[2].isEmpty, !parts[3].isEmpty,
      parts[4].hasBytePrefix("role/"), !parts[4].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}

extension SimulatedOSS {
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

extension PolicyLanguage {
  /// The policy language of Alibaba Cloud RAM, version 1.
  ///
  /// Page: "Basic elements of policies".
  static let ram = PolicyLanguage(
    versions: ["1"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"], capitalizesMembers: true,
    ignoresActionCase: true, absence: .allowsLess, keys: ramKeys, comparisons: capitalizedComparisons, parts: ramParts)

  @Sendable
  private static func ramParts(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", atMost: 4).map(String.init)
    guard parts.count == 5, parts[0] == "acs" else { return nil }
    // The region in a resource name can have the prefix `oss-`.
    if parts[1] == "oss", let region = parts[2].removingBytePrefix("oss-") { parts[2] = String(region) }
    return parts
  }

  private static let ramKeys: Set = [
    "acs:SourceIp", "acs:CurrentTime", "acs:SecureTransport", "acs:UserAgent", "oss:Prefix", "oss:Delimiter",
    "oss:x-oss-acl", "oss:x-oss-object-acl",
  ]
}
