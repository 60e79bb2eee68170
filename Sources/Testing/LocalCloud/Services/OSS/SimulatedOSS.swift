// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto

extension SimulatedService {
  private static let prefix = ServiceDescription.oss.headerPrefix
  private static let uploadWrites: [Operation] = [.initiateUpload, .uploadPart, .copyPart, .completeUpload]
  /// The operations of an upload in which the service ignores some headers for the object, which SDKs send anyway.
  private static let ignoringObjectHeaders: Set<Operation> = [.initiateUpload, .uploadPart, .listParts]

  static let oss = SimulatedService(
    provider: .oss, endpoint: .oss, description: .oss, operations: ossOperations, documents: BucketDocument.oss,
    headerRules: ossHeaderRules, headers: ossHeaders, signatures: ossSignatures, objects: ossObjects,
    buckets: Buckets(locationPrefix: "oss-", deletesSingleTags: true), listing: ossListing, policies: ossPolicies,
    keyFormat: KeyFormat(idPrefix: "STS.", idLength: 25, secretLength: 44, tokenPrefix: "CAIS", tokenByteCount: 240),
    errors: ossErrors, behavior: SimulatedOSS())

  private static let ossOperations = OperationTable(
    OperationRoute.shared.map { route in
      switch route.operation {
      case .putObject, .completeUpload: route.taking(["callback", "callback-var"])
      case .listBuckets: route.taking(["tag-key", "tag-value", "tagging", "regionList"])
      case .copyPart: route.taking(["versionId"])
      default: route
      }
    } + [
      OperationRoute(.describeRegions, .get, .service, ["regions"]),
      OperationRoute(.bucketInfo, .get, .bucket, ["bucketInfo"]),
      OperationRoute(.bucketStat, .get, .bucket, ["stat"]),
      OperationRoute(.objectMeta, .head, .object, ["objectMeta"], taking: ["versionId"]),
    ] + OperationRoute.appending + BucketDocument.oss.flatMap(\.routes),
    ParameterNames(signature: [
      "OSSAccessKeyId", "Expires", "Signature", "security-token", "\(prefix)signature-version", "\(prefix)credential",
      "\(prefix)date", "\(prefix)expires", "\(prefix)signature", "\(prefix)additional-headers",
      "\(prefix)security-token",
    ]),
    commonParameters: ["\(prefix)request-payer"], transferParameters: ["\(prefix)traffic-limit"])

  private static let ossHeaderRules = HeaderRules(
    prefixes: [prefix],
    supportedEverywhere: ["date", "security-token", "content-sha256", "user-agent", "request-payer"],
    operations: HeaderRules.combined([
      HeaderRules.shared,
      [
        "acl": [.createBucket, .changeBucketAccess], "tagging": [.listParts], "traffic-limit": ignoringObjectHeaders,
        "object-acl": HeaderRules.creations.union([.completeUpload, .changeObjectAccess]).union(ignoringObjectHeaders),
        "server-side-encryption": [.createBucket],
        "server-side-encryption-key-id": HeaderRules.creations.union([.createBucket]),
        "server-side-data-encryption": HeaderRules.creations.union([.createBucket]),
        "callback": [.putObject, .completeUpload], "callback-var": [.putObject, .completeUpload],
        "resource-group-id": [.listBuckets], "allow-same-action-overlap": [.changeDocument],
        "complete-all": [.completeUpload, .uploadPart], "range-behavior": [.getObject],
      ],
    ]),
    formFields: ["signature", "signature-version", "credential", "expires", "content-type", "additional-headers"],
    takesFormCallback: true)

  private static let ossHeaders = Headers(
    serverName: "AliyunOSS", requestID: ["request-id"], exposed: ["request-id", "hash-crc64ecma"],
    objectAccess: "object-acl", formAccessField: "\(prefix)object-acl",
    encryption: ["server-side-encryption", "server-side-encryption-key-id", "server-side-data-encryption"],
    kmsOnlyEncryption: "server-side-data-encryption",
    encryptions: ["AES256": [], "SM4": [], "KMS": ["server-side-encryption-key-id", "server-side-data-encryption"]],
    storageClass: .always,
    defaultKeys: ["KMS": .init(name: "server-side-encryption-key-id", value: "5a2c1b9e-0d34-4f6a-8c7b-1e9f3d2a6b48")])

