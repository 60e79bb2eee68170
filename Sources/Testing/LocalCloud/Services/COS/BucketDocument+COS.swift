// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of COS.
  static let cos: [BucketDocument] = [
    .init("policy", nil, .error("NoSuchBucketPolicy")),
    .init("cors", CrossOriginRule.root, .error("NoSuchCORSConfiguration"), subject: "BucketCORS"),
    .init("lifecycle", "LifecycleConfiguration", .error("NoSuchLifecycleConfiguration")),
    .init("encryption", "ServerSideEncryptionConfiguration", .error("NoSuchEncryptionConfiguration")),
    .init("tagging", "Tagging", .error("NoSuchTagSetError")),
    .init("website", "WebsiteConfiguration", .error("NoSuchWebsiteConfiguration")),
    .init("logging", "BucketLoggingStatus", .document(), deletion: nil),
    .init("inventory", "InventoryConfiguration", inventories),
    .init("replication", "ReplicationConfiguration", .error("ReplicationConfigurationNotFoundError")),
    .init("referer", "RefererConfiguration", .document()),
  ]

  private static let inventories = Unset.list(
    error: "NoSuchConfiguration", root: "ListInventoryConfigurationResult", id: "id")
}
