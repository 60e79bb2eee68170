internal import StorageAuth

/// The bytes of an object and what is known about them.
struct Content: Sendable {
  /// Where the bytes are, in their order.
  let extents: [Extent]

  /// How many there are.
  let byteCount: Int64

  /// Their MD5 in lower-case hexadecimal; for an object put together from parts that of the parts' MD5, `-` and the
  /// number of parts.
  let entityTag: String

  /// Their CRC-64.
  let crc64: UInt64

  /// The checksum whose algorithm the client chose, where the service has such.
  var checksum: StoredChecksum?

  /// A part of the bytes.
  func extents(in range: Range<Int64>) -> [Extent] {
    var result: [Extent] = []
    var start: Int64 = 0
    for extent in extents {
      let part = range.clamped(to: start..<(start + extent.byteCount))
      if !part.isEmpty {
        let offset = extent.offset + part.lowerBound - start
        result.append(Extent(blob: extent.blob, offset: offset, byteCount: part.upperBound - part.lowerBound))
      }
      start += extent.byteCount
    }
    return result
  }
}

/// What a client says about an object and gets back with it.
struct ObjectDescription: Sendable, Equatable {
  /// The headers that describe the content: type, encoding, language, disposition, caching, expiry.
  var headers: [Header] = []

  /// The user's own data, named without the prefix of the service.
  var metadata: [Header] = []

  /// A name and a value.
  struct Header: Sendable, Equatable, Codable {
    let name: String
    let value: String
  }
}

/// One version of an object; it never changes.
final class StoredObject: Sendable {
  /// The name of the file that describes it.
  let id: BlobID
  let key: ObjectKey
  let content: Content
  let description: ObjectDescription
  let modified: Timestamp
  let isMultipart: Bool
  let access: AccessControl?
  let attributes: ObjectAttributes

  init(
    id: BlobID, key: ObjectKey, content: Content, description: ObjectDescription, modified: Timestamp,
    isMultipart: Bool, access: AccessControl? = nil, attributes: ObjectAttributes = ObjectAttributes()
  ) {
    self.id = id
    self.key = key
    self.content = content
    self.description = description
    self.modified = modified
    self.isMultipart = isMultipart
    self.access = access
    self.attributes = attributes
  }

  /// The same object for other people.
  func with(access: AccessControl?) -> StoredObject { described(access, attributes) }

  /// The same object with other tags.
  func with(tags: [ObjectDescription.Header]) -> StoredObject {
    var attributes = attributes
    attributes.tags = tags
    return described(access, attributes)
  }

  private func described(_ access: AccessControl?, _ attributes: ObjectAttributes) -> StoredObject {
    StoredObject(
      id: .random(), key: key, content: content, description: description, modified: modified,
      isMultipart: isMultipart, access: access, attributes: attributes)
  }
}

/// Who may read without a signature.
enum AccessControl: String, Sendable, Codable {
  case `private`
  case publicRead = "public-read"
}