  private static let ossSignatures = Signatures(
    defaultKind: .ossV1,
    versioned: .init(kind: .ossV4, authorization: "OSS4", parameter: ByteExactString("\(prefix)signature-version")))

  private static let ossObjects = Objects(
    storageClasses: [
      StorageClass(name: "Standard"), StorageClass(name: "IA"), StorageClass(name: "Archive", isArchive: true),
      StorageClass(name: "ColdArchive", isArchive: true), StorageClass(name: "DeepColdArchive", isArchive: true),
    ],
    trafficLimits: 245_760...838_860_800, ignoresExceedingRanges: true, hasUppercaseTags: true, reportsObjectType: true,
    crc64Header: "hash-crc64ecma", reportsMD5: true, minimumPartByteCount: 100 << 10, keepsTypeOfCopies: true,
    refusesLeadingBackslash: true, charactersRefusedInTags: "!\"#$%&'()*,;<>?@[\\]^`{|}~",
    compressedTypes: compressedTypes)

  private static let ossListing = Listing(
    defaultPageSize: 100, bucketPageLimit: 2000,
    uploadElements: [
      "ClientEncryptionKey": "key", "ClientEncryptionStart": "start", "ClientEncryptionCekAlg": "cek-alg",
      "ClientEncryptionWrapAlg": "wrap-alg", "ClientEncryptionDataSize": "data-size",
      "ClientEncryptionPartSize": "part-size",
    ])

  private static let ossPolicies = Policies(
    .ram, service: "oss", formUpload: "PutObject", copySource: "GetObject",
    [
      .service: ["ListBuckets": [.listBuckets], "DescribeRegions": [.describeRegions]],
      .bucket: [
        "PutBucket": [.createBucket], "DeleteBucket": [.deleteBucket], "GetBucketInfo": [.headBucket, .bucketInfo],
        "GetBucketStat": [.bucketStat], "GetBucketLocation": [.bucketLocation], "GetBucketAcl": [.readBucketAccess],
        "PutBucketAcl": [.changeBucketAccess], "ListObjects": [.listObjects, .listObjectsV2],
        "ListObjectVersions": [.listVersions], "ListMultipartUploads": [.listUploads],
      ],
      .objectsOfBody: ["DeleteObject": [.deleteObjects]],
      .object: [
        "PutObject": [.putObject, .copyObject, .appendObject, .putSymlink] + uploadWrites,
        "GetObject": [.getObject, .headObject, .objectMeta, .getSymlink], "DeleteObject": [.deleteObject],
        "ListParts": [.listParts], "AbortMultipartUpload": [.abortUpload],
        "GetObjectTagging": [.readTags], "PutObjectTagging": [.changeTags], "DeleteObjectTagging": [.deleteTags],
        "GetObjectAcl": [.readObjectAccess], "PutObjectAcl": [.changeObjectAccess],
      ],
    ])

  private static let ossErrors = Errors(
    wrongDigest: .invalidDigest("The Content-MD5 does not match the received body."),
    unchangedCopySource: ErrorResponse(.notModified, "NotModified", "The conditions exclude the source object."),
    anonymous: .accessDenied("You have no right to access this object because of bucket acl.", ec: "0003-00000001"),
    policy: .accessDenied("Access denied by authorizer's policy.", ec: "0003-00000301"),
    malformedPolicy: "InvalidPolicyDocument")

  /// The media types from the page "How do I get a gzip-compressed object?" of the OSS documentation.
  private static let compressedTypes: Set<String> = [
    "text/cache-manifest", "text/xml", "text/plain", "text/css", "text/html", "text/json", "application/javascript",
    "application/x-javascript", "application/rss+xml", "application/json", "application/xml",
  ]
}

extension S3Interface {
  /// The pages "Compatibility with Amazon S3" and "Access OSS using an AWS SDK" of the OSS documentation.
  static let oss = S3Interface(
    hosts: .oss,
    storageClasses: [
      StorageClass(name: "STANDARD", storedAs: "Standard"), StorageClass(name: "STANDARD_IA", storedAs: "IA"),
      StorageClass(name: "GLACIER", storedAs: "Archive", isArchive: true),
    ])
}

