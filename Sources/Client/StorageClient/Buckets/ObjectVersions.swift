// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth

extension StorageClient where Provider: BucketProvider {
  /// Requests the description of one version of an object, in a bucket with versioning.
  ///
  /// The signer needs `oss:GetObjectVersion`, `name/cos:HeadObject` or `s3:GetObjectVersion`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - versionID: The version of the object, such as ``UploadedObject/versionID``.
  ///   - headers: Additional provider-specific headers, such as the requester-pays header or a customer-provided key.
  /// - Returns: The size, entity tag, metadata and other attributes of the version.
  /// - Throws: ``ServiceError`` if the version does not exist, and the other errors that ``ObjectStore`` lists.
  public func head(_ key: String, versionID: String, headers: HTTPFields = [:]) async throws -> ObjectInfo {
    try await BucketClient(sender: sender).head(key, versionID: versionID, headers: headers)
  }

  /// Deletes one version of an object permanently, in a bucket with versioning.
  ///
  /// In such a bucket, a deletion without a version keeps all versions and adds a delete marker, which is also a version.
  /// The signer needs `oss:DeleteObjectVersion`, `name/cos:DeleteObject` or `s3:DeleteObjectVersion`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - versionID: The version of the object, or of the delete marker, to delete.
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func delete(_ key: String, versionID: String) async throws {
    try await BucketClient(sender: sender).delete(key, versionID: versionID)
  }
}

extension BucketClient {
  /// Requests the description of one version of an object.
  func head(_ key: String, versionID: String, headers: HTTPFields) async throws -> ObjectInfo {
    try headers.check(for: .head, named: "a request for the description of an object", provider.conventions.scopes)
    let draft = try draft(.head, key, [.init("versionId", versionID)], for: .head, headers: headers)
    let (response, _) = try await sender.exchange(draft)
    return ObjectInfo(key: key, response: response, conventions: provider.conventions)
  }

  /// Deletes one version of an object.
  func delete(_ key: String, versionID: String) async throws {
    _ = try await sender.exchange(draft(.delete, key, [.init("versionId", versionID)]))
  }
}
