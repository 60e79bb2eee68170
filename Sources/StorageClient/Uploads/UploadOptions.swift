public import HTTPTypes

/// What is stored along with the bytes of an object.
public struct UploadOptions: Sendable, Hashable {
  /// The media type; found out from the name of the file, or else of the key, if not given.
  public var contentType: String?

  /// Names and values that are stored along with the object and come back with it.
  ///
  /// Names are header tokens (letters, digits and a few signs), and services return them in lower case. Values are header
  /// values: one line, no blanks at its ends. Services limit the whole to a few kilobytes.
  public var metadata: [String: String]

  /// The `Cache-Control` that downloads will carry.
  public var cacheControl: String?

  /// The `Content-Disposition` that downloads will carry.
  public var contentDisposition: String?

  /// The `Content-Encoding` that downloads will carry.
  public var contentEncoding: String?

  /// Whether the upload fails if there is an object of that key already.
  public var forbidOverwrite: Bool

  /// The entity tag, quotes included, that the object to be replaced has to have; `nil` for no condition.
  ///
  /// The upload fails with ``ServiceError/Kind/preconditionFailed`` if it has another one. Services that cannot tell refuse
  /// nothing; for them the client does, with ``StorageError/Code/invalidOption``.
  public var ifMatch: String?

  /// The storage class in the provider's spelling; the bucket's own if not given.
  public var storageClass: String?

  /// Further headers of the provider, such as `x-oss-object-acl` or `x-oss-callback`.
  ///
  /// Each goes with the requests of the upload that it belongs to: of an upload in parts a traffic limit with every part,
  /// who pays with every request, a customer's key with the beginning and every part, a callback with the end. A header
  /// that the client does not know goes with every request.
  public var headers: HTTPFields

  /// Says what is stored along.
  public init(
    contentType: String? = nil, metadata: [String: String] = [:], cacheControl: String? = nil,
    contentDisposition: String? = nil, contentEncoding: String? = nil, forbidOverwrite: Bool = false,
    ifMatch: String? = nil, storageClass: String? = nil, headers: HTTPFields = [:]
  ) {
    self.contentType = contentType
    self.metadata = metadata
    self.cacheControl = cacheControl
    self.contentDisposition = contentDisposition
    self.contentEncoding = contentEncoding
    self.forbidOverwrite = forbidOverwrite
    self.ifMatch = ifMatch
    self.storageClass = storageClass
    self.headers = headers
  }

  /// The options with what was named at the call.
  func merging(contentType: String?, metadata: [String: String]) -> UploadOptions {
    var options = self
    options.contentType = contentType ?? self.contentType
    options.metadata.merge(metadata) { _, named in named }
    return options
  }
}

/// What a service says about an object that was uploaded.
public struct UploadedObject: Sendable, Hashable {
  /// The key.
  public let key: String

  /// The number of bytes.
  public let size: Int64

  /// The entity tag, as the service writes it.
  public let etag: String?

  /// The checksum of the bytes that were sent; where the service told its own, the two are the same.
  ///
  /// `nil` for a file that another program sent: ascp compares what arrives by itself.
  public let checksum: ObjectChecksum?

  /// The version, in a bucket that keeps versions.
  public let versionID: String?

  /// The request id.
  public let requestID: String?

  /// Describes an object that was uploaded; for stores.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - size: The number of bytes.
  ///   - etag: The entity tag, quotes included.
  ///   - checksum: The checksum of the bytes that were sent.
  ///   - versionID: The version, in a bucket that keeps versions.
  ///   - requestID: The request id.
  public init(
    key: String, size: Int64, etag: String? = nil, checksum: ObjectChecksum?, versionID: String? = nil,
    requestID: String? = nil
  ) {
    self.key = key
    self.size = size
    self.etag = etag
    self.checksum = checksum
    self.versionID = versionID
    self.requestID = requestID
  }

  init(
    key: String, size: Int64, etag: String?, checksum: ObjectChecksum, _ response: HTTPResponse,
    _ dialect: ServiceDialect
  ) {
    self.key = key
    self.size = size
    self.etag = etag
    self.checksum = checksum
    versionID = response.headerFields[dialect.versionID]
    requestID = response.headerFields[dialect.requestID]
  }
}

extension UploadOptions {
  /// The headers of the request that creates the object.
  ///
  /// - Parameters:
  ///   - dialect: How the service names things.
  ///   - name: The file name or the key that the media type is guessed from.
  func fields(in dialect: ServiceDialect, named name: String) throws(StorageError) -> HTTPFields {
    var fields = HTTPFields()
    try fields.set(.contentType, to: contentType ?? MediaType.guess(fromName: name))
    try fields.set(.cacheControl, to: cacheControl)
    try fields.set(.contentDisposition, to: contentDisposition)
    try fields.set(.contentEncoding, to: contentEncoding)
    try fields.set(dialect.storageClass, to: storageClass)
    if forbidOverwrite { try fields.forbidOverwrite(in: dialect) }
    if let ifMatch {
      guard dialect.overwritesConditionally, !forbidOverwrite else {
        throw StorageError(
          .invalidOption,
          "An upload that depends on the entity tag of what it replaces is not possible here, or not together with "
            + "forbidOverwrite.",
          remedy: "Leave ifMatch out; look at the object first, or choose a key that is used once.")
      }
      try fields.set(.ifMatch, to: ifMatch)
    }
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard !name.isEmpty, let field = HTTPField.Name(dialect.metadataPrefix + name) else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" cannot be sent as a header.",
          remedy: "Use letters, digits and hyphens.")
      }
      guard fields[field] == nil else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" is there twice, in different case.",
          remedy: "Use one of them; services do not tell upper from lower case.")
      }
      try fields.set(field, to: value)
    }
    try headers.check(for: .upload.union(.copy), named: "an upload", dialect.scopes)
    for field in headers { fields[field.name] = field.value }
    return fields
  }
}

extension HTTPFields {
  /// Sets a header; refuses a value that would be changed on its way.
  mutating func set(_ name: HTTPField.Name, to value: String?) throws(StorageError) {
    guard let value else { return }
    guard HTTPField.isValidValue(value) else {
      throw StorageError(
        .invalidOption, "The value for \(name.rawName) cannot be sent as a header.",
        remedy: "Use one line without control characters and without blanks at its ends.")
    }
    self[name] = value
  }
}
