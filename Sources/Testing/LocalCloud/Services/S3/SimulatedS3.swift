// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth

// Pages: "Amazon S3 REST API Introduction", "Actions, resources, and condition keys for Amazon S3".

extension SimulatedService {
  private static let prefix = ServiceDescription.s3.headerPrefix
  /// Amazon S3 in the region whose location constraint is empty.
  static let s3 = s3(region: SimulatedS3.firstRegion)

  static func s3(region: String) -> SimulatedService {
    SimulatedService(
      provider: .s3, endpoint: .s3, description: .s3, operations: s3Operations, documents: BucketDocument.s3,
      headerRules: s3HeaderRules, headers: s3Headers(region: region), signatures: Signatures(defaultKind: .s3V4),
      objects: s3Objects, buckets: s3Buckets, listing: s3Listing, policies: s3Policies, keyFormat: s3KeyFormat,
      errors: s3Errors, behavior: SimulatedS3(region: region))
  }

  private static let s3Objects = Objects(
    contentType: "binary/octet-stream",
    storageClasses: [
      StorageClass(name: "STANDARD"), StorageClass(name: "REDUCED_REDUNDANCY"), StorageClass(name: "STANDARD_IA"),
      StorageClass(name: "ONEZONE_IA"), StorageClass(name: "INTELLIGENT_TIERING"), StorageClass(name: "GLACIER_IR"),
      StorageClass(name: "GLACIER", isArchive: true), StorageClass(name: "DEEP_ARCHIVE", isArchive: true),
    ],
    // S3 has no bandwidth limits; the header rules refuse them.
    trafficLimits: 0...0, reportsNullVersions: false, checksumMode: "checksum-mode", checksIgnoredBodies: true,
    framingEncoding: "aws-chunked", minimumPartByteCount: 5 << 20, repeatsCompletion: true,
    joinsPartsOfCopies: true)

  private static let s3Buckets = Buckets(
    allowsDots: true, alreadyOwnedCode: "BucketAlreadyOwnedByYou", firstRegion: SimulatedS3.firstRegion,
    groupURIPrefix: "http://acs.amazonaws.com/groups/global/", acceptsGrants: true, access: AccessControl.canned,
    accounts: [SimulatedS3.accountNumber, account], objectsInheritAccess: false, publicCanBeListed: true,
    deletesUploads: true, hashesOwnerIDs: true)

  private static let s3Listing = Listing(
    defaultPageSize: 1000, pageSizes: 0...Int(Int32.max), bucketMarker: "continuation-token",
    bucketLimit: "max-buckets", nextBucketElement: "ContinuationToken", bucketPageLimit: 10_000,
    namespace: "http://s3.amazonaws.com/doc/2006-03-01/", omitsEmptyElements: true, encodesNamesAsForms: true,
    listsInitiators: true)

  private static let s3KeyFormat = KeyFormat(
    idPrefix: "ASIA", idLength: 16, hasUppercaseID: true, secretLength: 40, tokenPrefix: "IQoJb3JpZ2luX2Vj",
    tokenByteCount: 240)

  private static let s3Errors = Errors(
    invalidKey: ErrorResponse(.badRequest, "KeyTooLongError", "Your key is too long"),
    wrongDigest: ErrorResponse(
      .badRequest, "BadDigest", "The Content-MD5 you specified did not match what we received."),
    unchangedCopySource: .preconditionFailed("\(prefix)copy-source-If-None-Match"),
    unchangingCopy: .invalidRequest(
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's "
        + "metadata, storage class, website redirect location or encryption attributes."),
    anonymous: .accessDenied("Access Denied"), policy: .accessDenied("Access Denied"),
    missingOrigin: ErrorResponse(.badRequest, "BadRequest", "Insufficient information. Origin request header needed."))

