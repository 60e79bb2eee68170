// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension SimulatedService {
  private static let prefix = ServiceDescription.cos.headerPrefix
  private static let kmsHeaders = ["server-side-encryption-cos-kms-key-id", "server-side-encryption-context"]

  static let cos = SimulatedService(
    provider: .cos, endpoint: .cos, description: .cos, operations: cosOperations, documents: BucketDocument.cos,
    headerRules: cosHeaderRules, headers: cosHeaders, signatures: Signatures(defaultKind: .cosV5), objects: cosObjects,
    buckets: cosBuckets,
    listing: Listing(defaultPageSize: 1000, bucketPageLimit: 2000, listsInitiators: true), policies: cosPolicies,
    keyFormat: KeyFormat(idPrefix: "AKID", idLength: 60, secretLength: 44, tokenLetters: 32, tokenByteCount: 150),
    errors: cosErrors, behavior: SimulatedCOS())

  /// The operations of COS; the names of query parameters ignore the case, because signatures have them in lowercase.
  private static let cosOperations = OperationTable(
    OperationRoute.shared.map { route in
      guard route.operation == .listBuckets else { return route }
      return route.taking(["region", "tagkey", "tagvalue", "create-time", "range"])
    } + OperationRoute.appending + BucketDocument.cos.flatMap(\.routes),
    ParameterNames(
      signature: [
        "sign", "token", "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list",
        "q-signature", "\(prefix)security-token", "x-ci-security-token",
      ], ignoresCase: true),
    transferParameters: ["\(prefix)traffic-limit"])

  private static let cosHeaderRules = HeaderRules(
    prefixes: [prefix, "x-ci-"],
    supportedEverywhere: ["date", "security-token", "sdk-retry", "request-payer", "x-ci-security-token"],
    operations: HeaderRules.combined([
      HeaderRules.shared, HeaderRules.grants, HeaderRules.customerKeys,
      Dictionary(kmsHeaders.map { ($0, HeaderRules.creations) }, uniquingKeysWith: { first, _ in first }),
    ]), formFields: [])

  private static let cosHeaders = Headers(
    serverName: "tencent-cos", requestID: ["request-id", "trace-id"], exposed: ["request-id", "hash-crc64ecma"],
    objectAccess: "acl", formAccessField: "acl", encryption: ["server-side-encryption"] + kmsHeaders,
    encryptions: ["AES256": [], "SM4": [], "cos/kms": Set(kmsHeaders)], storageClass: .unlessStandard)

  private static let cosObjects = Objects(
    storageClasses: [
      StorageClass(name: "STANDARD"), StorageClass(name: "STANDARD_IA"), StorageClass(name: "INTELLIGENT_TIERING"),
      StorageClass(name: "ARCHIVE", isArchive: true), StorageClass(name: "DEEP_ARCHIVE", isArchive: true),
      StorageClass(name: "MAZ_STANDARD"), StorageClass(name: "MAZ_STANDARD_IA"),
      StorageClass(name: "MAZ_INTELLIGENT_TIERING"), StorageClass(name: "MAZ_ARCHIVE", isArchive: true),
    ],
    trafficLimits: 819_200...838_860_800, copySourceHasHost: true, crc64Header: "hash-crc64ecma",
    minimumPartByteCount: 1 << 20, needsConsecutiveParts: true)

  private static let cosBuckets = Buckets(
    alreadyOwnedCode: "BucketAlreadyOwnedByYou", groupURIPrefix: "http://cam.qcloud.com/groups/global/",
    acceptsGrants: true, access: [.private, .publicRead, .publicReadWrite, .authenticatedRead],
    reportsInheritedAccess: true, publicCanBeListed: true)

  private static let cosPolicies = Policies(
    .cam, service: "cos", formUpload: "PostObject", copySource: "GetObject", bucketSuffix: "/", namesVersions: false,
    [
      .service: ["GetService": [.listBuckets]],
      .bucket: [
        "PutBucket": [.createBucket], "DeleteBucket": [.deleteBucket], "HeadBucket": [.headBucket],
        "GetBucketLocation": [.bucketLocation],
        "GetBucketACL": [.readBucketAccess], "PutBucketACL": [.changeBucketAccess],
      ],
      .list: [
        "GetBucket": [.listObjects, .listObjectsV2], "GetBucketObjectVersions": [.listVersions],
        "ListMultipartUploads": [.listUploads],
      ],
      .objectsOfBody: ["DeleteMultipleObjects": [.deleteObjects]],
      .object: [
        "PutObject": [.putObject, .copyObject], "AppendObject": [.appendObject], "GetObject": [.getObject],
        "HeadObject": [.headObject, .objectMeta], "DeleteObject": [.deleteObject], "PutSymlink": [.putSymlink],
        "GetSymlink": [.getSymlink], "InitiateMultipartUpload": [.initiateUpload],
        "UploadPart": [.uploadPart, .copyPart], "ListParts": [.listParts],
        "CompleteMultipartUpload": [.completeUpload], "AbortMultipartUpload": [.abortUpload],
        "GetObjectTagging": [.readTags], "PutObjectTagging": [.changeTags], "DeleteObjectTagging": [.deleteTags],
        "GetObjectACL": [.readObjectAccess], "PutObjectACL": [.changeObjectAccess],
      ],
    ])

  private static let cosErrors = Errors(
    wrongDigest: ErrorResponse(.badRequest, "BadDigest", "The Content-MD5 does not match the received body."),
    unchangedCopySource: .preconditionFailed("\(prefix)copy-source-if-…"),
    anonymous: .accessDenied("Access Denied."), policy: .accessDenied("Access Denied."), haveServerTime: true)
}

