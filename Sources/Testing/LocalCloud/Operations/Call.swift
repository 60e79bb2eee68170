// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  /// The callback that follows the operation, or `nil`.
  var callback: CallbackPlan?

  func response() async throws -> Answer {
    if !operation.readsBody, service.objects.checksEveryBody { _ = try await bytes() }
    return try await performOperation()
  }

  private func performOperation() async throws -> Answer {
    switch operation {
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
  var bucket: String { target.bucket?.string ?? "" }

  /// The object key of the request; empty for operations on the service or on a bucket.
  var key: ObjectKey { ObjectKey(target.key?.string ?? "") }

  /// Returns the value of a query parameter, which is empty if the parameter has none, or `nil` if it is absent.
  func parameter(_ name: ByteExactString) -> String? { target[name]?.string }

  /// Returns the value of a header, whose name omits the service's prefix, or `nil` if the header is absent or empty.
  ///
  /// SDKs send headers with empty values.
  func serviceHeader(_ suffix: String) -> String? {
    headers.first(service.header(suffix)).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the length and the checksums that the body must have; `rule` is that of the upload whose part it is.
  func expectation(_ rule: ChecksumRule? = nil) throws(ErrorResponse) -> BodyExpectation {
    let byteCount = headers[.contentLength].flatMap { Int64(digits: $0) }
    var expectation = BodyExpectation(byteCount: body.isFramed ? nil : byteCount)
    expectation.checks = try service.behavior.bodyChecks(of: headers, for: operation, rule)
    if let text = headers.first("content-md5"), !text.isEmpty {
      guard let md5 = [UInt8](base64: text), md5.count == MD5.digestByteCount else {
        throw .invalidDigest("The Content-MD5 is not the Base64 of 16 bytes.")
      }
      expectation.digest = BodyExpectation.Digest(md5: md5, refusal: service.errors.wrongDigest)
    }
    return expectation
  }

  func document(named name: String) async throws -> XMLNode {
    guard let document = try await optionalDocument(named: name) else {
      throw ErrorResponse.malformedXML("The body is empty; send the document.")
    }
    return document
  }

  /// Throws the service's refusal if the request may no longer perform its operation.
  ///
  /// The client decides when a body ends. Until then, the bucket or the object may have become another account's.
  func checkRights() throws {
    let source = operation.hasCopySource ? try NamedSource(serviceHeader("copy-source") ?? "", of: service) : nil
    guard rights.allow(operation, on: target, copying: source) else { throw rights.denial(at: date) }
  }

  /// Reads the whole request body, verifies its length and checksums, and checks the rights again.
  func bytes() async throws -> [UInt8] {
    var expectation = try expectation()
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

  func optionalDocument(named name: String) async throws -> XMLNode? {
    let bytes = try await bytes()
    return bytes.isEmpty ? nil : try document(bytes, named: name)
  }

  func document(_ bytes: [UInt8], named name: String) throws(ErrorResponse) -> XMLNode {
    do {
      let root = try XMLNode.parse(bytes, limits: .allowingControlCharacters)
      guard root.name == name else { throw ErrorResponse.malformedXML("The root element is not \(name).") }
      return root
    } catch let error as XMLError {
      throw .malformedXML(error.description)
    } catch {
      throw ErrorResponse(of: error)
    }
  }

  /// Returns a key or prefix as response documents contain it, percent-encoded if the client asks for that.
  func written(_ name: String, _ encodes: Bool) -> String { encodes ? service.encodedName(name) : name }

  /// Returns a query parameter as an integer, or the default if it is absent or empty.
  func number(_ name: ByteExactString, default fallback: Int, in range: ClosedRange<Int>) throws(ErrorResponse) -> Int {
    guard let text = parameter(name), !text.isEmpty else { return fallback }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .invalidArgument("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// Returns whether the client requests percent-encoded keys in the response (`encoding-type=url`).
  func encodesNames() throws(ErrorResponse) -> Bool {
    guard let encoding = parameter("encoding-type"), !encoding.isEmpty else { return false }
    guard encoding.asciiLowercased == "url" else { throw .invalidArgument("The encoding-type can only be url.") }
    return true
  }

  func listBuckets() throws -> Answer {
    let prefix = parameter("prefix") ?? ""
    let names = service.listing
    let marker = parameter(names.bucketMarker) ?? ""
    let limit = try number(names.bucketLimit, default: 1000, in: 1...names.bucketPageLimit)
    guard parameter("regionList")?.isEmpty != false else {
      throw ErrorResponse.notImplemented("This server has one region, so that the regionList must be empty.")
    }
    let tags = try requestedTags()
    let buckets = try store.bucketsByName.filter {
      try $0.owner == rights.account && $0.name.utf8.starts(with: prefix.utf8)
        && ByteExactString($0.name) > ByteExactString(marker) && selects($0, tags)
    }
    let page = buckets.prefix(limit)
    let isTruncated = page.count < buckets.count
    let list = XMLNode(
      "Buckets",
      children: page.map {
        service.behavior.document(for: $0, region: $0.settings.region ?? region, endpoint: endpoint)
      })
    var elements = [service.owner(rights.account)]
    if service.listing.omitsEmptyElements {
      elements.append(list)
      if !prefix.isEmpty { elements.append(XMLNode("Prefix", prefix)) }
    } else {
      elements += [
        XMLNode("Prefix", prefix), XMLNode("Marker", marker), XMLNode("MaxKeys", String(limit)),
        XMLNode("IsTruncated", String(isTruncated)), list,
      ]
    }
    if isTruncated, let last = page.last { elements.append(XMLNode(names.nextBucketElement, last.name)) }
    return service.response(with: XMLNode("ListAllMyBucketsResult", children: elements))
  }

  /// Returns whether the filters of a list of buckets, which OSS and COS have, select a bucket.
  private func selects(_ bucket: Bucket, _ tags: [(key: String, value: String?)]) throws(ErrorResponse) -> Bool {
    if let name = parameter("region"), name != bucket.settings.region ?? region { return false }
    if let group = serviceHeader("resource-group-id"), group != bucket.settings.resourceGroup { return false }
    let own = bucket.settings.document("tagging")?["TagSet"]?.all("Tag") ?? []
    let hasTags = tags.allSatisfy { tag in
      own.contains { $0["Key"]?.text == tag.key && (tag.value ?? $0["Value"]?.text) == $0["Value"]?.text }
    }
    guard hasTags else { return false }
    guard let range = parameter("range") else { return true }
    guard let time = parameter("create-time").flatMap({ Int64(digits: $0) }) else {
      throw .invalidArgument("The create-time must be a time in seconds since 1970.")
    }
    let orders: [String: (Int64, Int64) -> Bool] = ["lt": (<), "lte": (<=), "gt": (>), "gte": (>=)]
    guard let order = orders[range] else { throw .invalidArgument("The range must be lt, lte, gt or gte.") }
    return order(bucket.created.unixSeconds, time)
  }

  /// Returns the tags that listed buckets must have; a value of `nil` stands for any value.
  private func requestedTags() throws(ErrorResponse) -> [(key: String, value: String?)] {
    guard let text = parameter("tagging") else {
      guard let key = parameter("tag-key") ?? parameter("tagkey"), !key.isEmpty else { return [] }
      return [(key: key, value: parameter("tag-value") ?? parameter("tagvalue"))]
    }
    guard let tags = try? JSONValue(parsing: "{\(text)}".utf8).object else {
      throw .invalidArgument("The tagging must have the form \"key\":\"value\",\"key\":\"value\".")
    }
    return tags.map { (key: $0.name, value: $0.value.string) }
  }

  /// The host of the request, without the bucket name if the request is virtual-hosted-style.
  private var endpoint: String {
    guard AddressingStyle(authority: host) == .virtualHosted, let label = service.description.hosts.bucket(in: host),
      label.utf8.elementsEqual(bucket.utf8), let endpoint = host.removingBytePrefix("\(label).")
    else { return host }
    return String(endpoint)
  }

  func createBucket() async throws -> Answer {
    let document = try await bucketDocument()
    try service.checkLocation(document?["LocationConstraint"]?.text, in: region)
    let access = try requestedAccess(isObject: false)
    let encryption = try encryption()
    let owner = try? store.read(bucket) { $0.owner }
    if let owner, owner != rights.account { throw ErrorResponse.bucketAlreadyExists("BucketAlreadyExists", bucket) }
    if owner != nil, let code = service.ownBucketCode(in: region) {
      throw ErrorResponse.bucketAlreadyExists(code, bucket)
    }
    try await store.configure(bucket, creatingAt: date) { settings in
      settings.access = access ?? settings.access
      if let other = settings.owner, other != rights.account {
        throw ErrorResponse.bucketAlreadyExists("BucketAlreadyExists", bucket)
      }
      settings.owner = rights.account
      settings.region = settings.region ?? service.behavior.region(in: host)
      settings.storageClass = document?["StorageClass"]?.text ?? settings.storageClass
      settings.redundancy = document?["DataRedundancyType"]?.text ?? settings.redundancy
      if !encryption.isEmpty {
        settings.documents = (settings.documents ?? [:]).merging(["encryption": encryptionRule(encryption)]) { $1 }
      }
    }
    return Answer(headers: [.location: "/\(bucket)"])
  }

  /// Returns the request's document about the new bucket, if any; no other kind of bucket is supported.
  private func bucketDocument() async throws -> XMLNode? {
    let document = try await optionalDocument(named: "CreateBucketConfiguration")
    for element in document?.children ?? [] {
      switch element.name {
      case "LocationConstraint": continue
      case "StorageClass" where service.objects.storageClasses.contains { $0.name == element.text }: continue
      case "DataRedundancyType" where ["LRS", "ZRS"].contains(element.text): continue
      case "StorageClass", "DataRedundancyType":
        throw ErrorResponse.invalidArgument("\"\(element.text)\" is not a \(element.name) of the service.")
      default:
        throw ErrorResponse.notImplemented(
          "The element \"\(element.name)\" of the document requests a bucket that this server does not support.")
      }
    }
    return document
  }

  func deleteBucket() async throws -> Answer {
    try await store.deleteBucket(bucket, withUploads: service.buckets.deletesUploads)
    return Answer(.noContent)
  }

  private func bucketRegion() throws -> String { try store.read(bucket) { $0.settings.region ?? region } }

  func headBucket() throws -> Answer {
    var response = Answer()
    response.headers.set(service.header("bucket-region"), try bucketRegion())
    return response
  }

  func bucketLocation() throws -> Answer {
    service.response(with: XMLNode("LocationConstraint", service.location(of: try bucketRegion())))
  }

  func bucketInfo() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    func told(_ name: String, _ element: String, of parameter: String, or fallback: String) -> XMLNode {
      XMLNode(name, bucket.settings.document(parameter)?[element]?.text ?? fallback)
    }
    let encryption = bucket.settings.document("encryption")?["ApplyServerSideEncryptionByDefault"]?.children
    var document = service.behavior.document(for: bucket, region: region, endpoint: endpoint)
    let grant = XMLNode("Grant", bucket.access.rawValue)
    document.children += [
      service.owner(bucket.owner), XMLNode("AccessControlList", children: [grant]),
      XMLNode("DataRedundancyType", bucket.settings.redundancy ?? "LRS"), XMLNode("Comment"),
      told("AccessMonitor", "Status", of: "accessmonitor", or: "Disabled"),
      told("BlockPublicAccess", "BlockPublicAccess", of: "publicAccessBlock", or: "false"),
      XMLNode("CrossRegionReplication", "Disabled"), XMLNode("TransferAcceleration", "Disabled"),
      XMLNode("ServerSideEncryptionRule", children: encryption ?? [XMLNode("SSEAlgorithm", "None")]),
    ]
    if let state = bucket.settings.versioning { document.children.append(XMLNode("Versioning", state.rawValue)) }
    return service.response(with: XMLNode("BucketInfo", children: [document]))
  }

  /// Returns the numbers and sizes of the versions of objects, in total and by storage class.
  func bucketStat() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    func elements(_ name: String, _ storage: String, _ objects: [StoredObject]) -> [XMLNode] {
      let size = String(objects.reduce(0) { $0 + $1.content.byteCount })
      let real = name.isEmpty || name == service.standardClass ? [] : [XMLNode("\(name)RealStorage", size)]
      return real + [XMLNode("\(name)\(storage)", size), XMLNode("\(name)ObjectCount", String(objects.count))]
    }
    let objects = bucket.allVersions.filter { $0.kind != .deleteMarker }
    let parts = bucket.uploads.values.map { $0.parts.count }
    let classes = service.objects.storageClasses.flatMap { kind in
      let name = kind.name == "IA" ? "InfrequentAccess" : kind.name
      return elements(
        name, "Storage", objects.filter { $0.attributes.storageClass ?? service.standardClass == kind.name })
    }
    let others = [
      XMLNode("MultipartUploadCount", String(parts.count)),
      XMLNode("MultipartPartCount", String(parts.reduce(0, +))), XMLNode("LiveChannelCount", "0"),
      XMLNode("DeleteMarkerCount", String(bucket.allVersions.count - objects.count)),
      XMLNode("LastModifiedTime", String(bucket.allVersions.isEmpty ? 0 : date.unixSeconds)),
    ]
    return service.response(with: XMLNode("BucketStat", children: elements("", "Storage", objects) + others + classes))
  }

  // MARK: Listings

  /// The maximum number of entries in a page of a listing.
  private static let pageLimit = 1000

  func listObjects() throws -> Answer {
    let marker = parameter("marker") ?? ""
    let list = try list(after: marker)
    var elements = list.head + [XMLNode("Marker", list.name(marker))]
    let tellsNext = service.listing.omitsEmptyElements ? parameter("delimiter")?.isEmpty == false : true
    if tellsNext, let next = list.page.next { elements.append(XMLNode("NextMarker", list.name(next))) }
    return service.response(with: XMLNode("ListBucketResult", children: elements + entries(list, withOwner: true)))
  }

  func listObjectsV2() throws -> Answer {
    let token = parameter("continuation-token")
    let start = parameter("start-after") ?? ""
    let list = try list(after: try continuation() ?? start)
    var elements = list.head
    if !start.isEmpty || !service.listing.omitsEmptyElements {
      elements.append(XMLNode("StartAfter", list.name(start)))
    }
    if let token { elements.append(XMLNode("ContinuationToken", token)) }
    if let next = list.page.next { elements.append(Self.nextToken(after: next)) }
    elements.append(XMLNode("KeyCount", String(list.page.objects.count + list.page.groups.count)))
    let withOwner = parameter("fetch-owner") == "true"
    return service.response(with: XMLNode("ListBucketResult", children: elements + entries(list, withOwner: withOwner)))
  }

  /// Returns the last name of the page that the request continues, or `nil` if it asks for the first page.
  ///
  /// An empty token means the first page: the vendors' Python SDKs send one with the request for it.
  func continuation() throws(ErrorResponse) -> String? {
    guard let token = parameter("continuation-token"), !token.isEmpty else { return nil }
    guard let name = [UInt8](hex: token).flatMap({ String(utf8: $0) }) else { throw .invalidToken }
    return name
  }

  /// Returns the element with the token for the page after the one with a last name.
  static func nextToken(after name: String) -> XMLNode {
    XMLNode("NextContinuationToken", String(writing: { writer in withBytes(of: name) { writer.append(hex: $0) } }))
  }

  /// A page of an object listing, with the XML elements that both versions of the list operation share.
  private struct List {
    let page: BucketListPage
    let owner: String
    let head: [XMLNode]
    let name: @Sendable (String) -> String
  }

  private func list(after: String) throws -> List {
    let encodes = try encodesNames()
    let query = try listQuery(after: after)
    let (page, owner) = try store.read(bucket) { ($0.objectPage(query), $0.owner) }
    let name: @Sendable (String) -> String = { written($0, encodes) }
    var head = [
      XMLNode("Name", bucket), XMLNode("Prefix", name(query.prefix)), XMLNode("MaxKeys", String(query.limit)),
    ]
    if !query.delimiter.isEmpty || !service.listing.omitsEmptyElements {
      head.append(XMLNode("Delimiter", name(query.delimiter)))
    }
    head.append(XMLNode("IsTruncated", String(page.next != nil)))
    return List(page: page, owner: owner, head: head + encodingElement(encodes), name: name)
  }

  func listQuery(after: String) throws -> ListQuery {
    ListQuery(
      prefix: parameter("prefix") ?? "", delimiter: parameter("delimiter") ?? "", after: after,
      limit: min(
        try number("max-keys", default: service.listing.defaultPageSize, in: service.listing.pageSizes), Self.pageLimit)
    )
  }

  private func entries(_ list: List, withOwner: Bool) -> [XMLNode] {
    let objects = list.page.objects.map { object in
      var elements = [
        XMLNode("Key", list.name(object.key.text)),
        XMLNode("LastModified", object.modified.iso8601Milliseconds),
        XMLNode("ETag", service.entityTag(object.content.entityTag)),
      ]
      elements += service.elements(of: object)
      elements += [
        XMLNode("Size", String(object.content.byteCount)),
        XMLNode("StorageClass", service.storageClass(object.attributes.storageClass)),
      ]
      if withOwner { elements.append(service.owner(object.attributes.owner ?? list.owner)) }
      return XMLNode("Contents", children: elements)
    }
    let groups = list.page.groups.map { XMLNode("CommonPrefixes", children: [XMLNode("Prefix", list.name($0))]) }
    return objects + groups
  }

  // MARK: Uploads and parts

  func listParts() throws -> Answer {
    let name = UploadName(key: key, id: parameter("uploadId") ?? "")
    let encodes = try encodesNames()
    let marker = try number("part-number-marker", default: 0, in: 0...10_000)
    let limit = try min(number("max-parts", default: 1000, in: service.listing.pageSizes), Self.pageLimit)
    let upload = try upload(name)
    let parts = upload.parts
    let start = parts.firstIndex { $0 > marker }
    let end = min(parts.count, start + limit)
    let elements = (start..<end).map { index in
      XMLNode(
        "Part",
        children: [
          XMLNode("PartNumber", String(parts.keys[index])),
          XMLNode("LastModified", parts.values[index].modified.iso8601Milliseconds),
          XMLNode("ETag", service.entityTag(parts.values[index].content.entityTag)),
        ] + service.elements(of: parts.values[index])
          + [XMLNode("Size", String(parts.values[index].content.byteCount))])
    }
    return service.response(
      with: XMLNode(
        "ListPartsResult",
        children: encodingElement(encodes) + [
          XMLNode("Bucket", bucket), XMLNode("Key", written(key.text, encodes)),
          XMLNode("UploadId", name.id), XMLNode("PartNumberMarker", String(marker)),
          XMLNode("NextPartNumberMarker", String(end > start ? parts.keys[end - 1] : marker)),
          XMLNode("MaxParts", String(limit)), XMLNode("IsTruncated", String(end < parts.count)),
          XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
        ] + clientEncryption(of: upload) + (upload.checksum?.elements ?? []) + elements))
  }

  /// Returns the elements with which a client that encrypts resumes an upload, from the upload's metadata.
  private func clientEncryption(of upload: PendingUpload) -> [XMLNode] {
    service.listing.uploadElements.compactMap { element, name in
      let name = ObjectDescription.clientEncryptionPrefix + name
      return upload.description.metadata.first { $0.name == name }.map { XMLNode(element, $0.value) }
    }
  }

  func listUploads() throws -> Answer {
    let encodes = try encodesNames()
    let prefix = parameter("prefix") ?? ""
    let delimiter = parameter("delimiter") ?? ""
    let keyMarker = parameter("key-marker") ?? ""
    let idMarker = parameter("upload-id-marker") ?? ""
    let limit = try min(number("max-uploads", default: 1000, in: service.listing.pageSizes), Self.pageLimit)
    let (page, bucketOwner) = try store.read(bucket) {
      ($0.uploadPage(prefix: prefix, delimiter: delimiter, after: keyMarker, id: idMarker, limit: limit), $0.owner)
    }
    func name(_ text: String) -> String { written(text, encodes) }
    let uploads = page.uploads.map { upload in
      let owner = service.owner(upload.attributes.owner ?? bucketOwner)
      let owners = service.listing.tellsInitiators ? [XMLNode("Initiator", children: owner.children), owner] : []
      return XMLNode(
        "Upload",
        children: [
          XMLNode("Key", name(upload.name.key.text)), XMLNode("UploadId", upload.name.id),
          XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
          XMLNode("Initiated", upload.initiated.iso8601Milliseconds),
        ] + owners + (upload.checksum?.elements ?? []))
    }
    let groups = page.groups.map { XMLNode("CommonPrefixes", children: [XMLNode("Prefix", name($0))]) }
    return service.response(
      with: XMLNode(
        "ListMultipartUploadsResult",
        children: encodingElement(encodes) + [
          XMLNode("Bucket", bucket), XMLNode("KeyMarker", name(keyMarker)), XMLNode("UploadIdMarker", idMarker),
          XMLNode("NextKeyMarker", name(page.nextKey)), XMLNode("NextUploadIdMarker", page.nextID),
          XMLNode("Prefix", name(prefix)), XMLNode("Delimiter", name(delimiter)),
          XMLNode("MaxUploads", String(limit)), XMLNode("IsTruncated", String(page.isTruncated)),
        ] + uploads + groups))
  }
}