  private static func s3Headers(region: String) -> Headers {
    let options = ["aws-kms-key-id", "context", "bucket-key-enabled"].map { "server-side-encryption-\($0)" }
    return Headers(
      serverName: "AmazonS3", requestID: ["request-id"], hostID: "id-2",
      exposed: ["request-id", "id-2"] + SimulatedS3.checksumHeaders, objectAccess: "acl", formAccessField: "acl",
      encryption: ["server-side-encryption"] + options, encryptions: ["AES256": [], "aws:kms": Set(options)],
      storageClass: .unlessStandard,
      wholeObjectHeaders: SimulatedS3.checksumHeaders.compactMap { HTTPField.Name(prefix + $0) },
      defaultKeys: [
        "aws:kms": ObjectDescription.Header(
          name: options[0], value: "arn:aws:kms:\(region):\(account):key/5a2c1b9e-0d34-4f6a-8c7b-1e9f3d2a6b48")
      ])
  }

  private static let s3Policies = Policies(
    .iam, service: "s3", formUpload: "PutObject", copySource: "GetObject",
    [
      .service: ["ListAllMyBuckets": [.listBuckets]],
      .bucket: [
        "CreateBucket": [.createBucket], "DeleteBucket": [.deleteBucket], "GetBucketLocation": [.bucketLocation],
        "GetBucketAcl": [.readBucketAccess], "PutBucketAcl": [.changeBucketAccess],
        "ListBucket": [.headBucket, .listObjects, .listObjectsV2], "ListBucketVersions": [.listVersions],
        "ListBucketMultipartUploads": [.listUploads],
      ],
      .objectsOfBody: ["DeleteObject": [.deleteObjects]],
      .object: [
        "PutObject": [.putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload],
        "GetObject": [.getObject, .headObject, .objectAttributes], "DeleteObject": [.deleteObject],
        "ListMultipartUploadParts": [.listParts], "AbortMultipartUpload": [.abortUpload],
        "GetObjectTagging": [.readTags], "PutObjectTagging": [.changeTags], "DeleteObjectTagging": [.deleteTags],
        "GetObjectAcl": [.readObjectAccess], "PutObjectAcl": [.changeObjectAccess],
      ],
    ])

  private static let s3Operations = OperationTable(
    OperationRoute.shared.filter { $0.operation != .listBuckets }.map { route in
      [.getObject, .headObject].contains(route.operation) ? route.taking(["partNumber"]) : route
    } + [
      OperationRoute(.listBuckets, .get, .service, taking: ["prefix", "continuation-token", "max-buckets"]),
      OperationRoute(.objectAttributes, .get, .object, ["attributes"], taking: ["versionId"]),
    ] + BucketDocument.s3.flatMap(\.routes),
    ParameterNames(signature: [
      "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
      "X-Amz-Security-Token", "X-Amz-Content-Sha256",
    ]),
    commonParameters: ["\(prefix)request-payer"], transferParameters: ["\(prefix)checksum-mode"])

  private static let checksummed: Set<Operation> = [
    .putObject, .uploadPart, .deleteObjects, .completeUpload, .changeTags, .changeDocument, .changeBucketAccess,
    .changeObjectAccess,
  ]

  private static let s3HeaderRules = HeaderRules(
    prefixes: [prefix],
    supportedEverywhere: [
      "date", "security-token", "content-sha256", "user-agent", "request-payer", "sdk-checksum-algorithm",
      "expected-bucket-owner", "source-expected-bucket-owner", "api-version",
    ],
    operations: HeaderRules.combined([
      HeaderRules.shared.filter { $0.key != "traffic-limit" && $0.key != "forbid-overwrite" }, HeaderRules.customerKeys,
      HeaderRules.grants,
      [
        "server-side-encryption-aws-kms-key-id": HeaderRules.creations,
        "server-side-encryption-context": HeaderRules.creations,
        "server-side-encryption-bucket-key-enabled": HeaderRules.creations,
        "decoded-content-length": [.putObject, .uploadPart], "trailer": [.putObject, .uploadPart],
        "checksum-algorithm": [.initiateUpload, .copyObject], "checksum-mode": [.getObject, .headObject],
        "checksum-type": [.initiateUpload, .completeUpload], "mp-object-size": [.completeUpload],
        "bypass-governance-retention": [.deleteObject, .deleteObjects],
        "object-attributes": [.objectAttributes], "max-parts": [.objectAttributes],
        "part-number-marker": [.objectAttributes], "confirm-remove-self-bucket-access": [.changeDocument],
        "transition-default-minimum-object-size": [.changeDocument],
        "checksum-crc32": checksummed, "checksum-crc32c": checksummed, "checksum-crc64nvme": checksummed,
        "checksum-sha1": checksummed, "checksum-sha256": checksummed,
      ],
    ]),
    conditions: [
      "if-match": [.putObject, .copyObject, .completeUpload, .deleteObject],
      "if-none-match": [.putObject, .copyObject, .completeUpload],
    ], formFields: ["algorithm", "credential", "signature"],
    invalidElsewhere: ["server-side-encryption", "server-side-encryption-aws-kms-key-id"])
}

