// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// An authorized request to a storage service, with all data that its operation needs.
struct Call: Sendable {
  private static let documentByteLimit = 8 * 1024 * 1024

  let service: SimulatedService
  let store: BucketTable
  let target: RequestTarget
  let rights: RequestRights
  let headers: HTTPFields
  var body: CallBody
  let operation: Operation
  let date: Timestamp
  let region: String
  let host: String
  var callback: CallbackPlan?

  func response() async throws -> Answer {
    if !operation.readsBody, service.objects.checksIgnoredBodies { _ = try await readBody() }
    return switch operation {
    case .listBuckets: try listBuckets()
    case .describeRegions: try describeRegions()
    case .createBucket: try await createBucket()
    case .deleteBucket: try await deleteBucket()
    case .headBucket: try headBucket()
    case .readBucketAccess: try readBucketAccess()
    case .changeBucketAccess: try await changeBucketAccess()
    case .bucketLocation: try bucketLocation()
    case .bucketInfo: try bucketInfo()
    case .listVersions: try listVersions()
    case .bucketStat: try bucketStat()
    case .appendObject: try await appendObject()
    case .putSymlink: try await putSymlink()
    case .getSymlink: try getSymlink()
    case .readDocument: try readDocument()
    case .changeDocument: try await changeDocument()
    case .deleteDocument: try await deleteDocument()
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
  var bucket: String { target.bucketName }

  /// The object key of the request; empty for operations on the service or on a bucket.
  var key: ObjectKey { target.key ?? "" }

  func requestedObject() throws -> StoredObject { try store.object(key, in: bucket, version: target.version) }

  /// The state of the bucket's versioning, or `nil` if it never had versions or does not exist.
  var versioning: BucketSettings.Versioning? { (try? store.read(bucket) { $0.settings.versioning }) ?? nil }

  /// Returns the value of a query parameter, which is empty if the parameter has none, or `nil` if it is absent.
  func parameter(_ name: ByteExactString) -> String? { target[name]?.string }

  /// Returns the value of a header without the service's prefix, or `nil` if it is absent or empty, as SDKs send some.
  func serviceHeader(_ suffix: String) -> String? {
    guard !headers.isEmpty, let name = service.headerName(suffix) else { return nil }
    return headers.first(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the length and the checksums that the body must have; `rule` is that of the upload whose part it is.
  func bodyExpectation(_ rule: ChecksumRule? = nil) throws(ErrorResponse) -> BodyExpectation {
    let byteCount = headers[.contentLength].flatMap { Int64(digits: $0) }
    var expectation = BodyExpectation(byteCount: body.isFramed ? nil : byteCount)
    expectation.checks = try service.behavior.bodyChecks(of: headers, for: operation, rule)
    if let text = headers.first("content-md5"), !text.isEmpty {
      guard let md5 = [UInt8](base64: text), md5.count == MD5.digestByteCount else {
        throw .invalidDigest("The Content-MD5 is not the Base64 of 16 bytes.")
      }
      expectation.digest = (md5, mismatch: service.errors.wrongDigest)
    }
    return expectation
  }

  /// Throws the service's refusal if the request may no longer perform its operation.
  ///
  /// Until the client ends the body, the bucket or the object may have become another account's.
  func checkRights() throws {
    let source = operation.hasCopySource ? try NamedSource(serviceHeader("copy-source") ?? "", of: service) : nil
    guard rights.allow(operation, on: target, copying: source) else { throw rights.denial(at: date) }
  }

  /// Reads the whole request body, verifies its length and checksums, and checks the rights again.
  func readBody() async throws -> [UInt8] {
    var expectation = try bodyExpectation()
    var bytes: [UInt8] = []
    for try await chunk in body {
      guard bytes.count + chunk.readableBytes <= Self.documentByteLimit else {
        throw ErrorResponse.malformedXML("The document has more than \(Self.documentByteLimit) bytes.")
      }
      bytes += chunk.readableBytesView
    }
    try expectation.check(byteCount: Int64(bytes.count), md5: MD5.hash(bytes))
    bytes.withElements { expectation.checks.update($0) }
    _ = try expectation.checks.finish()
    try checkRights()
    return bytes
  }

  func readRequiredDocument(named name: String) async throws -> XMLNode {
    if let document = try await readOptionalDocument(named: name) { return document }
    throw ErrorResponse.malformedXML("The body is empty; send the document.")
  }

  func readOptionalDocument(named name: String) async throws -> XMLNode? {
    let bytes = try await readBody()
    return bytes.isEmpty ? nil : try parseDocument(bytes, named: name)
  }

  func parseDocument(_ bytes: [UInt8], named name: String) throws(ErrorResponse) -> XMLNode {
    let root: XMLNode
    do { root = try XMLNode.parse(bytes, limits: .allowingControlCharacters) } catch {
      throw .malformedXML(error.description)
    }
    guard root.name == name else { throw .malformedXML("The root element is not \(name).") }
    return root
  }

  func numericParameter(
    _ name: ByteExactString, default fallback: Int, in range: ClosedRange<Int>
  ) throws(ErrorResponse) -> Int {
    guard let text = parameter(name), !text.isEmpty else { return fallback }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .invalidArgument("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
