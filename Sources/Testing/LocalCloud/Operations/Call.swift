// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// An authorized request to a storage service, with all data that its operation needs.
struct Call: Sendable {
  private static let documentByteLimit = 8 * 1024 * 1024

  let dialect: any Dialect
  let store: BucketTable
  let target: RequestTarget
  let isAnonymous: Bool
  let rights: RequestRights
  let headers: HTTPFields
  let body: CallBody
  let operation: Operation
  let date: Timestamp
  let region: String
  let host: String
  /// The callback that follows the operation, or `nil`.
  var callback: CallbackPlan?

  /// Performs the operation of the request and returns the response.
  func answer() async throws -> Answer {
    if !operation.readsBody, dialect.checksEveryBody { _ = try await bytes() }
    return try await act()
  }

  private func act() async throws -> Answer {
    switch operation {
    case .listBuckets: try listBuckets()
    case .createBucket: try await createBucket()
    case .deleteBucket: try await deleteBucket()
    case .headBucket: try headBucket()
    case .readBucketAccess: try readBucketAccess()
    case .changeBucketAccess: try await changeBucketAccess()
    case .bucketLocation: try bucketLocation()
    case .bucketInfo: try bucketInfo()
    case .bucketVersioning: try bucketVersioning()
    case .listObjects: try listObjects()
    case .listObjectsV2: try listObjectsV2()
    case .listUploads: try listUploads()
    case .deleteObjects: try await deleteObjects()
    case .putObject: try await putObject()
    case .copyObject: try await copyObject()
    case .getObject: try getObject()
    case .headObject: try headObject()
    case .objectMeta: try objectMeta()
    case .deleteObject: try await deleteObject()
    case .readObjectAccess: try readObjectAccess()
    case .changeObjectAccess: try await changeObjectAccess()
    case .readTags: try readTags()
    case .changeTags: try await changeTags()
    case .deleteTags: try await deleteTags()
    case .objectAttributes: try objectAttributes()
    case .initiateUpload: try await initiateUpload()
    case .uploadPart: try await uploadPart()
    case .copyPart: try await copyPart()
    case .completeUpload: try await completeUpload()
    case .abortUpload: try abortUpload()
    case .listParts: try listParts()
    }
  }

  /// The name of the request's bucket, or an empty string for the operation that lists all buckets.
  var bucket: String { target.bucket?.string ?? "" }

  /// The object key of the request; empty for operations on the service or on a bucket.
  var key: ObjectKey { ObjectKey(target.key?.string ?? "") }

  /// Returns the value of a query parameter of the request.
  ///
  /// - Returns: The value, an empty string if the parameter has no value, or `nil` if the parameter is absent.
  func parameter(_ name: WireText) -> String? { target[name]?.string }

  /// Returns the value of a service-specific request header, or `nil` if the header is absent.
  ///
  /// An empty value counts as absent, because SDKs send headers with empty values.
  ///
  /// - Parameter rest: The name of the header without the service's prefix, such as `acl`.
  func own(_ rest: String) -> String? { headers.first(dialect.header(rest)).flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the length and checksums that the request body must have according to the request headers.
  ///
  /// - Parameter rule: The checksum rule of the multipart upload that the request body is a part of, or `nil` if the
  ///   body is not a part.
  func expectation(_ rule: ChecksumRule? = nil) throws(RefusalAnswer) -> BodyExpectation {
    let byteCount = headers[.contentLength].flatMap { Int64($0) }
    var expectation = BodyExpectation(byteCount: body.isFramed ? nil : byteCount)
    expectation.checks = try dialect.bodyChecks(of: headers, for: operation, rule)
    if let text = headers.first("content-md5"), !text.isEmpty {
      guard let md5 = [UInt8](base64: text), md5.count == MD5.digestByteCount else {
        throw .invalidDigest("The Content-MD5 is not the Base64 of 16 bytes.")
      }
      expectation.digest = BodyExpectation.Digest(md5: md5, refusal: dialect.wrongDigest)
    }
    return expectation
  }

  /// Reads and parses the XML document in the request body.
  ///
  /// - Parameter name: The name that the document's root element must have.
  /// - Throws: `MalformedXML` if the body is empty, is not an XML document, or has a different root element.
  func document(named name: String) async throws -> XMLNode {
    guard let document = try await optionalDocument(named: name) else {
      throw RefusalAnswer.malformedXML("The body is empty; send the document.")
    }
    return document
  }

  /// Reads the whole request body and verifies its length and checksums.
  private func bytes() async throws -> [UInt8] {
    var expectation = try expectation()
    var bytes: [UInt8] = []
    for try await chunk in body {
      guard bytes.count + chunk.readableBytes <= Self.documentByteLimit else {
        throw RefusalAnswer.malformedXML("The document has more than \(Self.documentByteLimit) bytes.")
      }
      bytes += chunk.readableBytesView
    }
    try expectation.check(byteCount: Int64(bytes.count), md5: MD5.hash(bytes))
    for index in expectation.checks.indices {
      bytes.withElements { expectation.checks[index].update($0) }
      _ = try expectation.checks[index].finish()
    }
    return bytes
  }

  /// Reads and parses the XML document in the request body, or returns `nil` if the body is empty.
  ///
  /// - Parameter name: The name that the root element must have.
  func optionalDocument(named name: String) async throws -> XMLNode? {
    let bytes = try await bytes()
    if bytes.isEmpty { return nil }
    do {
      let root = try XMLNode.parse(bytes, limits: .allowingControlCharacters)
      guard root.name == name else { throw RefusalAnswer.malformedXML("The root element is not \(name).") }
      return root
    } catch let error as XMLError {
      throw RefusalAnswer.malformedXML(error.description)
    }
  }

  /// Creates a response with an XML document, and sets the document's namespace to the service's.
  func respond(with document: XMLNode) -> Answer {
    var document = document
    if let namespace = dialect.namespace { document.attributes["xmlns"] = namespace }
    return Answer(document)
  }

  /// Returns an object key or prefix as response documents contain it: percent-encoded if the client requested that
  /// encoding.
  func written(_ name: String, _ encodes: Bool) -> String { encodes ? dialect.encodedName(name) : name }

  /// Parses an integer query parameter.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - fallback: The result for an absent or empty parameter.
  ///   - range: The range of valid integers.
  func number(_ name: WireText, default fallback: Int, in range: ClosedRange<Int>) throws(RefusalAnswer) -> Int {
    guard let text = parameter(name), !text.isEmpty else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw .invalidArgument("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// Returns whether the client requests percent-encoded keys in the response (`encoding-type=url`).
  func encodesNames() throws(RefusalAnswer) -> Bool {
    guard let encoding = parameter("encoding-type"), !encoding.isEmpty else { return false }
    guard encoding.asciiLowercased == "url" else { throw .invalidArgument("The encoding-type can only be url.") }
    return true
  }
}
