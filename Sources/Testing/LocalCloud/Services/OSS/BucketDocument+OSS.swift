// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension BucketDocument {
  /// The documents of a bucket of OSS.
  static let oss: [BucketDocument] = [
    .init("policy", nil, .error("NoSuchBucketPolicy")),
    .init("cors", CrossOriginRule.root, .error("NoSuchCORSConfiguration")),
    .init("lifecycle", "LifecycleConfiguration", .error("NoSuchLifecycle")),
    .init("encryption", "ServerSideEncryptionRule", .error("NoSuchServerSideEncryptionRule")),
    .init("tagging", "Tagging", .document([XMLNode("TagSet")])),
    .init("website", "WebsiteConfiguration", .error("NoSuchWebsiteConfiguration")),
    .init("logging", "BucketLoggingStatus", .document()),
    .init("publicAccessBlock", "PublicAccessBlockConfiguration", .document([XMLNode("BlockPublicAccess", "false")])),
    .init("inventory", "InventoryConfiguration", inventories),
    .init("referer", "RefererConfiguration", .document(referers), deletion: nil),
    .init("accessmonitor", "AccessMonitorConfiguration", .document([XMLNode("Status", "Disabled")]), deletion: nil),
    .init(
      "resourceGroup", "BucketResourceGroupConfiguration",
      .document([XMLNode("ResourceGroupId", "rg-localcloud")]), deletion: nil),
  ]

  private static let inventories = Unset.list(
    error: "NoSuchInventory", root: "ListInventoryConfigurationsResult", id: "inventoryId", canBeEmpty: false)

  private static let referers = [XMLNode("AllowEmptyReferer", "true"), XMLNode("RefererList")]
}