extension BucketDocument {
  static let cos: [BucketDocument] = [
    .init("policy", root: nil, ifUnset: .error("NoSuchBucketPolicy")),
    .init("versioning", root: BucketSettings.Versioning.root, ifUnset: .document(), deletion: nil),
    .init("cors", root: CrossOriginRule.rootElement, ifUnset: .error("NoSuchCORSConfiguration"), subject: "BucketCORS"),
    .init("lifecycle", root: "LifecycleConfiguration", ifUnset: .error("NoSuchLifecycleConfiguration")),
    .init("encryption", root: "ServerSideEncryptionConfiguration", ifUnset: .error("NoSuchEncryptionConfiguration")),
    .init("tagging", root: "Tagging", ifUnset: .error("NoSuchTagSetError")),
    .init(
      "website", root: "WebsiteConfiguration", ifUnset: .error("NoSuchWebsiteConfiguration"),
      defaults: ["Redirect": XMLNode("URLRedirect", "Enabled")]),
    .init("logging", root: "BucketLoggingStatus", ifUnset: .document(), deletion: nil),
    .init("inventory", root: "InventoryConfiguration", ifUnset: inventories),
    .init("replication", root: "ReplicationConfiguration", ifUnset: .error("ReplicationConfigurationNotFoundError")),
    .init("referer", root: "RefererConfiguration", ifUnset: .document(), emptyDeletes: true),
  ]

  private static let inventories = ResponseIfUnset.list(
    error: "NoSuchConfiguration", root: "ListInventoryConfigurationResult", id: "id")
}

extension S3Interface {
  /// The page "Accessing COS with AWS S3 SDK" of the COS documentation.
  static let cos = S3Interface(hosts: .cos, storageClasses: SimulatedService.cos.objects.storageClasses)
}