extension BucketDocument {
  static let s3: [BucketDocument] = [
    .init("policy", root: nil, ifUnset: .error("NoSuchBucketPolicy"), written: .noContent),
    .init("versioning", root: BucketSettings.Versioning.root, ifUnset: .document(), deletion: nil),
    .init("cors", root: CrossOriginRule.rootElement, ifUnset: .error("NoSuchCORSConfiguration"), deletion: "Put"),
    .init(
      "lifecycle", root: "LifecycleConfiguration", ifUnset: .error("NoSuchLifecycleConfiguration"),
      subject: "LifecycleConfiguration", deletion: "Put", defaults: ["Rule": XMLNode("ID")]),
    configuration("encryption", root: "ServerSideEncryptionConfiguration", ifUnset: .document([encryptionRule])),
    .init("tagging", root: "Tagging", ifUnset: .error("NoSuchTagSet"), deletion: "Put"),
    .init("website", root: "WebsiteConfiguration", ifUnset: .error("NoSuchWebsiteConfiguration")),
    .init("logging", root: "BucketLoggingStatus", ifUnset: .document(), deletion: nil),
    .init(
      "publicAccessBlock", root: "PublicAccessBlockConfiguration",
      ifUnset: .error("NoSuchPublicAccessBlockConfiguration"), deletion: "Put"),
    .init(
      "ownershipControls", root: "OwnershipControls", ifUnset: .error("OwnershipControlsNotFoundError"),
      deletion: "Put"),
    configuration("inventory", root: "InventoryConfiguration", ifUnset: inventories),
    configuration(
      "replication", root: "ReplicationConfiguration", ifUnset: .error("ReplicationConfigurationNotFoundError")),
  ]

  /// Returns a document whose actions are named like `GetLifecycleConfiguration`.
  private static func configuration(
    _ parameter: String, root: String, ifUnset responseIfUnset: ResponseIfUnset
  ) -> BucketDocument {
    let name = "\(String(parameter.prefix(1)).asciiUppercased)\(parameter.dropFirst())Configuration"
    return .init(parameter, root: root, ifUnset: responseIfUnset, subject: name, deletion: "Put")
  }

  private static let inventories = ResponseIfUnset.list(
    error: "NoSuchConfiguration", root: "ListInventoryConfigurationsResult", id: "id")

  /// The rule by which the service encrypts the objects of every bucket with its own keys.
  private static let encryptionRule = XMLNode(
    "Rule",
    children: [
      XMLNode("ApplyServerSideEncryptionByDefault", texts: ["SSEAlgorithm": "AES256"]),
      XMLNode("BucketKeyEnabled", "false"),
    ])
}

/// The behavior of Amazon S3, or of the S3-compatible interface of another service.
struct SimulatedS3: ServiceBehavior {
  /// The region whose location constraint is empty.
  static let firstRegion = "us-east-1"
  /// The number of the account, in the form in which resource names contain it.
  static let accountNumber = "125000000000"
  let region: String
  /// The service's own behavior if this is the S3-compatible interface of another service, or `nil`.
  var ownBehavior: (any ServiceBehavior)?
  var hosts = ServiceHosts.s3
  var pathHosts = PathHosts()
  static func isRegion(_ name: String) -> Bool { (try? ServiceEndpoint.s3(region: name)) != nil }

