public import HTTPTypes
public import StorageAuth

/// The object that a copy is made of.
public struct CopySource: Sendable, Hashable {
  /// The bucket; the client's own if not given.
  public var bucket: String?

  /// The key.
  public var key: String

  /// The region of the bucket, where it is another one than the client's and the service copies from there.
  public var region: String?

  /// The version, in a bucket that keeps versions.
  public var versionID: String?

  /// Names an object.
  public init(bucket: String? = nil, key: String, region: String? = nil, versionID: String? = nil) {
    self.bucket = bucket
    self.key = key
    self.region = region
    self.versionID = versionID
  }
}

/// What is different about a copy.
public struct CopyOptions: Sendable, Hashable {
  /// What is stored along with the copy instead of what is stored along with the object; the same if not given.
  public var attributes: UploadOptions?

  /// Whether the copy fails if there is an object of that key already.
  public var forbidOverwrite: Bool

  /// Further headers of the provider, such as who pays, or the customer's keys of source and copy.
  public var headers: HTTPFields

  /// Says what is different.
  public init(attributes: UploadOptions? = nil, forbidOverwrite: Bool = false, headers: HTTPFields = [:]) {
    self.attributes = attributes
    self.forbidOverwrite = forbidOverwrite
    self.headers = headers
  }
}

/// What a service says about a copy.
public struct CopiedObject: Sendable, Hashable {
  /// The key.
  public let key: String

  /// The entity tag, as the service writes it, quotes included.
  public let etag: String?

  /// When the copy was made.
  public let lastModified: Timestamp?

  /// The checksum of the object, where the service tells it.
  public let checksum: ObjectChecksum?

  /// The version of the copy, in a bucket that keeps versions.
  public let versionID: String?

  /// Describes a copy; for stores.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - etag: The entity tag, as the service writes it.
  ///   - lastModified: When the copy was made.
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
