// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A service's description of an object that it created by copying.
public struct CopiedObject: Sendable, Hashable {
  /// The key of the copy.
  public let key: String

  /// The entity tag of the copy as the service sends it, with the quotes, or `nil` if the service did not report it.
  public let etag: String?

  /// The time at which the copy was created, or `nil` if the service did not report it.
  public let lastModified: Timestamp?

  /// The checksum of the copy, or `nil` if the service did not report it.
  public let checksum: ObjectChecksum?

  /// The version of the copy in a bucket with versioning, or `nil`.
  public let versionID: String?

  /// Creates the description of a copied object; the parameters are the properties.
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

  /// Creates the description from the service's document, and from the headers of the response.
  init(
    key: String, _ document: (etag: String, lastModified: Timestamp?), _ response: HTTPResponse,
    _ conventions: HeaderConventions
  ) {
    self.init(
      key: key, etag: document.etag, lastModified: document.lastModified,
      checksum: response.headerFields.checksum(in: conventions.checksums),
      versionID: response.headerFields[conventions.versionID])
  }
}
