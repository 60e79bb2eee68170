// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The source of a copy.
public struct CopySource: Sendable, Hashable {
  /// The bucket; if `nil`, the client's own.
  public var bucket: String?

  /// The key.
  public var key: String

  /// The region of the bucket, if it differs from the client's and the service copies between regions.
  public var region: String?

  /// The version, in a bucket with versioning.
  public var versionID: String?

  /// Creates the source of a copy.
  ///
  /// - Parameters:
  ///   - bucket: The bucket; if `nil`, the client's own.
  ///   - key: The key.
  ///   - region: The region of the bucket, if it differs from the client's.
  ///   - versionID: The version, in a bucket with versioning.
  public init(bucket: String? = nil, key: String, region: String? = nil, versionID: String? = nil) {
    self.bucket = bucket
    self.key = key
    self.region = region
    self.versionID = versionID
  }
}

/// The differences between a copy and its source.
public struct CopyOptions: Sendable, Hashable {
  /// The attributes of the copy; if `nil`, those of the source.
  public var attributes: UploadOptions?

  /// Whether the copy fails if an object with the key exists.
  public var forbidOverwrite: Bool

  /// Additional headers of the provider, such as requester pays or the customer-provided keys of source and copy.
  public var headers: HTTPFields

  /// Creates the options of a copy.
  ///
  /// - Parameters:
  ///   - attributes: The attributes of the copy; if `nil`, those of the source.
  ///   - forbidOverwrite: Whether the copy fails if an object with the key exists.
  ///   - headers: Additional headers of the provider.
  public init(attributes: UploadOptions? = nil, forbidOverwrite: Bool = false, headers: HTTPFields = [:]) {
    self.attributes = attributes
    self.forbidOverwrite = forbidOverwrite
    self.headers = headers
  }
}

/// A service's description of a copy.
public struct CopiedObject: Sendable, Hashable {
  /// The key.
  public let key: String

  /// The entity tag as the service sends it, including the quotes.
  public let etag: String?

  /// The time at which the copy was created.
  public let lastModified: Timestamp?

  /// The checksum of the object, if the service reports it.
  public let checksum: ObjectChecksum?

  /// The version of the copy, in a bucket with versioning.
  public let versionID: String?

  /// Creates the description of a copy; for implementations of stores.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - etag: The entity tag as the service sends it, including the quotes.
  ///   - lastModified: The time at which the copy was created.
  ///   - checksum: The checksum of the object.
  ///   - versionID: The version of the copy.
  public init(
    key: String, etag: String? = nil, lastModified: Timestamp? = nil, checksum: ObjectChecksum? = nil,
    versionID: String? = nil
  ) {
    self.key = key
    self.etag = etag
    self.lastModified = lastModified
    self.checksum = checksum
    self.versionID = versionID
  }
}