extension BucketDocument {
  static let oss: [BucketDocument] = [
    .init("policy", root: nil, ifUnset: .error("NoSuchBucketPolicy")),
    .init("versioning", root: BucketSettings.Versioning.root, ifUnset: .document(), deletion: nil),
    .init("cors", root: CrossOriginRule.rootElement, ifUnset: .error("NoSuchCORSConfiguration")),
    .init(
      "lifecycle", root: "LifecycleConfiguration", ifUnset: .error("NoSuchLifecycle"),
      defaults: ["Rule": XMLNode("ID")]),
    .init("encryption", root: "ServerSideEncryptionRule", ifUnset: .error("NoSuchServerSideEncryptionRule")),
    .init("tagging", root: "Tagging", ifUnset: .document([XMLNode("TagSet")])),
    .init("website", root: "WebsiteConfiguration", ifUnset: .error("NoSuchWebsiteConfiguration")),
    .init("logging", root: "BucketLoggingStatus", ifUnset: .document()),
    .init(
      "publicAccessBlock", root: "PublicAccessBlockConfiguration",
      ifUnset: .document([XMLNode("BlockPublicAccess", "false")])),
    .init("inventory", root: "InventoryConfiguration", ifUnset: inventories),
    .init("style", root: "Style", ifUnset: .list(error: "NoSuchStyle", root: "StyleList", id: "styleName")),
    .init(
      "userDefinedLogFieldsConfig", root: "UserDefinedLogFieldsConfiguration",
      ifUnset: .error("NoSuchUserDefinedLogFieldsConfig"), subject: "UserDefinedLogFieldsConfig"),
    .init("policyStatus", root: "PolicyStatus", ifUnset: .document(), deletion: nil, fixedTaking: []),
    .init("qos", root: "BucketUserQos", ifUnset: .document([XMLNode("StorageCapacity", "-1")]), deletion: nil),
    .init("referer", root: "RefererConfiguration", ifUnset: .document(referers), deletion: nil),
    .init(
      "accessmonitor", root: "AccessMonitorConfiguration", ifUnset: .document([XMLNode("Status", "Disabled")]),
      deletion: nil),
    .init(
      "resourceGroup", root: "BucketResourceGroupConfiguration",
      ifUnset: .document([XMLNode("ResourceGroupId", BucketSettings.defaultResourceGroup)]), deletion: nil),
    .init(
      "requestPayment", root: "RequestPaymentConfiguration", ifUnset: .document([XMLNode("Payer", "BucketOwner")]),
      deletion: nil),
    .init(
      "transferAcceleration", root: "TransferAccelerationConfiguration",
      ifUnset: .error("NoSuchTransferAccelerationConfiguration"), deletion: nil),
    .init(
      "httpsConfig", root: "HttpsConfiguration", ifUnset: .document([XMLNode("TLS", texts: ["Enable": "false"])]),
      deletion: nil),
    .init(
      "bucketArchiveDirectRead", root: "ArchiveDirectReadConfiguration", ifUnset: .document(disabled), deletion: nil),
    .init("overwriteConfig", root: "OverwriteConfiguration", ifUnset: .document()),
    .init(
      "live", root: "ListLiveChannelResult", ifUnset: .document(liveChannels), subject: "LiveChannel", deletion: nil,
      reading: "List", fixedTaking: ["prefix", "marker", "max-keys"]),
  ]

  private static let disabled = [XMLNode("Enabled", "false")]
  /// The list of live channels, which this server does not have.
  private static let liveChannels = [
    XMLNode("Prefix"), XMLNode("Marker"), XMLNode("MaxKeys", "100"), XMLNode("IsTruncated", "false"),
  ]
  private static let inventories = ResponseIfUnset.list(
    error: "NoSuchInventory", root: "ListInventoryConfigurationsResult", id: "inventoryId", canBeEmpty: false)
  private static let referers = [XMLNode("AllowEmptyReferer", "true"), XMLNode("RefererList")]
}