  /// A verifier for the region, or for any region in the S3-compatible interface of another service.
  private var verifier: HostDependentVerifier<S3Verifier> {
    let signedRegion = ownBehavior == nil ? region : nil
    return HostDependentVerifier(
      S3Verifier(region: signedRegion, style: .virtualHosted, limits: .asServices),
      pathStyle: S3Verifier(region: signedRegion, limits: .asServices)
    ) { [hosts, pathHosts] authority in
      authority.hasBytePrefix("s3.") || hosts.isService(authority) || pathHosts.contains(authority)
        || AddressingStyle(authority: authority) == .path
    }
  }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier { verifier }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try verifier.verifier(for: head).target(of: head)
  }

  func makeRequestID(at date: Timestamp) -> String {
    ownBehavior?.makeRequestID(at: date) ?? String(hexadecimal: UInt64.random(in: 0 ... .max)).asciiUppercased
  }

  func misaddressed(_ head: HTTPRequest) -> ErrorResponse? { ownBehavior?.misaddressed(head) }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let creationDate = bucket.created.iso8601Milliseconds
    return XMLNode("Bucket", texts: ["Name": bucket.name, "CreationDate": creationDate, "BucketRegion": region])
  }

  func resource(_ name: String, in region: String) -> [String] {
    ownBehavior?.resource(name, in: region) ?? ["arn", "aws", "s3", "", "", name]
  }

  func roleResource(_ arn: String) -> [String]? { roleParts(of: arn, ["arn", "aws", "iam", ""], "role/", count: 6) }
}

// Page: "Error Responses".

extension SimulatedS3 {
  private static let redirectionCode = "PermanentRedirect"

  /// Returns a redirection if a host specifies another region ("Request redirection and the REST API").
  func redirection(of host: String, for bucket: String) -> ErrorResponse? {
    guard ownBehavior == nil, let hostRegion = S3Address.region(in: host), hostRegion != region,
      let endpoint = try? ServiceEndpoint.s3(region: region, bucket: bucket)
    else { return nil }
    let bucketLabel = endpoint.style == .virtualHosted ? "\(bucket)." : ""
    return ErrorResponse(
      .movedPermanently, Self.redirectionCode,
      "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future "
        + "requests to this endpoint.",
      details: ["Endpoint": "\(bucketLabel)\(endpoint.authority)", "Bucket": bucket])
  }

  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer {
    var response = error.response(
      to: call,
      [XMLNode("RequestId", call.requestID), XMLNode("HostId", SimulatedService.hostID(of: call.requestID))])
    if error.code == Self.redirectionCode || error.details.contains(where: { $0.name == "Region" }) {
      response.headers.set(ServiceDescription.s3.header("bucket-region"), region)
    }
    return response
  }

  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse {
    let codes = ServiceDescription.s3.errorCodes[error]
    let keyID = [ErrorResponse.Detail](present: ["AWSAccessKeyId": error.accessKeyID?.string])
    func refusal(_ message: String, _ details: [ErrorResponse.Detail] = []) -> ErrorResponse {
      ErrorResponse(codes, message, details: details)
    }
    return switch error.code {
    case .mismatch where codes.code == "SignatureDoesNotMatch":
      refusal(
        "The request signature we calculated does not match the signature you provided. Check your key and signing "
          + "method.", keyID + Self.details(of: error.comparison))
    case .unknownKey, .missingToken:
      refusal("The AWS Access Key Id you provided does not exist in our records.", keyID)
    case .invalidToken: refusal("The provided token is malformed or otherwise invalid.", [Self.maskedToken])
    case .keyExpired: refusal("The provided token has expired.", [Self.maskedToken])
    case .clockSkew:
      refusal(
        "The difference between the request time and the current time is too large.",
        .init(present: [
          "RequestTime": error.instant?.iso8601Basic, "ServerTime": date.iso8601,
          "MaxAllowedSkewMilliseconds": "900000",
        ]))
    case .expired, .notYetValid:
      refusal(error.message, .init(present: ["Expires": error.instant?.iso8601, "ServerTime": date.iso8601]))
    case .unsignedField: Self.unsignedFieldRefusal(codes, error.message)
    case .wrongScope where error.scopePart == .region:
      refusal(error.message, [.init(name: "Region", value: region)])
    case .unsupported where codes.code == "InvalidRequest":
      // The message of S3 lacks this hint.
      refusal(
        "\(error.message) Set signature_version to s3v4 (boto3: Config(signature_version=\"s3v4\"), AWS CLI 1: aws "
          + "configure set default.s3.signature_version s3v4), or a region in which the client uses it by default, "
          + "such as eu-central-1.")
    case .unsigned: SimulatedService.s3.anonymousRefusal(at: date)
    default: refusal(error.message)
    }
  }

