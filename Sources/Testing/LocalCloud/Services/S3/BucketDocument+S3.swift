// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of S3.
  static let s3: [BucketDocument] = [
    .init("policy", nil, .error("NoSuchBucketPolicy")),
    .init("cors", CrossOriginRule.root, .error("NoSuchCORSConfiguration"), deletion: "Put"),
    configuration("lifecycle", "LifecycleConfiguration", .error("NoSuchLifecycleConfiguration")),
    configuration("encryption", "ServerSideEncryptionConfiguration", .document([encryptionRule])),
    .init("tagging", "Tagging", .error("NoSuchTagSet"), deletion: "Put"),
    .init("website", "WebsiteConfiguration", .error("NoSuchWebsiteConfiguration")),
    .init("logging", "BucketLoggingStatus", .document(), deletion: nil),
    .init(
      "publicAccessBlock", "PublicAccessBlockConfiguration", .error("NoSuchPublicAccessBlockConfiguration"),
      deletion: "Put"),
    .init("ownershipControls", "OwnershipControls", .error("OwnershipControlsNotFoundError"), deletion: "Put"),
    configuration("inventory", "InventoryConfiguration", inventories),
    configuration("replication", "ReplicationConfiguration", .error("ReplicationConfigurationNotFoundError")),
  ]

  /// Returns a document whose actions are named like `GetLifecycleConfiguration`.
  private static func configuration(_ parameter: String, _ root: String, _ unset: Unset) -> BucketDocument {
    let name = "\(parameter.prefix(1).uppercased())\(parameter.dropFirst())Configuration"
    return .init(parameter, root, unset, subject: name, deletion: "Put")
  }

  private static let inventories = Unset.list(
    error: "NoSuchConfiguration", root: "ListInventoryConfigurationsResult", id: "id")

  /// The rule by which the service encrypts the objects of every bucket with its own keys.
  private static let encryptionRule = XMLNode(
    "Rule",
    children: [
      XMLNode("ApplyServerSideEncryptionByDefault", children: [XMLNode("SSEAlgorithm", "AES256")]),
      XMLNode("BucketKeyEnabled", "false"),
    ])
}
