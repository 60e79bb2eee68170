// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of COS.
  static let cos = [
    BucketDocument(
      "policy", "BucketPolicy", .policy(malformed: "MalformedPolicy"), unset: .error("NoSuchBucketPolicy")),
    BucketDocument("cors", "BucketCORS", .crossOriginRules, unset: .error("NoSuchCORSConfiguration")),
    BucketDocument(
      "lifecycle", "BucketLifecycle", .xml("LifecycleConfiguration"), unset: .error("NoSuchLifecycleConfiguration")),
    BucketDocument(
      "encryption", "BucketEncryption", .xml("ServerSideEncryptionConfiguration"),
      unset: .error("NoSuchEncryptionConfiguration")),
    BucketDocument("tagging", "BucketTagging", .xml("Tagging"), unset: .error("NoSuchTagSetError")),
    BucketDocument(
      "website", "BucketWebsite", .xml("WebsiteConfiguration"), unset: .error("NoSuchWebsiteConfiguration")),
    BucketDocument(
      "logging", "BucketLogging", .xml("BucketLoggingStatus"), unset: .document([]), deletion: .none),
    BucketDocument(
      "inventory", "BucketInventory", .xml("InventoryConfiguration"),
      unset: .list(error: "NoSuchConfiguration", root: "ListInventoryConfigurationResult", id: "id")),
    BucketDocument(
      "replication", "BucketReplication", .xml("ReplicationConfiguration"),
      unset: .error("ReplicationConfigurationNotFoundError")),
    BucketDocument("referer", "BucketReferer", .xml("RefererConfiguration"), unset: .document([])),
  ]
}
