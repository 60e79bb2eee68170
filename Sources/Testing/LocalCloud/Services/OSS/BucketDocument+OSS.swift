// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of OSS.
  static let oss = [
    BucketDocument(
      "policy", "BucketPolicy", .policy(malformed: "InvalidPolicyDocument"), unset: .error("NoSuchBucketPolicy")),
    BucketDocument("cors", "BucketCors", .crossOriginRules, unset: .error("NoSuchCORSConfiguration")),
    BucketDocument("lifecycle", "BucketLifecycle", .xml("LifecycleConfiguration"), unset: .error("NoSuchLifecycle")),
    BucketDocument(
      "encryption", "BucketEncryption", .xml("ServerSideEncryptionRule"),
      unset: .error("NoSuchServerSideEncryptionRule")),
    BucketDocument("tagging", "BucketTagging", .xml("Tagging"), unset: .document([XMLNode("TagSet")])),
    BucketDocument(
      "website", "BucketWebsite", .xml("WebsiteConfiguration"), unset: .error("NoSuchWebsiteConfiguration")),
    BucketDocument("logging", "BucketLogging", .xml("BucketLoggingStatus"), unset: .document([])),
    BucketDocument(
      "publicAccessBlock", "BucketPublicAccessBlock", .xml("PublicAccessBlockConfiguration"),
      unset: .document([XMLNode("BlockPublicAccess", "false")])),
    BucketDocument(
      "inventory", "BucketInventory", .xml("InventoryConfiguration"),
      unset: .list(
        error: "NoSuchInventory", root: "ListInventoryConfigurationsResult", id: "inventoryId", canBeEmpty: false)),
    BucketDocument(
      "referer", "BucketReferer", .xml("RefererConfiguration"),
      unset: .document([XMLNode("AllowEmptyReferer", "true"), XMLNode("RefererList")]), deletion: .none),
    BucketDocument(
      "accessmonitor", "BucketAccessMonitor", .xml("AccessMonitorConfiguration"),
      unset: .document([XMLNode("Status", "Disabled")]), deletion: .none),
    BucketDocument(
      "resourceGroup", "BucketResourceGroup", .xml("BucketResourceGroupConfiguration"),
      unset: .document([XMLNode("ResourceGroupId", "rg-localcloud")]), deletion: .none),
    BucketDocument(
      "requestPayment", "BucketRequestPayment", .xml("RequestPaymentConfiguration"),
      unset: .document([XMLNode("Payer", "BucketOwner")]), deletion: .none),
    BucketDocument(
      "transferAcceleration", "BucketTransferAcceleration", .xml("TransferAccelerationConfiguration"),
      unset: .error("NoSuchTransferAccelerationConfiguration"), deletion: .none),
  ]
}
