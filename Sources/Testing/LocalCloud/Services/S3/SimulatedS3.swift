// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// The names, formats and rules of Amazon S3.
///
/// Page: "Amazon S3 REST API Introduction".
struct SimulatedS3: SimulatedService {
  /// The name of the region whose location constraint is empty.
  static let firstRegion = "us-east-1"

  let provider = LocalCloud.Provider.s3
  let endpoint = LocalCloud.Endpoint.s3
  let operations = table
  let policyLanguage = PolicyLanguage.iam
  let headerPrefix = "x-amz-"
  var hosts: ServiceHosts { .s3 }
  let objectAccessHeader = "acl"
  let storageClasses = [
    StorageClass(name: "STANDARD"), StorageClass(name: "REDUCED_REDUNDANCY"), StorageClass(name: "STANDARD_IA"),
    StorageClass(name: "ONEZONE_IA"), StorageClass(name: "INTELLIGENT_TIERING"), StorageClass(name: "GLACIER_IR"),
    StorageClass(name: "GLACIER", isArchive: true), StorageClass(name: "DEEP_ARCHIVE", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-aws-kms-key-id", "server-side-encryption-context",
    "server-side-encryption-bucket-key-enabled",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [],
    "aws:kms": [
      "server-side-encryption-aws-kms-key-id", "server-side-encryption-context",
      "server-side-encryption-bucket-key-enabled",
    ],
  ]
  /// An unused value, because S3 has no bandwidth limits.
  ///
  /// Requests with a header or parameter for a bandwidth limit are rejected beforehand.
  let trafficLimits: ClosedRange<Int64> = 0...0
  let headerRules = rules
  let wrongDigest = RefusalAnswer(
    .badRequest, "BadDigest", "The Content-MD5 you specified did not match what we received.")
  let defaultPageSize = 1000
  let pageSizes = 0...Int(Int32.max)
  let bucketPaging = BucketPaging(
    marker: "continuation-token", limit: "max-buckets", next: "ContinuationToken", most: 10_000)
  let serverName = "AmazonS3"
  let exposedHeaders = ["x-amz-request-id", "x-amz-id-2"] + checksumHeaders
  let unchangedCopySource = RefusalAnswer.preconditionFailed("x-amz-copy-source-If-None-Match")
  let unchangingCopy: RefusalAnswer? = .invalidRequest(
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's "
      + "metadata, storage class, website redirect location or encryption attributes.")
  let defaultContentType = "binary/octet-stream"
  let namespace: String? = "http://s3.amazonaws.com/doc/2006-03-01/"
  let omitsEmptyElements = true
  let checksEveryBody = true
  let keyByteLimit = 1024
  let invalidKey = RefusalAnswer(.badRequest, "KeyTooLongError", "Your key is too long")

  /// The region of the simulated service, which S3 signatures must contain.
  let region: String

  init(region: String = firstRegion) {
    self.region = region
  }

  func region(of configuration: LocalCloud.Configuration) -> String { configuration.s3Region }

  /// The XML element that describes the owner of all buckets and objects, as a canonical user.
  var owner: XMLNode {
    let id = String(repeating: "75aa57f09aa0c8ca", count: 4)
    return XMLNode("Owner", children: [XMLNode("ID", id), XMLNode("DisplayName", "localcloud")])
  }

  /// Returns a new S3 request ID: 16 random hexadecimal digits.
  func makeRequestID(at date: Timestamp) -> String {
    String(hexadecimal: UInt64.random(in: 0 ... .max)).asciiUppercased
  }

  /// Returns the second ID of a request (`x-amz-id-2`), which is derived from the request ID.
  private static func hostID(of requestID: String) -> String { SHA512.hash(Array(requestID.utf8)).base64 }

  func identify(_ answer: inout Answer, as requestID: String) {
    answer.headers.set("x-amz-request-id", requestID)
    answer.headers.set("x-amz-id-2", Self.hostID(of: requestID))
  }

  func entityTag(_ tag: String) -> String { "\"\(tag)\"" }

  func bytes(ofPartTag tag: String) -> [UInt8] { [UInt8](hex: tag) ?? [] }

  /// Returns the response header with an object's storage class, unless the object has the standard storage class.
  func headers(of object: StoredObject) -> HTTPFields {
    var headers: HTTPFields = [:]
    if let name = object.attributes.storageClass, name != standardClass { headers.set("x-amz-storage-class", name) }
    return headers
  }

  func ownBucketCode(in region: String) -> String? {
    region == Self.firstRegion ? nil : "BucketAlreadyOwnedByYou"
  }

  /// Returns the location constraint of a region, which is empty for `us-east-1`.
  func location(of region: String) -> String { region == Self.firstRegion ? "" : region }

  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer) {
    guard let location, !location.isEmpty else {
      guard region != Self.firstRegion else { return }
      throw Self.illegalLocation("unspecified")
    }
    if location != region { throw Self.illegalLocation(location) }
  }

