// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A service's description of an object.
public struct ObjectInfo: Sendable, Hashable {
  /// The key of the object.
  public let key: String
  /// The size of the whole object in bytes, or `nil` if the service did not report it.
  public let size: Int64?
  /// The entity tag of the object as the service sends it, with the quotes, or `nil` if the service did not report it.
  public let etag: String?
  /// The media type of the object, or `nil` if the service did not report it.
  public let contentType: String?
  /// The time at which the object was stored, or `nil` if the service did not report it.
  public let lastModified: Timestamp?
  /// The user-defined metadata that was stored with the object, with names in lowercase.
  public let metadata: [String: String]
  /// The checksum of the whole object, or `nil` if the service did not report it.
  public let checksum: ObjectChecksum?
  /// The version of the object in a bucket with versioning, or `nil`.
  public let versionID: String?
  /// The storage class, as the provider spells it, or `nil`, which some services report for the standard class.
  public let storageClass: String?
  /// All headers of the response that described the object.
  public let headers: HTTPFields

  /// Creates the description of an object from the head of a response, which can be that to a range request.
  init(key: String, response: HTTPResponse, conventions: HeaderConventions) {
    let fields = response.headerFields
    self.key = key
    size =
      response.status == .partialContent ? fields.value(of: .contentRange).flatMap(Self.total) : response.contentLength
    etag = fields.value(of: .eTag)
    contentType = fields.value(of: .contentType)
    lastModified = fields.value(of: .lastModified).flatMap { Timestamp(httpDate: $0) }
    checksum = fields.checksum(in: conventions.checksums)
    versionID = fields.value(of: conventions.versionID)
    storageClass = fields.value(of: conventions.storageClass)
    headers = fields
    let named = fields.compactMap { field in
      field.name.canonicalName.removingBytePrefix(conventions.metadataPrefix).map { (String($0), field.value) }
    }
    metadata = Dictionary(named) { first, second in "\(first), \(second)" }
  }

  /// Creates the description of an object, for implementations of ``ObjectStore``; the parameters are the properties.
  public init(
    key: String, size: Int64?, etag: String? = nil, contentType: String? = nil, lastModified: Timestamp? = nil,
    metadata: [String: String] = [:], checksum: ObjectChecksum? = nil, versionID: String? = nil,
    storageClass: String? = nil, headers: HTTPFields = [:]
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

  /// Whether an equal entity tag means equal bytes
  /// ([RFC 9110, section 8.8.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1)).
  var hasStrongTag: Bool { etag.map { !$0.hasBytePrefix("W/") } ?? false }

  /// Returns the total size in a `Content-Range` value: the number after the slash in `bytes 0-99/1234`.
  private static func total(_ contentRange: String) -> Int64? {
    contentRange.words(between: "/").last.flatMap { Int64(digits: $0) }
  }
}

/// An object, or a range of its bytes, that is being downloaded.
public struct DownloadedObject: Sendable {
  /// The service's description of the object.
  public let info: ObjectInfo
  /// The number of bytes in ``body``, or `nil` if the service did not report it.
  public let contentLength: Int64?

  /// The bytes of the object as they arrive.
  ///
  /// The stream can be iterated once. The download counts as a request in flight until the stream ends or is released.
  /// At its end, the stream throws ``StorageError/Code/truncated`` if bytes are missing, and
  /// ``StorageError/Code/checksumMismatch`` if the received bytes differ from the bytes that the service stored.
  public let body: ByteStream

  /// Creates a downloaded object, for implementations of ``ObjectStore``; the parameters are the properties.
  public init(info: ObjectInfo, contentLength: Int64?, body: ByteStream) {
    self.info = info
    self.contentLength = contentLength
    self.body = body
  }
}
