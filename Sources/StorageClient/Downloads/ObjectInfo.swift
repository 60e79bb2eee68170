public import HTTPTypes
public import StorageAuth

/// What a service says about an object.
public struct ObjectInfo: Sendable, Hashable {
  /// The key.
  public let key: String

  /// The number of bytes of the whole object; nothing where the service did not say.
  public let size: Int64?

  /// The entity tag, as the service writes it, quotes included.
  public let etag: String?

  /// The media type.
  public let contentType: String?

  /// When the object was stored.
  public let lastModified: Timestamp?

  /// What was stored along with the object; the names are in lower case.
  public let metadata: [String: String]

  /// The checksum of the whole object, where the service tells it.
  public let checksum: ObjectChecksum?

  /// The version, in a bucket that keeps versions.
  public let versionID: String?

  /// The storage class in the provider's spelling; nothing for the standard one on some services.
  public let storageClass: String?

  /// All headers of the answer.
  public let headers: HTTPFields

  init(key: String, response: HTTPResponse, dialect: ServiceDialect) {
    let fields = response.headerFields
    self.key = key
    let length = fields[.contentLength].flatMap { Int64(digits: $0) }
    size = response.status == .partialContent ? fields[.contentRange].flatMap(Self.total) : length
    etag = fields[.eTag]
    contentType = fields[.contentType]
    lastModified = fields[.lastModified].flatMap { Timestamp(httpDate: $0) }
    checksum = fields.checksum(in: dialect.checksums)
    versionID = fields[dialect.versionID]
    storageClass = fields[dialect.storageClass]
    headers = fields
    let named = fields.compactMap { field in
      field.name.canonicalName.removingBytePrefix(dialect.metadataPrefix).map { (String($0), field.value) }
    }
    metadata = Dictionary(named) { first, second in "\(first), \(second)" }
  }

  /// Describes an object; for stores.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - size: The number of bytes of the whole object, or `nil` if it is not known.
  ///   - etag: The entity tag, quotes included.
  ///   - contentType: The media type.
  ///   - lastModified: When the object was stored.
  ///   - metadata: What was stored along with the object, by names in lower case.
  ///   - checksum: The checksum of the whole object.
  ///   - versionID: The version, in a bucket that keeps versions.
  ///   - storageClass: The storage class in the provider's spelling.
  ///   - headers: All headers of the answer.
  public init(
    key: String, size: Int64?, etag: String? = nil, contentType: String? = nil, lastModified: Timestamp? = nil,
    metadata: [String: String] = [:], checksum: ObjectChecksum? = nil, versionID: String? = nil,
    storageClass: String? = nil,
    headers: HTTPFields = [:]
  ) {
    self.key = key
    self.size = size
    self.etag = etag
    self.contentType = contentType
    self.lastModified = lastModified
    self.metadata = metadata
    self.checksum = checksum
    self.versionID = versionID
    self.storageClass = storageClass
    self.headers = headers
  }

  /// The number behind the slash in `bytes 0-99/1234`.
  private static func total(_ contentRange: String) -> Int64? {
    contentRange.split(separator: "/").last.flatMap { Int64(digits: $0) }
  }
}

/// An object, or a range of one, that is being downloaded.
public struct DownloadedObject: Sendable {
  /// What the service says about the object.
  public let info: ObjectInfo

  /// The number of bytes that will come; nothing where the service did not say.
  public let contentLength: Int64?

  /// The bytes, as they arrive; to be iterated once.
  ///
  /// They count as a request in flight until their end, or until they are dropped.
  /// The last step throws ``StorageError/Code/truncated`` if bytes are missing and
  /// ``StorageError/Code/checksumMismatch`` if they are not the ones that the service stored.
  public let body: ByteStream

  /// Hands over an object that is being downloaded; for stores.
  ///
  /// - Parameters:
  ///   - info: What is known about the object.
  ///   - contentLength: The number of bytes that will come, or `nil` if it is not known.
  ///   - body: The bytes.
  public init(info: ObjectInfo, contentLength: Int64?, body: ByteStream) {
    self.info = info
    self.contentLength = contentLength
    self.body = body
  }
}