struct SimulatedCOS: ServiceBehavior {
  private static let declaration = "<?xml version='1.0' encoding='utf-8' ?>"
  var pathHosts = PathHosts()

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    func makeVerifier(_ style: AddressingStyle?) -> COSVerifier {
      COSVerifier(mode: configuration.isStrict ? .strict : .compatible, style: style, limits: .asServices)
    }
    return HostDependentVerifier(makeVerifier(nil), pathStyle: makeVerifier(.path), at: pathHosts.contains)
  }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try RequestTarget(of: head, style: pathHosts.contains(head.authority) ? .path : nil, hosts: .cos).ignoringCase
  }

  /// Returns the region in a host such as `photos-1250000000.cos.ap-beijing.myqcloud.com`, or `nil`.
  func region(in host: String) -> String? {
    let labels = hostWithoutPort(host).words(between: ".").map(String.init)
    guard labels.count >= 4, labels[labels.count - 4] == "cos" else { return nil }
    return labels[labels.count - 3]
  }

  /// Returns the Base64 of a string such as `5ea333fa_4fa70b09_2124_41d8eb`, with the time and random digits.
  func makeRequestID(at date: Timestamp) -> String {
    func randomDigits() -> String { String(hexadecimal: UInt32.random(in: 0 ... .max)) }
    let time = String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
    return Array("\(time)_\(randomDigits())_2124_\(randomDigits().suffix(6))".utf8).base64
  }

  /// Page: "COS Bucket Domain Name Security Management Notice", for buckets that were created since 2024.
  func misaddressed(_ head: HTTPRequest) -> ErrorResponse? {
    let host = head.authority ?? ""
    guard ServiceDescription.cos.owns(host: hostWithoutPort(host)), ServiceHosts.cos.isService(host),
      !["", "/"].contains((head.path ?? "").bytes(before: "?"))
    else { return nil }
    return ErrorResponse(
      .forbidden, "PathStyleDomainForbidden",
      "The bucket you are attempting to access must be addressed using COS virtual-styled domain.")
  }

  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer {
    let resource = (call.host + call.path).shortened(to: ErrorResponse.echoByteLimit)
    let elements = [
      XMLNode("Resource", resource), XMLNode("RequestId", call.requestID), XMLNode("TraceId", call.requestID),
    ]
    return error.response(to: call, elements, declaration: Self.declaration)
  }

  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse {
    refusalWithoutReason(error, at: date).adding(reason: error.message)
  }

  private func refusalWithoutReason(_ error: VerificationError, at date: Timestamp) -> ErrorResponse {
    let codes = ServiceDescription.cos.errorCodes[error.code]
    let serverTime = ErrorResponse.Detail(name: "ServerTime", value: date.iso8601)
    return switch error.code {
    case .mismatch:
      ErrorResponse(codes, "The Signature you specified is invalid.", details: Self.details(of: error.comparison))
    case .unknownKey, .missingToken:
      ErrorResponse(codes, "The SecretId does not exist, or its temporary key has expired.")
    case .invalidToken: ErrorResponse(codes, "The session token does not belong to the key.")
    case .keyExpired: ErrorResponse(codes, "The session token has expired.", details: [serverTime])
    case .expired: .accessDenied("Request has expired", details: [serverTime])
    case .clockSkew, .notYetValid:
      ErrorResponse(codes, "The signing time differs too much from the server's time.", details: [serverTime])
    case .unsignedField: .accessDenied("A part of the request that has an effect is not signed.", details: [serverTime])
    case .unsigned: SimulatedService.cos.anonymousRefusal(at: date)
    default: .invalidArgument(error.message)
    }
  }

  private static func details(of comparison: VerificationError.Comparison?) -> [ErrorResponse.Detail] {
    guard let comparison else { return [] }
    return [
      .init(name: "StringToSign", bounded: comparison.stringToSign),
      .init(name: "FormatString", bounded: comparison.canonicalRequest ?? ""),
    ]
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let created = bucket.created.iso8601
    return XMLNode(
      "Bucket", texts: ["Name": bucket.name, "Location": region, "CreationDate": created, "BucketType": "cos"])
  }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse? {
    switch error.code {
    case .policyExpired:
      .accessDenied(
        "You post object request has been expired, expiration time: \(error.instant?.unixSeconds ?? 0) "
          + "but the time now : \(date.unixSeconds)")
    case .conditionFailed:
      .accessDenied(
        "Condition key \(error.condition?.field ?? "") doesn't match the value \(error.condition?.shownValue ?? "")")
    case .invalidPolicy:
      ErrorResponse(
        .badRequest, "InvalidPolicyDocument",
        "You must provide condition if you specify a policy in post object request."
      ).adding(reason: error.message)
    default: nil
    }
  }

  func resource(_ name: String, in region: String) -> [String] {
    // In COS, bucket names end with the ID of the account (APPID).
    let suffix = name.parts(between: "/")[0].words(between: "-").last
    let accountID = suffix.flatMap { $0.utf8.allSatisfy(\.isASCIIDigit) ? String($0) : nil }
    return ["qcs", "", "cos", region, "uid/\(accountID ?? SimulatedService.account)", name]
  }

  func roleResource(_ arn: String) -> [String]? { roleParts(of: arn, ["qcs", "", "cam"], "roleName/", count: 6) }
}