/// The behavior of OSS; its error responses have detailed codes (`EC`), as far as the documentation has them.
struct SimulatedOSS: ServiceBehavior {
  var pathHosts = PathHosts()

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    func makeVerifier(_ style: AddressingStyle?) -> OSSVerifier {
      OSSVerifier(region: configuration.region, style: style, acceptsAmbiguousV1: true, limits: .asServices)
    }
    return HostDependentVerifier(makeVerifier(nil), pathStyle: makeVerifier(.path), at: pathHosts.contains)
  }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try RequestTarget(of: head, style: pathHosts.contains(head.authority) ? .path : nil, hosts: .oss)
  }

  func makeRequestID(at date: Timestamp) -> String {
    let time = String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
    return (time + String(hexadecimal: UInt64.random(in: 0 ... .max))).asciiUppercased
  }

  /// The maximum length of an element of an error document that a header contains, because the response has no body.
  private static let headerEchoByteLimit = 256

  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer {
    let byteLimit = call.method == .head ? Self.headerEchoByteLimit : .max
    var elements = [
      XMLNode("Code", error.code), XMLNode("Message", error.message.shortened(to: byteLimit)),
      XMLNode("RequestId", call.requestID),
      XMLNode("HostId", call.host.shortened(to: min(byteLimit, ErrorResponse.echoByteLimit))),
    ]
    elements += error.details.map { XMLNode($0.name, $0.value.shortened(to: byteLimit)) }
    var response = Answer(error.status)
    if let ec = error.ec {
      elements.append(XMLNode("EC", ec))
      response.headers.set(ServiceDescription.oss.header("ec"), ec)
    }
    let document = XMLNode("Error", children: elements).serialized()
    if call.method == .head {
      response.headers.set(ServiceDescription.oss.header("err"), document.base64)
    } else {
      response.headers[.contentType] = "application/xml"
      response.body = .bytes(document)
    }
    return response
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let domain = ServiceDescription.oss.domains[0]
    // A local endpoint has no internal counterpart.
    let intranet = endpoint == "oss-\(region)\(domain)" ? "oss-\(region)-internal\(domain)" : endpoint
    return XMLNode(
      "Bucket",
      texts: [
        "Name": bucket.name, "Location": SimulatedService.oss.location(of: region), "Region": region,
        "CreationDate": bucket.created.iso8601Milliseconds, "ExtranetEndpoint": endpoint, "IntranetEndpoint": intranet,
        "StorageClass": bucket.settings.storageClass ?? SimulatedService.oss.standardClass,
        "ResourceGroupId": bucket.settings.resourceGroup,
      ])
  }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse? {
    error.code == .wrongScope ? .invalidArgument(error.message, ec: "0002-00000710") : ErrorResponse(ofForm: error)
  }

  func resource(_ name: String, in region: String) -> [String] {
    ["acs", "oss", region, SimulatedService.account, name]
  }

  func roleResource(_ arn: String) -> [String]? { roleParts(of: arn, ["acs", "ram", ""], "role/", count: 5) }

  func urlRefusal(_ error: VerificationError) -> ErrorResponse? {
    guard error.code == .wrongScope, error.scopePart == .region else { return nil }
    return .invalidArgument("The signing region in credential is invalid.")
  }

  func misaddressed(_ head: HTTPRequest) -> ErrorResponse? {
    let authority = head.authority ?? ""
    // The hosts of the S3-compatible interface are `s3.oss-cn-hangzhou.aliyuncs.com` and the like.
    let host = authority.removingBytePrefix("s3.").map(String.init) ?? authority
    guard ServiceHosts.oss.own(host), ServiceHosts.oss.isService(host),
      !["", "/"].contains((head.path ?? "").bytes(before: "?"))
    else { return nil }
    return ErrorResponse(
      .forbidden, "SecondLevelDomainForbidden",
      "The bucket you are attempting to access must be addressed using OSS third level domain.")
  }

  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse {
    refusalWithoutReason(error, at: date).adding(reason: error.message)
  }

  private func refusalWithoutReason(_ error: VerificationError, at date: Timestamp) -> ErrorResponse {
    let codes = ServiceDescription.oss.errorCodes[error.code]
    let keyID = [ErrorResponse.Detail](present: ["OSSAccessKeyId": error.accessKeyID?.string])
    let (time, serverTime) = (error.instant?.iso8601Milliseconds, date.iso8601Milliseconds)
    return switch error.code {
    case .mismatch: mismatch(error, codes, keyID)
    case .unknownKey, .missingToken:
      ErrorResponse(
        codes, "The OSS Access Key Id you provided does not exist in our records.",
        ec: error.code == .unknownKey ? "0002-00000902" : "0002-00000002", details: keyID)
    case .invalidToken:
      ErrorResponse(codes, "The security token you provided is invalid.", ec: "0002-00000004", details: keyID)
    case .keyExpired:
      ErrorResponse(codes, "The security token you provided has expired.", ec: "0002-00000007", details: keyID)
    case .expired:
      .accessDenied("Request has expired.", details: .init(present: ["Expires": time, "ServerTime": serverTime]))
    case .clockSkew, .notYetValid:
      ErrorResponse(
        codes, "The difference between the request time and the current time is too large.", ec: "0002-00000504",
        details: .init(
          present: ["MaxAllowedSkewMilliseconds": "900000", "RequestTime": time, "ServerTime": serverTime]))
    case .wrongScope: wrongScope(error)
    case .missingDate: .accessDenied("OSS authentication requires a valid Date.")
    case .unsigned: SimulatedService.oss.anonymousRefusal(at: date)
    default: .invalidArgument(error.message)
    }
  }

  private func mismatch(
    _ error: VerificationError, _ codes: ServiceErrorCodes.Refusal, _ keyID: [ErrorResponse.Detail]
  ) -> ErrorResponse {
    var details = keyID
    if let comparison = error.comparison {
      details.append(.init(name: "SignatureProvided", value: comparison.signatureProvided))
      details += .init("StringToSign", comparing: comparison.stringToSign, uppercase: true)
      details += comparison.canonicalRequest.map { .init("CanonicalRequest", comparing: $0, uppercase: true) } ?? []
    }
    return ErrorResponse(
      codes,
      "The request signature we calculated does not match the signature you provided. Check your key and signing "
        + "method.", ec: "0002-00000040", details: details)
  }

  private func wrongScope(_ error: VerificationError) -> ErrorResponse {
    switch error.scopePart {
    case .region: .invalidArgument("Invalid signing region in Authorization header.", ec: "0002-00000226")
    case .product: .invalidArgument("Invalid signing product in Authorization header.", ec: "0002-00000227")
    case .day, nil: .invalidArgument("Invalid signing date in Authorization header.")
    }
  }
}

