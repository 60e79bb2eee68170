internal import StorageAuth

/// The names of query parameters that the services, their SDKs and their relatives give a meaning to.
///
/// A name that stands here has an effect at a service, so that a request with it is refused unless its operation takes
/// it. The names come from the sources of the vendors' SDKs; `sub-resources.json` of the tests says which SDK has which.
enum ParameterNames {
  /// What a name means to this server.
  enum Meaning {
    /// A parameter that a service knows, in the spelling of the service.
    case known
    /// A known parameter in other letters than the service's, which compares names by case.
    case misspelled
    /// A parameter that belongs to the signature, which the verifier has read.
    case signature
    /// A parameter that no service knows.
    case unknown
  }

  /// Returns what a name means at a service; COS ignores the case of names, because it signs them in lower case.
  static func meaning(of name: String, at provider: LocalCloud.Provider) -> Meaning {
    let lowercased = name.asciiLowercased
    switch provider {
    case .oss where ossSignature.contains(name): return .signature
    case .cos where cosSignature.contains(lowercased): return .signature
    default: break
    }
    // Parameters of image processing hold their arguments in the name: `imageMogr2/thumbnail/!50p`.
    let stem = String(lowercased.bytes(before: "/"))
    guard lowercasedNames.contains(lowercased) || lowercasedNames.contains(stem) || isOwned(lowercased) else {
      return .unknown
    }
    let isSpelledRight =
      switch provider {
      case .oss: names.contains(name) || names.contains(String(name.bytes(before: "/"))) || isOwned(name)
      case .cos: true
      }
    // In other letters, what only narrows a list is no parameter of OSS, and is read over like any other word.
    if !isSpelledRight, plainNames.contains(lowercased) { return .unknown }
    // Letters that only look like those of a name are others: `K` is also the lower-case form of the Kelvin sign.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Whether a parameter narrows or pages a list, and makes no other operation of a request.
  static func isPlain(_ name: String) -> Bool { plainNames.contains(name.asciiLowercased) }

  private static let plainNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Whether a name starts with what the services keep for themselves.
  private static func isOwned(_ name: String) -> Bool {
    ownedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let ownedPrefixes = ["x-oss-", "x-cos-", "x-ci-", "x-obs-", "x-amz-", "x-image-", "ci-"]

  private static let ossSignature: Set<String> = [
    "OSSAccessKeyId", "Expires", "Signature", "security-token", "x-oss-signature-version", "x-oss-credential",
    "x-oss-date", "x-oss-expires", "x-oss-signature", "x-oss-additional-headers", "x-oss-security-token",
  ]

  private static let cosSignature: Set<String> = [
    "sign", "token", "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list",
    "q-signature", "x-cos-security-token", "x-ci-security-token",
  ]

  private static let lowercasedNames = Set(names.map { $0.asciiLowercased })

  private static let names: Set<String> = [
    "abac", "accelerate", "accessmonitor", "accessPoint", "accessPointConfigForObjectProcess",
    "accessPointForObjectProcess", "accessPointPolicy", "accessPointPolicyForObjectProcess", "acl", "analytics",
    "append", "async-fetch", "asyncFetch", "attachParam", "attributes", "avinfo", "backtosource",
    "bucketArchiveDirectRead", "bucketInfo", "bucketlink", "bucketStatus", "bucketstatus", "callback", "callback-var",
    "callbackPolicy", "cdnnotifyconfiguration", "cleanRestoredObject", "cloudboxes", "cname", "comp",
    "continuation-token", "cors", "create-time", "csv/meta", "csv/select", "customdomain", "dataPipeline", "dataset",
    "decompression", "delete", "deletebucket", "deleteVectorIndex", "deleteVectors", "delimiter", "directcoldaccess",
    "disPolicy", "doc-preview", "domain", "domaincertificate", "domainname", "encoding-type", "encryption", "endTime",
    "ETagCheck", "exif", "fetch-owner", "getVectorBucket", "getVectorIndex", "getVectors", "group", "guetzli",
    "hdr-image-processing", "hnsStatus", "hotlink", "httpsConfig", "image-average", "image-slim", "image_process",
    "imageAve", "imageHue", "imageInfo", "imageInspect", "imageMark", "imageMogr2", "imageView2", "img",
    "intelligent-tiering", "intelligenttiering", "inventory", "inventoryId", "json/meta", "json/select", "key-marker",
    "legal-hold", "legalHold", "lifecycle", "link", "list-type", "listVectorIndexes", "listVectors", "live",
    "location", "logging", "marker", "max-keys", "max-parts", "max-uploads", "metadata", "metadataConfiguration",
    "metadataInventoryTable", "metadataJournalTable", "metadataTable", "MetaQuery", "metaQuery", "metrics",
    "mirrorBackToSource", "modify", "notification", "object-lock", "objectInfo", "objectMeta", "objectmeta",
    "objectOverwrite", "objectRetention", "objectWorm", "obsalias", "obsbucketalias", "obscompresspolicy", "origin",
    "origin-protect", "overwriteConfig", "ownershipControls", "part-number-marker", "partNumber", "pfop", "photoInfo",
    "playlistName", "policy", "policyStatus", "policyTable", "position", "prefix", "preflight",
    "processConfiguration", "publicAccessBlock", "putVectorBucket", "putVectorIndex", "putVectors", "qos", "qosInfo",
    "qosRequester", "qrcode", "queryVectors", "quota", "recursive", "redundancyTransition", "referer", "regionList",
    "regions", "rename", "renameObject", "replication", "replicationLocation", "replicationProgress",
    "requesterQosInfo", "requestPayment", "resourceGroup", "resourcePool", "resourcePoolBuckets", "resourcePoolInfo",
    "response-cache-control", "response-content-disposition", "response-content-encoding",
    "response-content-language", "response-content-type", "response-expires", "restore", "retention", "rtc", "rtmp",
    "rule-id", "seal", "security-scan", "select", "select-type", "sensitive-content-recognition", "sequential",
    "session", "start-after", "startTime", "stat", "status", "storageClass", "storageclass", "storageinfo",
    "storagePolicy", "storagepolicy", "style", "styleName", "symlink", "tag-key", "tag-value", "tagging", "tagkey",
    "tagvalue", "torrent", "transferAcceleration", "truncate", "udf", "udfApplication", "udfApplicationLog",
    "udfImage", "udfImageDesc", "udfName", "unbind", "upload-id-marker", "uploadId", "uploads",
    "userDefinedLogFieldsConfig", "versionId", "versioning", "versions", "vip", "vod", "vpcip", "watermark",
    "website", "worm", "wormExtend", "wormId",
  ]
}
