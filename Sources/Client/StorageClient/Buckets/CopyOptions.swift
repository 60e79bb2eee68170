// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The bucket, key and version of an object to copy.
public struct CopySource: Sendable, Hashable {
  /// The name of the source bucket, or `nil` for the client's own bucket.
  public var bucket: String?
  /// The key of the object to copy.
  public var key: String
  /// The region of the source bucket, if it differs from the client's region and the service copies between regions.
  public var region: String?
  /// The version of the object to copy, in a bucket with versioning, or `nil` for the latest version.
  public var versionID: String?

  /// Creates the source of a copy; the parameters are the properties.
  public init(bucket: String? = nil, key: String, region: String? = nil, versionID: String? = nil) {
    self.bucket = bucket
    self.key = key
    self.region = region
    self.versionID = versionID
  }

  /// The key and the version as the services expect them in the header for the source.
  var encodedKey: String { key.percentEncoded(.path) + (versionID.map { "?versionId=\($0.percentEncoded())" } ?? "") }
}

/// The attributes of a copy that differ from its source, and the conditions for the copy.
///
/// A copy takes all its attributes either from the source or from ``attributes``; services do not mix the two. A header
/// in ``headers`` replaces the header of the same name that follows from ``attributes``. ``forbidOverwrite`` and
/// ``checksVersioning`` apply if they are set here or in ``attributes``.
public struct CopyOptions: Sendable, Hashable {
  /// The attributes of the copy, which replace all attributes of the source, or `nil` for those of the source.
  ///
  /// Other metadata of the source is not copied. The default media type is that of the key's extension.
  public var attributes: UploadOptions?

  /// Whether the copy fails if an object with the key exists, as far as the service promises it.
  ///
  /// OSS and COS ignore this if versioning is enabled or suspended; see ``UploadOptions/forbidOverwrite``.
  public var forbidOverwrite: Bool

  /// Whether a copy with ``forbidOverwrite`` requests the versioning state of the bucket before it starts.
  public var checksVersioning: Bool
  /// Additional headers, such as requester pays or customer-provided keys, which take precedence over ``attributes``.
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
  var forbidsOverwriting: Bool { forbidOverwrite || attributes?.forbidOverwrite == true }
  var requiresVersioningCheck: Bool { checksVersioning || attributes?.checksVersioning == true }

  func requestHeaders(in conventions: HeaderConventions, key: String) throws(StorageError) -> HTTPFields {
    try headers.requireApplicable(to: .copy, named: "a copy", in: conventions.scopes)
    var fields = HTTPFields()
    if let attributes {
      fields = try attributes.requestHeaders(in: conventions, key: key, for: .copy)
      fields[conventions.metadataDirective] = conventions.replaceMetadata
    }
    fields.replaceFields(with: headers)
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