  private static func illegalLocation(_ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "IllegalLocationConstraintException",
      "The \(name) location constraint is incompatible for the region specific endpoint this request was sent to.")
  }

  func isBucketName(_ name: String) -> Bool { isBucketNameWithOrWithoutDots(name) }

  /// Returns an object key or prefix in the encoding that S3 listings use with `encoding-type=url`.
  ///
  /// As in forms, a space becomes `+`. Slashes are not encoded.
  func encodedName(_ name: String) -> String {
    String(writing: { writer in
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: " "): writer.append(UInt8(ascii: "+"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "/"), UInt8(ascii: "*"):
          writer.append(byte)
        default:
          let digits = String(byte, radix: 16, uppercase: true)
          writer.append(byte < 16 ? "%0" : "%")
          writer.append(digits)
        }
      }
    })
  }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    Answer(grants(of: access, everybody: "http://acs.amazonaws.com/groups/global/AllUsers"))
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("CreationDate", bucket.created.iso8601Milliseconds),
        XMLNode("BucketRegion", region),
      ])
  }
}

// Page: "Actions, resources, and condition keys for Amazon S3".

extension SimulatedS3 {
  var postAction: String { "s3:PutObject" }
  var readAction: String { "s3:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("s3:ListAllMyBuckets", on: .service)
    case .createBucket: Operation.Need("s3:CreateBucket", on: .bucket)
    case .deleteBucket: Operation.Need("s3:DeleteBucket", on: .bucket)
    case .headBucket, .listObjects, .listObjectsV2: Operation.Need("s3:ListBucket", on: .bucket)
    case .readBucketAccess: Operation.Need("s3:GetBucketAcl", on: .bucket)
    case .changeBucketAccess: Operation.Need("s3:PutBucketAcl", on: .bucket)
    case .bucketLocation: Operation.Need("s3:GetBucketLocation", on: .bucket)
    case .bucketVersioning: Operation.Need("s3:GetBucketVersioning", on: .bucket)
    case .bucketInfo, .objectMeta: nil
    case .listUploads: Operation.Need("s3:ListBucketMultipartUploads", on: .bucket)
    case .deleteObjects: Operation.Need("s3:DeleteObject", on: .objectsOfBody)
    case .putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload:
      Operation.Need("s3:PutObject", on: .object)
    case .getObject, .headObject, .objectAttributes: Operation.Need("s3:GetObject", on: .object)
    case .deleteObject: Operation.Need("s3:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("s3:GetObjectAcl", on: .object)
    case .changeObjectAccess: Operation.Need("s3:PutObjectAcl", on: .object)
    case .readTags: Operation.Need("s3:GetObjectTagging", on: .object)
    case .changeTags: Operation.Need("s3:PutObjectTagging", on: .object)
    case .deleteTags: Operation.Need("s3:DeleteObjectTagging", on: .object)
    case .abortUpload: Operation.Need("s3:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("s3:ListMultipartUploadParts", on: .object)
    }
  }

  /// Returns the colon-separated parts of an S3 resource name (ARN), which contains neither region nor account.
  func resource(_ name: String, in region: String) -> [String] { ["arn", "aws", "s3", "", "", name] }

  func facts(at date: Timestamp) -> [String: String] {
    ["aws:SourceIp": "127.0.0.1", "aws:CurrentTime": date.iso8601, "aws:SecureTransport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    facts["aws:UserAgent"] = head.headerFields[.userAgent]
    for name in ["x-amz-acl", "x-amz-storage-class", "x-amz-server-side-encryption", "x-amz-content-sha256"] {
      facts["s3:\(name)"] = head.headerFields.joined(name)
    }
    switch operation {
    case .listObjects, .listObjectsV2:
      facts["s3:prefix"] = target["prefix"]?.string
      facts["s3:delimiter"] = target["delimiter"]?.string
      facts["s3:max-keys"] = target["max-keys"]?.string
    default: break
    }
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["s3:x-amz-acl"] = form.form["acl"]
    for name in ["x-amz-storage-class", "x-amz-server-side-encryption"] { facts["s3:\(name)"] = form.form[name] }
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "ASIA" + RandomText.letters(16).asciiUppercased, secret: RandomText.letters(40),
      sessionToken: "IQoJb3JpZ2luX2Vj/+" + RandomText.base64(byteCount: 240) + "==", start: start, expiration: end)
  }

  /// Splits a role name such as `arn:aws:iam::125000000000:role/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":", atMost: 5).map(String.init)
    guard parts.count == 6, parts[0] == "arn", parts[1] == "aws", parts[2] == "iam", parts[3].isEmpty,
      !parts[4].isEmpty, parts[5].hasBytePrefix("role/"), !parts[5].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}

extension SimulatedS3 {
  /// Returns whether a string is a valid S3 region name.
  static func isRegion(_ name: String) -> Bool { (try? ServiceEndpoint.s3(region: name)) != nil }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    S3HostVerifier(region: configuration.s3Region)
  }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try S3HostVerifier(region: region).verifier(for: head).target(of: head)
  }

  static let table = OperationTable(
    OperationRoute.shared.filter { $0.operation != .listBuckets } + [
      OperationRoute(.listBuckets, .get, .service, taking: ["prefix", "continuation-token", "max-buckets"]),
      OperationRoute(.readTags, .get, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.changeTags, .put, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.deleteTags, .delete, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.objectAttributes, .get, .object, ["attributes"], taking: ["versionId"]),
    ],
    ParameterNames(signature: [
      "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
      "X-Amz-Security-Token", "X-Amz-Content-Sha256",
    ]),
    common: ["x-amz-request-payer"], ofTransfers: ["x-amz-checksum-mode"])

  private static let checksummed: Set<Operation> = [
    .putObject, .uploadPart, .deleteObjects, .completeUpload, .changeTags,
  ]

  static let rules = HeaderRules(
    ["x-amz-"],
    everywhere: [
      "date", "security-token", "content-sha256", "user-agent", "request-payer", "sdk-checksum-algorithm",
    ],
    HeaderRules.shared.filter { $0.key != "traffic-limit" && $0.key != "forbid-overwrite" }
      .merging(HeaderRules.customerKeys) { $0.union($1) }
      .merging([
        "acl": HeaderRules.creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]),
        "server-side-encryption-aws-kms-key-id": HeaderRules.creations,
        "server-side-encryption-context": HeaderRules.creations,
        "server-side-encryption-bucket-key-enabled": HeaderRules.creations,
        "decoded-content-length": [.putObject, .uploadPart], "trailer": [.putObject, .uploadPart],
        "checksum-algorithm": [.initiateUpload, .copyObject], "checksum-mode": [.getObject, .headObject],
        "checksum-type": [.initiateUpload, .completeUpload], "mp-object-size": [.completeUpload],
        "object-attributes": [.objectAttributes],
        "checksum-crc32": checksummed, "checksum-crc32c": checksummed, "checksum-crc64nvme": checksummed,
        "checksum-sha1": checksummed, "checksum-sha256": checksummed,
      ]) { $0.union($1) },
    conditions: [
      "if-match": [.putObject, .copyObject, .completeUpload, .deleteObject],
      "if-none-match": [.putObject, .copyObject, .completeUpload],
    ], formFields: ["algorithm", "credential", "signature"])

  /// Parses the S3 header that specifies a copy source, `bucket/key` or `/bucket/key`.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource { try NamedSource(header, of: self) }

  // MARK: Signatures

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind { .s3V4 }

  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind { .s3V4 }

  var formAccessField: String { objectAccessHeader }
}

