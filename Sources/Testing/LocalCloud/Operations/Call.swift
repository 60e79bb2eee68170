// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// An authorized request to a storage service, with all data that its operation needs.
struct Call: Sendable {
  let service: SimulatedService
  let store: BucketTable
  let target: RequestTarget
  let rights: RequestRights
  let headers: HTTPFields
  var body: CallBody
  let operation: Operation
  let date: Timestamp
  let region, host: String
  var callback: CallbackPlan?

  func perform() async throws -> Answer {
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

  /// The URL of the request's object at the host of the request, which contains the bucket or precedes it.
  var objectURL: String {
    // Without a path, a request has a bucket only if its host names one by the rules of the service.
    let head = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/")
    let isBucketInHost = (try? service.behavior.target(of: head))?.bucket != nil
    return "http://\(host)/\(isBucketInHost ? "" : "\(bucket)/")\(key.string.percentEncoded(.path))"
  }

  /// The state of the bucket's versioning, or `nil` if it never had versions or does not exist.
  var versioning: BucketSettings.Versioning? { (try? store.read(bucket) { $0.settings.versioning }) ?? nil }

  /// Returns the value of a query parameter, which is empty if the parameter has none, or `nil` if it is absent.
  func parameter(_ name: ByteExactString) -> String? { target[name]?.string }

  func numericParameter(
    _ name: ByteExactString, default defaultValue: Int, in range: ClosedRange<Int>
  ) throws(ErrorResponse) -> Int {
    guard let text = parameter(name), !text.isEmpty else { return defaultValue }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .invalidArgument("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// Returns the value of a header without the service's prefix, or `nil` if it is absent or empty, as SDKs send some.
  func serviceHeader(_ suffix: String) -> String? {
    guard !headers.isEmpty, let name = service.headerName(suffix) else { return nil }
    return headers.first(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The maximum size of a body that is read into memory.
  private static let documentByteLimit = 8 * 1024 * 1024

  /// Returns the length and the checksums that the body must have; `rule` is that of the upload whose part it is.
  func bodyExpectation(ofPartWith rule: ChecksumRule? = nil) throws(ErrorResponse) -> BodyExpectation {
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

  /// Throws unless the request may still perform its operation: during the body, another account can take the bucket.
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

  /// The requested bandwidth limit in bits per second, or `nil` for no limit.
  var requestedTrafficLimit: String? { serviceHeaderOrParameter("traffic-limit") }

  /// Throws if the bandwidth limit is invalid, a bucket has another owner than expected, or the requester does not pay.
  func checkLimitOwnersAndPayer() throws(ErrorResponse) {
    let limits = service.objects.trafficLimits
    if let limit = requestedTrafficLimit, Int64(digits: limit).map(limits.contains) != true {
      throw .invalidArgument(
        "The traffic limit must be an integer of bits per second from \(limits.lowerBound) to \(limits.upperBound).")
    }
    let source = serviceHeader("copy-source").flatMap { try? NamedSource($0, of: service) }
    for (name, bucket) in [("expected-bucket-owner", bucket), ("source-expected-bucket-owner", source?.bucket)] {
      guard let expected = serviceHeader(name), let bucket, let owner = try? store.read(bucket, { $0.owner }),
        !service.numbers(of: owner).contains(expected)
      else { continue }
      throw .accessDenied("The bucket does not belong to the account in the header \(service.header(name)).")
    }
    let payer = serviceHeaderOrParameter("request-payer")
    if let payer, payer != "requester" { throw .invalidArgument("The payer of a request can only be \"requester\".") }
    if payer == nil || rights.isAnonymous, requesterPays {
      throw .accessDenied("The requester pays for this bucket: send \(service.header("request-payer")): requester.")
    }
  }

  /// Whether the bucket belongs to another account, and its document makes the senders of requests pay.
  private var requesterPays: Bool {
    let settings = try? store.read(bucket) { $0.owner == rights.account ? nil : $0.settings }
    return settings?.document("requestPayment")?["Payer"]?.text == "Requester"
  }

  /// Returns the value of a header without the service's prefix, or else of the query parameter with the header's name.
  private func serviceHeaderOrParameter(_ suffix: String) -> String? {
    serviceHeader(suffix) ?? service.headerName(suffix).flatMap { parameter(ByteExactString($0.canonicalName)) }
  }
}
