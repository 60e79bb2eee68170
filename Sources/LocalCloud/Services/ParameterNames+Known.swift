// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ParameterNames {
  /// The reserved prefixes of query parameter names.
  ///
  /// They are reserved by the simulated services, or by related services whose clients may send requests to this
  /// server.
  static let ownedPrefixes = ["x-oss-", "x-cos-", "x-ci-", "x-obs-", "x-amz-", "x-image-", "ci-"]

  /// The query parameter names in the source code of the vendors' SDKs.
  ///
  /// The file `sub-resources.json` of the tests lists the SDKs for each name.
  static let names: Set<String> = [
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
