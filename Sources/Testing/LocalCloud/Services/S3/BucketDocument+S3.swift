// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of S3.
  static let s3 = [
    BucketDocument(
      "policy", "BucketPolicy", .policy(malformed: "MalformedPolicy"), unset: .error("NoSuchBucketPolicy")),
    BucketDocument(
      "cors", "BucketCORS", .crossOriginRules, unset: .error("NoSuchCORSConfiguration"), deletion: .asChange),
    BucketDocument(
      "lifecycle", "LifecycleConfiguration", .xml("LifecycleConfiguration"),
      unset: .error("NoSuchLifecycleConfiguration"), deletion: .asChange),
    BucketDocument(
      "encryption", "EncryptionConfiguration", .xml("ServerSideEncryptionConfiguration"),
      unset: .document([encryptionRule]), deletion: .asChange),
    BucketDocument("tagging", "BucketTagging", .xml("Tagging"), unset: .error("NoSuchTagSet"), deletion: .asChange),
    BucketDocument(
      "website", "BucketWebsite", .xml("WebsiteConfiguration"), unset: .error("NoSuchWebsiteConfiguration")),
    BucketDocument("logging", "BucketLogging", .xml("BucketLoggingStatus"), unset: .document([]), deletion: .none),
    BucketDocument(
      "publicAccessBlock", "BucketPublicAccessBlock", .xml("PublicAccessBlockConfiguration"),
      unset: .error("NoSuchPublicAccessBlockConfiguration"), deletion: .asChange),
    BucketDocument(
      "ownershipControls", "BucketOwnershipControls", .xml("OwnershipControls"),
      unset: .error("OwnershipControlsNotFoundError"), deletion: .asChange),
    BucketDocument(
      "inventory", "InventoryConfiguration", .xml("InventoryConfiguration"),
      unset: .list(error: "NoSuchConfiguration", root: "ListInventoryConfigurationsResult", id: "id"),
      deletion: .asChange),
    BucketDocument(
      "replication", "ReplicationConfiguration", .xml("ReplicationConfiguration"),
      unset: .error("ReplicationConfigurationNotFoundError"), deletion: .asChange),
    BucketDocument(
      "requestPayment", "BucketRequestPayment", .xml("RequestPaymentConfiguration"),
      unset: .document([XMLNode("Payer", "BucketOwner")]), deletion: .none),
  ]

  /// The rule by which the service encrypts the objects of every bucket with its own keys.
  private static let encryptionRule = XMLNode(
    "Rule",
    children: [
      XMLNode("ApplyServerSideEncryptionByDefault", children: [XMLNode("SSEAlgorithm", "AES256")]),
      XMLNode("BucketKeyEnabled", "false"),
    ])
}
