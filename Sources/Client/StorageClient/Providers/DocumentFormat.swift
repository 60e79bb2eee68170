// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The format of a service's documents: listings, multipart uploads, copies, deletions and errors.
///
/// A service that differs from the others only in its documents, such as one that responds with JSON, implements this
/// protocol and sets ``HeaderConventions/documents``. The client sends the same requests as to other services, reads
/// and writes their bodies with the format, and checks what the format has read: the order of names and parts, the ends
/// of listings, and the keys in reports.
///
/// The client passes each body to ``error(in:of:subject:)`` first. The other methods throw an error for a document that
/// is not that of their operation, such as a page of a proxy. If the error is not a ``StorageError``, the client throws
/// one with the code ``StorageError/Code/malformedResponse``.
///
/// The parameter `body` of the other methods is the body of the response. `request` has the bucket, key, prefix,
/// delimiter and upload ID of the request, which the document may repeat.
public protocol DocumentFormat: Sendable {
  /// The media type of the documents that the client sends, such as `application/json`.
  var mediaType: String { get }
  /// The query parameters that listings need so that the format can read their names, none by default.
  var listingParameters: [RequestTarget.Parameter] { get }

  /// Returns the error that a document describes, or `nil` if the body is not an error document.
  ///
  /// - Parameters:
  ///   - body: The body of a response of any status, which can be empty, cut off, or of another format.
  ///   - response: The head of the response.
  ///   - subject: The action and the location of the request, for the error message.
  func error(in body: [UInt8], of response: HTTPResponse, subject: String) -> ServiceError?

  /// Reads a page of objects and common prefixes.
  ///
  /// - Throws: An error if the document is not the page of a listing, or if it contradicts the request.
  func listing(in body: [UInt8], of request: DocumentRequest) throws -> ListPage

  /// Reads the ID of a multipart upload that was initiated.
  ///
  /// - Throws: An error if the document has no ID, or if it contradicts the request.
  func uploadID(in body: [UInt8], of request: DocumentRequest) throws -> String

  /// Returns the document that completes a multipart upload; the parts are in the order of their numbers.
  func completion(of parts: [StoredPart]) -> [UInt8]

  /// Reads the entity tag of an object that was created by the completion of a multipart upload.
  ///
  /// - Throws: An error if the document has no entity tag, or if it contradicts the request.
  func completedTag(in body: [UInt8], of request: DocumentRequest) throws -> String

  /// Reads the result of a copy.
  ///
  /// - Returns: The entity tag of the copy, and the time at which it was created, if the document contains the time.
  /// - Throws: An error if the document has no entity tag, or if it contradicts the request.
  func copy(in body: [UInt8], of request: DocumentRequest) throws -> (etag: String, lastModified: Timestamp?)

  /// Returns whether a document can contain the key of an object to delete, `true` by default.
  func represents(_ key: String) -> Bool

  /// Returns the document that requests the deletion of up to 1,000 keys, and a report at least of the failures.
  func deletion(of keys: [String]) -> [UInt8]

  /// Reads the report on a deletion, in which the deleted keys may be missing.
  ///
  /// - Throws: An error if the document is not a report.
  func deletionReport(in body: [UInt8]) throws -> DeletionReport

  /// Reads a page of the stored parts of a multipart upload; by default, uploads cannot be resumed.
  ///
  /// - Returns: The parts, and the number after which the next page starts, or `nil` on the last page.
  /// - Throws: An error if the document is not a list of parts, or if it contradicts the request.
  func parts(in body: [UInt8], of request: DocumentRequest) throws -> (parts: [StoredPart], next: Int?)

  /// Reads a page of unfinished multipart uploads; by default, they cannot be listed.
  ///
  /// - Throws: An error if the document is not a list of uploads, or if it contradicts the request.
  func unfinishedUploads(in body: [UInt8], of request: DocumentRequest) throws -> UnfinishedUploads.Page

  /// Reads a page of versions and delete markers; by default, they cannot be listed.
  ///
  /// - Throws: An error if the document is not a list of versions, or if it contradicts the request.
  func versions(in body: [UInt8], of request: DocumentRequest) throws -> ObjectVersions.Page

  /// Reads the versioning state of a bucket; by default, it cannot be read.
  ///
  /// - Throws: An error if the document contains no versioning state.
  func versioning(in body: [UInt8]) throws -> BucketVersioning
}

extension DocumentFormat {
  /// No parameters, because by default the format can read all names.
  public var listingParameters: [RequestTarget.Parameter] { [] }

  /// Returns `true`, because by default the format can represent each key.
  public func represents(_ key: String) -> Bool { true }

  /// Throws an error, because by default the format cannot read the list of parts.
  ///
  /// - Throws: ``StorageError/Code/unsupported``.
  public func parts(in body: [UInt8], of request: DocumentRequest) throws -> (parts: [StoredPart], next: Int?) {
    throw unsupported("lists of parts", "Upload the file without a checkpoint")
  }

  /// Throws an error, because by default the format cannot read the list of unfinished uploads.
  ///
  /// - Throws: ``StorageError/Code/unsupported``.
  public func unfinishedUploads(in body: [UInt8], of request: DocumentRequest) throws -> UnfinishedUploads.Page {
    throw unsupported("lists of unfinished uploads", "Let a lifecycle rule of the bucket remove them")
  }

  /// Throws an error, because by default the format cannot read the versions of objects.
  ///
  /// - Throws: ``StorageError/Code/unsupported``.
  public func versions(in body: [UInt8], of request: DocumentRequest) throws -> ObjectVersions.Page {
    throw unsupported("versions of objects", "List the versions with a tool of the service")
  }

  /// Throws an error, because by default the format cannot read a versioning state.
  ///
  /// - Throws: ``StorageError/Code/unsupported``.
  public func versioning(in body: [UInt8]) throws -> BucketVersioning {
    throw unsupported("versioning states", "Read the state with a tool of the service")
  }

  private func unsupported(_ documents: String, _ remedy: String) -> StorageError {
    StorageError(
      .unsupported, "\(Self.self) does not read \(documents).", remedy: "\(remedy), or implement the method.")
  }
}

/// The request whose response a ``DocumentFormat`` reads.
public struct DocumentRequest: Sendable, Hashable {
  /// The bucket name.
  public var bucket: String
  /// The key of the object, or `nil` if the request concerns the bucket.
  public var key: String?
  /// The ID of the multipart upload, or `nil` if the request concerns none, or initiates one.
  public var uploadID: String?
  /// The prefix of the listed keys.
  public var prefix: String
  /// The string that ends a common prefix, or `nil` if the request lists every key.
  public var delimiter: String?

  /// Creates a request, for tests of a format; the parameters are the properties.
  public init(
    bucket: String, key: String? = nil, uploadID: String? = nil, prefix: String = "", delimiter: String? = nil
  ) {
    self.bucket = bucket
    self.key = key
    self.uploadID = uploadID
    self.prefix = prefix
    self.delimiter = delimiter
  }
}

/// A part of a multipart upload that the service has stored.
public struct StoredPart: Sendable, Hashable {
  /// The number of the part, starting at 1.
  public let number: Int
  /// The entity tag of the part, as the service sent it.
  public let etag: String
  /// The size of the part in bytes.
  public let size: Int64

  /// Creates the description of a part, for implementations of ``DocumentFormat``; the parameters are the properties.
  public init(number: Int, etag: String, size: Int64) {
    self.number = number
    self.etag = etag
    self.size = size
  }
}
