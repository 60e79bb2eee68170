// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The versioning state of a bucket.
public enum BucketVersioning: String, Sendable, Hashable, CaseIterable {
  /// The bucket never had versioning.
  case disabled
  /// The bucket keeps the earlier versions of an object.
  case enabled
  /// The bucket keeps the versions from the time when versioning was enabled, and replaces those without a version.
  case suspended
}

extension StorageClient where Provider: BucketProvider {
  /// Requests the versioning state of the bucket.
  ///
  /// The signer needs `oss:GetBucketVersioning`, `name/cos:GetBucketVersioning` or `s3:GetBucketVersioning`.
  ///
  /// - Returns: The versioning state of the bucket.
  /// - Throws: ``StorageError`` if the response cannot be read, and the other errors that ``ObjectStore`` lists.
  public func bucketVersioning() async throws -> BucketVersioning {
    try await BucketClient(sender: sender).bucketVersioning()
  }
}

extension BucketClient {
  /// Requests the versioning state of the bucket.
  func bucketVersioning() async throws -> BucketVersioning {
    let (_, response) = try await document(
      from: draft(.get, nil, [.init("versioning")]), named: "VersioningConfiguration")
    switch try response.text("Status") {
    case nil: return .disabled
    case "Enabled": return .enabled
    case "Suspended": return .suspended
    case let other?: throw StorageError.malformedResponse("\"\(other)\" is no versioning state")
    }
  }

  /// Checks that the service obeys an instruction not to overwrite an object.
  ///
  /// - Throws: ``StorageError`` if the service ignores the instruction because of the bucket's versioning state.
  func checkOverwriting(of key: String, isForbidden: Bool, checksVersioning: Bool) async throws {
    guard isForbidden, checksVersioning, provider.conventions.overwritesWithVersioning else { return }
    let state = try await bucketVersioning()
    guard state != .disabled else { return }
    throw StorageError(
      .invalidOption,
      "Versioning of the bucket \(provider.bucket) is \(state.rawValue), so the service ignores forbidOverwrite and could "
        + "replace \(key).",
      remedy: "Use a bucket that never had versioning, or a key that is used only once.")
  }
}
