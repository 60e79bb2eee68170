// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The names that query parameters have in storage services.
///
/// A parameter such as `acl` or `uploads` selects an operation: with it, a request for an object is one for the
/// object's permissions. A server must therefore not act on such a parameter if the signature does not cover it.
package enum ParameterCatalog {
  /// The names in the source code of the vendors' SDKs, which `sub-resources.json` in the tests of LocalCloud lists.
  package static let names: Set<String> = [
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

  /// The names of parameters that select a part of a listing, and no operation.
  private static let listingParameters: Set<String> = [
    "continuation-token", "delimiter", "encoding-type", "fetch-owner", "key-marker", "list-type", "marker", "max-keys",
    "max-parts", "max-uploads", "part-number-marker", "prefix", "start-after", "upload-id-marker", "version-id-marker",
  ]

  /// The lowercase names of parameters that select an operation, or change what it returns or stores.
  private static let operationParameters = Set(names.subtracting(listingParameters).map { $0.lowercased() })
  /// The beginnings of the names of parameters that process an image, in COS and in OBS.
  private static let processingPrefixes = ["ci-", "x-image-"]

  /// Returns whether a parameter may select an operation for a program that reads its name in any letter case.
  ///
  /// A parameter without a value counts even if no vendor's SDK knows its name, because services name operations by
  /// flags. Only the part of a name before a slash is compared: `imageMogr2/thumbnail/100x` is an `imageMogr2`.
  package static func namesOperation(_ parameter: RequestTarget.Parameter) -> Bool {
    // Both mappings are needed: U+212A (KELVIN SIGN) has only its lowercase letter in common with an ASCII letter, and
    // U+017F (LONG S) only its uppercase letter.
    let foldedName = parameter.name.string.uppercased().lowercased()
    let isListing = listingParameters.contains { $0.isIdentical(to: foldedName) }
    if parameter.value == nil, !isListing { return true }
    return [foldedName[...], foldedName.bytes(before: "/")].contains { operationParameters.contains(String($0)) }
      || processingPrefixes.contains { foldedName.hasBytePrefix($0) }
  }
}
