// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The properties of a bucket that its owner can change.
struct BucketSettings: Sendable, Codable, Equatable {
  var access: AccessControl
  /// The number of the account that created the bucket, or `nil` if the configuration did.
  var owner: String?
  /// The names of the storage class of objects without one, and of the redundancy, or `nil` for the defaults.
  var storageClass: String?
  var redundancy: String?
  /// The state of the bucket's versioning, or `nil` if it never had versions.
  var versioning: Versioning?

  enum Versioning: String, Sendable, Codable {
    /// The name of the root element of the document with the state.
    static let root = "VersioningConfiguration"

    case enabled = "Enabled"
    case suspended = "Suspended"
  }

  /// The documents that clients stored, by query parameter; a slash and the document's ID follow if it has one.
  var documents: [String: String]?
  /// The names of documents in the order in which they were stored, or `nil` in older records.
  var order: [String]?
  /// The region of the bucket, or `nil` for that of the service.
  var region: String?

  var documentNames: [String] {
    get { (order ?? (documents ?? [:]).keys.sorted()).filter { documents?[$0] != nil } }
    set { order = newValue }
  }

  /// The ID of the resource group of a bucket of OSS that no document puts into another one.
  static let defaultResourceGroup = "rg-localcloud"

  var resourceGroup: String { document("resourceGroup")?["ResourceGroupId"]?.text ?? Self.defaultResourceGroup }

  func document(_ name: String) -> XMLNode? { documents?[name].flatMap { try? XMLNode.parse(Array($0.utf8)) } }

  /// Returns whether the document about public access contains a rule, such as `BlockPublicAcls`.
  func blocks(_ rule: String) -> Bool { document("publicAccessBlock")?[rule]?.text == "true" }
}