extension PolicyLanguage {
  /// The policy language of Alibaba Cloud RAM, version 1 ("Basic elements of policies").
  static let ram = PolicyLanguage(
    versions: ["1"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"], capitalizesMembers: true,
    ignoresActionCase: true, impliesEverybody: true, comparisonWithoutValue: .allowsLess, conditions: ramConditions,
    comparisons: capitalizedComparisons, splitResource: splitRAMResource)

  private static let prefix = ServiceDescription.oss.headerPrefix

  @Sendable
  private static func splitRAMResource(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", maxSplits: 4).map(String.init)
    guard parts.count == 5, parts[0] == "acs" else { return nil }
    // The region in a resource name can have the prefix `oss-`.
    if parts[1] == "oss", let region = parts[2].removingBytePrefix("oss-") { parts[2] = String(region) }
    return parts
  }

  private static let objectAccess = ["oss:\(prefix)object-acl": "\(prefix)object-acl"]

  private static let ramConditions = ConditionKeys(
    address: "acs:SourceIp", time: "acs:CurrentTime", transport: "acs:SecureTransport",
    headers: ["acs:UserAgent": "user-agent", "oss:\(prefix)acl": "\(prefix)acl"].merging(objectAccess) { $1 },
    parameters: ["oss:Prefix": "prefix", "oss:Delimiter": "delimiter"], formFields: objectAccess,
    fillsAbsentParameters: true)
}