  /// Returns the error response for unsigned headers, whose names a colon separates from the rest of the message.
  private static func unsignedFieldRefusal(_ codes: ServiceErrorCodes.Refusal, _ message: String) -> ErrorResponse {
    let parts = message.parts(between: ":", maxSplits: 1)
    let names = parts.dropFirst().first.map { String($0.droppingBlanks) }
    return ErrorResponse(codes, String(parts[0]), details: .init(present: ["HeadersNotSigned": names]))
  }

  private static let maskedToken = ErrorResponse.Detail(name: "Token-0", value: Secret.mask)

  private static func details(of comparison: VerificationError.Comparison?) -> [ErrorResponse.Detail] {
    guard let comparison else { return [] }
    var details: [ErrorResponse.Detail] = .init("StringToSign", comparing: comparison.stringToSign, uppercase: false)
    details.insert(ErrorResponse.Detail(name: "SignatureProvided", value: comparison.signatureProvided), at: 1)
    if let canonicalRequest = comparison.canonicalRequest {
      details += .init("CanonicalRequest", comparing: canonicalRequest, uppercase: false)
    }
    return details
  }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse? { ErrorResponse(ofForm: error) }
}

extension PolicyLanguage {
  /// The policy language of Amazon Web Services IAM ("IAM JSON policy elements reference").
  static let iam = PolicyLanguage(
    versions: ["2012-10-17", "2008-10-17"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"],
    labels: ["id", "sid"], capitalizesMembers: true, ignoresActionCase: true, existenceSuffix: "IfExists",
    comparisonWithoutValue: .holdsIfNegated, conditions: iamConditions, comparisons: iamComparisons,
    splitResource: splitIAMResource)

  private static let prefix = ServiceDescription.s3.headerPrefix

  @Sendable
  private static func splitIAMResource(_ resource: String) -> [String]? {
    let parts = resource.parts(between: ":", maxSplits: 5).map(String.init)
    return parts.count == 6 && parts[0] == "arn" ? parts : nil
  }

  private static let iamConditions = ConditionKeys(
    address: "aws:SourceIp", time: "aws:CurrentTime", transport: "aws:SecureTransport",
    headers: conditionKeys(
      [
        "acl", "storage-class", "server-side-encryption", "server-side-encryption-aws-kms-key-id",
        CustomerKey.algorithmHeader, "content-sha256", "copy-source", "metadata-directive",
      ] + grantHeaders, and: ["aws:UserAgent": "user-agent", "aws:Referer": "referer"]),
    parameters: ["s3:prefix": "prefix", "s3:delimiter": "delimiter", "s3:max-keys": "max-keys"],
    formFields: conditionKeys(
      ["storage-class", "server-side-encryption"] + grantHeaders, and: ["s3:\(prefix)acl": "acl"]))

  private static let grantHeaders = Grant.Permission.allCases.map(\.header)

  /// Returns the full names of headers by their condition keys, in addition to other headers or form fields.
  private static func conditionKeys(_ headers: [String], and others: [String: String]) -> [String: String] {
    headers.reduce(into: others) { $0["s3:\(prefix)\($1)"] = "\(prefix)\($1)" }
  }

  private static let iamComparisons = capitalizedComparisons.merging(["Null": Comparison(.absence)]) { $1 }
}
