// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// The bucket, key and version of an object to copy.
public struct CopySource: Sendable, Hashable {
  /// The name of the source bucket.
  ///
  /// If `nil`, the client's own bucket.
  public var bucket: String?

  /// The key of the object to copy.
  public var key: String

  /// The region of the source bucket, if it differs from the client's region and the service copies between regions.
  public var region: String?

  /// The version of the object to copy, in a bucket with versioning.
  ///
  /// If `nil`, the latest version.
  public var versionID: String?

  /// Creates the source of a copy; the parameters are the properties.
  public init(bucket: String? = nil, key: String, region: String? = nil, versionID: String? = nil) {
    self.bucket = bucket
    self.key = key
    self.region = region
    self.versionID = versionID
  }

  /// The percent-encoded key, followed by the query with the version if there is one.
  var encodedKey: String {
    key.percentEncoded(.path) + (versionID.map { "?versionId=\($0.percentEncoded())" } ?? "")
  }
}

/// The attributes of a copy that differ from its source, and the conditions for the copy.
///
/// A copy takes all its attributes either from the source or from ``attributes``; services do not mix the two. Where the
/// options state a thing twice:
///
/// - A header in ``headers`` replaces the header of the same name that follows from ``attributes``.
/// - The copy must not overwrite an object if ``forbidOverwrite`` is set here or in ``attributes``, and likewise for
///   ``checksVersioning``.
public struct CopyOptions: Sendable, Hashable {
  /// The attributes of the copy, which replace all attributes of the source.
  ///
  /// Metadata that is not named here is not copied, and without a media type, that of the key's extension is stored. If
  /// `nil`, the copy has the attributes of the source.
  public var attributes: UploadOptions?

  /// Whether the copy fails if an object with the key exists, as far as the service promises it.
  ///
  /// OSS and COS ignore it in a bucket whose versioning is enabled or suspended; see ``UploadOptions/forbidOverwrite``.
  public var forbidOverwrite: Bool

  /// Whether a copy with ``forbidOverwrite`` first asks for the versioning state of the bucket, as
  /// ``UploadOptions/checksVersioning`` does.
  public var checksVersioning: Bool

  /// Additional provider-specific headers, such as requester pays, or the customer-provided keys of source and copy.
  ///
  /// They take precedence over ``attributes`` and its headers.
  public var headers: HTTPFields

  /// Creates the options of a copy; the parameters are the properties.
  public init(
    attributes: UploadOptions? = nil, forbidOverwrite: Bool = false, checksVersioning: Bool = false,
    headers: HTTPFields = [:]
  ) {
    self.attributes = attributes
    self.forbidOverwrite = forbidOverwrite
    self.checksVersioning = checksVersioning
    self.headers = headers
  }
}

extension CopyOptions {
  /// Whether the copy must not overwrite an object, according to these options or to ``attributes``.
  var forbidsOverwriting: Bool { forbidOverwrite || attributes?.forbidOverwrite == true }

  /// Whether the versioning state is to be checked, according to these options or to ``attributes``.
  var requiresVersioningCheck: Bool { checksVersioning || attributes?.checksVersioning == true }

  /// Returns the headers of the copy, apart from its source.
  func requestHeaders(in conventions: HeaderConventions, key: String) throws(StorageError) -> HTTPFields {
    try headers.requireScope(.copy, of: "a copy", conventions.scopes)
    var fields = HTTPFields()
    if let attributes {
      try attributes.headers.requireScope(.copy, of: "a copy", conventions.scopes)
      fields = try attributes.requestHeaders(in: conventions, key: key)
      fields[conventions.metadataDirective] = conventions.replaceMetadata
    }
    for field in headers { fields[field.name] = field.value }
    if forbidsOverwriting { try fields.forbidOverwrite(in: conventions) }
    return fields
  }
}

extension CopyOptions: Redacted {
  /// The copy options that are set, and the names of the additional headers.
  public var description: String {
    optionsDescription(
      "CopyOptions",
      [
        ("attributes", attributes), ("forbidOverwrite", forbidOverwrite ? true : nil),
        ("checksVersioning", checksVersioning ? true : nil),
      ], headers)
  }
}

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