extension PolicyLanguage {
  /// The policy language of Tencent Cloud CAM, version 2.0 ("Element Reference"), without action groups (`permid`).
  static let cam = PolicyLanguage(
    versions: ["2.0"], effects: Effects(allow: "allow", deny: "deny", ignoresCase: true), members: [],
    capitalizesMembers: false, actionPrefix: "name/", ignoresActionCase: false, existenceSuffix: "_if_exist",
    comparisonWithoutValue: .fails, conditions: camConditions, comparisons: camComparisons,
    splitResource: splitCAMResource)

  private static let prefix = ServiceDescription.cos.headerPrefix

  @Sendable
  private static func splitCAMResource(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", maxSplits: 5).map(String.init)
    // For example, `qcs::cos:ap-beijing:uid/1250000000:photos-1250000000/cat.jpg`.
    guard parts.count == 6, parts[0] == "qcs", parts[1].isEmpty else { return nil }
    // The older resource format is `prefix//APPID/short bucket name/key`.
    let names = parts[5].parts(between: "/", maxSplits: 4)
    if names.count == 5, names[0] == "prefix", names[1].isEmpty { parts[5] = "\(names[3])-\(names[2])/\(names[4])" }
    return parts
  }

  private static let camConditions = ConditionKeys(
    address: "qcs:ip", time: "qcs:current_time", transport: "cos:secure-transport",
    headers: headerConditions.merging(["cos:\(prefix)acl": "\(prefix)acl"]) { $1 },
    parameters: [
      "cos:prefix": "prefix", "cos:response-content-type": "response-content-type", "cos:versionid": "versionId",
    ],
    formFields: headerConditions.merging(["cos:\(prefix)acl": "acl"]) { $1 }, parametersOnlyInLists: false,
    encodesParameters: true)

  /// The headers with a condition that form fields have under the same name.
  private static let headerConditions = [
    "cos:content-type": "content-type", "cos:content-length": "content-length",
    "cos:\(prefix)storage-class": "\(prefix)storage-class",
  ]

  private static let camComparisons: [String: Comparison] = [
    "string_equal": .init(.text), "string_not_equal": .init(.text, not: true),
    "string_equal_ignore_case": .init(.textIgnoringCase),
    "string_not_equal_ignore_case": .init(.textIgnoringCase, not: true),
    "string_like": .init(.pattern), "string_not_like": .init(.pattern, not: true),
    "numeric_equal": .init(.number(.equal)), "numeric_not_equal": .init(.number(.equal), not: true),
    "numeric_less_than": .init(.number(.less)), "numeric_less_than_equal": .init(.number(.lessOrEqual)),
    "numeric_greater_than": .init(.number(.greater)), "numeric_greater_than_equal": .init(.number(.greaterOrEqual)),
    "date_equal": .init(.date(.equal)), "date_not_equal": .init(.date(.equal), not: true),
    "date_less_than": .init(.date(.less)), "date_less_than_equal": .init(.date(.lessOrEqual)),
    "date_greater_than": .init(.date(.greater)), "date_greater_than_equal": .init(.date(.greaterOrEqual)),
    "bool_equal": .init(.truth), "null_equal": .init(.absence),
    "ip_equal": .init(.network), "ip_not_equal": .init(.network, not: true),
  ]
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