/// A verifier for S3 requests that expects the bucket name in the path or in the host, depending on the request's host.
///
/// If the host is an IP address, `localhost` or a host of the service itself, the bucket name is in the path.
/// Otherwise, it is in the host.
struct S3HostVerifier: SignatureVerifier, FormVerifier {
  private let inPath: S3Verifier
  private let inHost: S3Verifier

  init(region: String) {
    inPath = S3Verifier(region: region, limits: .asServices)
    inHost = S3Verifier(region: region, style: .virtualHosted, limits: .asServices)
  }

  /// Returns the verifier that fits a request's host: for path-style or virtual-hosted-style requests.
  func verifier(for request: HTTPRequest) -> S3Verifier {
    let authority = request.authority ?? ""
    let isService = authority.hasBytePrefix("s3.") || AddressingStyle(authority: authority) == .path
    return isService ? inPath : inHost
  }

  func claim(in request: HTTPRequest) throws(VerificationError) -> S3Claim? {
    try verifier(for: request).claim(in: request)
  }

  func verify(
    _ claim: S3Claim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try verifier(for: claim.request).verify(claim, against: key, at: date)
  }

  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim { try inPath.claim(in: form) }

  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    try inPath.verify(form, against: key, at: date)
  }
}

// Page: "Error Responses".

extension SimulatedS3 {
  private static let words = S3Verifier().errorCodes

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

extension PolicyLanguage {
  /// The policy language of Amazon Web Services IAM.
  ///
  /// Page: "IAM JSON policy elements reference".
  static let iam = PolicyLanguage(
    versions: ["2012-10-17", "2008-10-17"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"],
    labels: ["id", "sid"], capitalizesMembers: true, ignoresActionCase: true, existenceSuffix: "IfExists",
    absence: .holdsIfNegated, keys: iamKeys, comparisons: iamComparisons, parts: iamParts)

  @Sendable
  private static func iamParts(_ resource: String) -> [String]? {
    let parts = resource.parts(between: ":", atMost: 5).map(String.init)
    return parts.count == 6 && parts[0] == "arn" ? parts : nil
  }

  private static let iamKeys: Set = [
    "aws:SourceIp", "aws:CurrentTime", "aws:SecureTransport", "aws:UserAgent", "s3:prefix", "s3:delimiter",
    "s3:max-keys", "s3:x-amz-acl", "s3:x-amz-storage-class", "s3:x-amz-server-side-encryption",
    "s3:x-amz-content-sha256",
  ]

  private static let iamComparisons = capitalizedComparisons.merging(["Null": Comparison(.absence)]) { $1 }
}
