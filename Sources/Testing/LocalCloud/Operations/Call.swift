// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// An authorized request to a storage service, with all data that its operation needs.
struct Call: Sendable {
  private static let documentByteLimit = 8 * 1024 * 1024

  let service: SimulatedService
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
  func response() async throws -> Answer {
    if !operation.readsBody, service.objects.checksEveryBody { _ = try await bytes() }
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
  func parameter(_ name: ByteExactString) -> String? { target[name]?.string }

  /// Returns the value of a service-specific request header, or `nil` if the header is absent.
  ///
  /// An empty value counts as absent, because SDKs send headers with empty values.
  ///
  /// - Parameter rest: The name of the header without the service's prefix, such as `acl`.
  func own(_ rest: String) -> String? { headers.first(service.header(rest)).flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the length and checksums that the request body must have according to the request headers.
  ///
  /// - Parameter rule: The checksum rule of the multipart upload that the request body is a part of, or `nil` if the
  ///   body is not a part.
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

  /// Reads and parses the XML document in the request body.
  ///
  /// - Parameter name: The name that the document's root element must have.
  /// - Throws: `MalformedXML` if the body is empty, is not an XML document, or has a different root element.
  func document(named name: String) async throws -> XMLNode {
    guard let document = try await optionalDocument(named: name) else {
      throw ErrorResponse.malformedXML("The body is empty; send the document.")
    }
    return document
  }

  /// Reads the whole request body and verifies its length and checksums.
  private func bytes() async throws -> [UInt8] {
    var expectation = try expectation()
    var bytes: [UInt8] = []
    for try await chunk in body {
      guard bytes.count + chunk.readableBytes <= Self.documentByteLimit else {
        throw ErrorResponse.malformedXML("The document has more than \(Self.documentByteLimit) bytes.")
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
      guard root.name == name else { throw ErrorResponse.malformedXML("The root element is not \(name).") }
      return root
    } catch let error as XMLError {
      throw ErrorResponse.malformedXML(error.description)
    }
  }

  /// Returns an object key or prefix as response documents contain it: percent-encoded if the client requested that
  /// encoding.
  func written(_ name: String, _ encodes: Bool) -> String { encodes ? service.encodedName(name) : name }

  /// Parses an integer query parameter.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - fallback: The result for an absent or empty parameter.
  ///   - range: The range of valid integers.
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
}

extension Call {
  private static let deleteLimit = 1000

  func deleteObjects() async throws -> Answer {
    let encodes = try encodesNames()
    let document = try await document(named: "Delete")
    let isQuiet = document["Quiet"]?.text.asciiLowercased == "true"
    let objects = document.all("Object")
    guard !objects.isEmpty, objects.count <= Self.deleteLimit else {
      throw ErrorResponse.malformedXML("The document must list 1 to \(Self.deleteLimit) objects.")
    }
    let keys = try objects.map { object in
      guard let key = object["Key"]?.text, !key.isEmpty else {
        throw ErrorResponse.malformedXML("An object has no key.")
      }
      if let other = object.children.first(where: { !["Key", "VersionId"].contains($0.name) }) {
        throw ErrorResponse.notImplemented("The element \"\(other.name)\" of an object is not supported.")
      }
      return key
    }
    // Only the body contains the keys, so that the gateway could not check the permissions. Check all keys before the
    // first object is deleted.
    guard keys.allSatisfy({ rights.allowDeleting($0, in: bucket) }) else { throw service.policyRefusal(at: date) }
    for key in keys { try await store.delete(ObjectKey(key), in: bucket) }
    let deleted = keys.map { key in
      XMLNode("Deleted", children: [XMLNode("Key", written(key, encodes))])
    }
    return service.response(
      with: XMLNode("DeleteResult", children: encodingElement(encodes) + (isQuiet ? [] : deleted)))
  }
}

extension Call {
  /// Stores the file of a verified form upload and returns the response to the client.
  @concurrent
  func postObject(_ upload: FormUpload, _ form: consuming FormUpload.Opened) async throws -> Answer {
    let verified = form.verified
    let outcome = try FormAnswer(verified.form)
    let access = try access(named: own(service.headers.objectAccess), isObject: true)
    let attributes = try attributes()
    try store.read(bucket) { try checkOverwrite($0.objects[key]) }
    let expectation = BodyExpectation(checks: try service.behavior.bodyChecks(of: headers, for: operation, nil))
    let written = try await upload.store(form, in: store.blobs, expectation)
    let object = StoredObject(
      id: .random(), key: key, content: written.content, description: description, modified: date,
      isMultipart: false, access: access, attributes: attributes)
    try await store.put(object, in: bucket) { try checkOverwrite($0.objects[key]) }
    var headers = checksums(of: written.content)
    describe(attributes, in: &headers)
    return try await calledBack(
      object,
      outcome.response(
        bucket: bucket, key: key.text, entityTag: service.entityTag(written.content.entityTag), location: location,
        headers: headers))
  }

  /// The URL of the uploaded object, with the host that the client used.
  private var location: String {
    String(writing: { writer in
      writer.append("http://")
      writer.append(host)
      writer.append(UInt8(ascii: "/"))
      if AddressingStyle(authority: host) == .path {
        writer.append(bucket)
        writer.append(UInt8(ascii: "/"))
      }
      writer.append(percentEncoding: key.text, .path)
    })
  }
}

extension VerifiedForm {
  /// Returns the form's fields as the headers of the equivalent PUT request.
  ///
  /// Only the form field for the access control becomes the access control header. A field with the name of that header
  /// is ignored, because policies check only the form field.
  func headers(of service: SimulatedService) throws(ErrorResponse) -> HTTPFields {
    var headers: HTTPFields = [:]
    let access = service.header(service.headers.objectAccess)
    for field in form.fields where field.name.asciiLowercased != "content-type" {
      let isAccess = field.name.asciiLowercased == service.headers.formAccessField
      guard isAccess || field.name.asciiLowercased != access else { continue }
      let name = isAccess ? access : field.name
      guard let name = HTTPField.Name(name) else { continue }
      guard HTTPField.isValidValue(field.value) else {
        throw .invalidArgument("The field \(field.name) is not a valid header value.")
      }
      headers[name] = field.value
    }
    if let contentType {
      guard HTTPField.isValidValue(contentType) else { throw .invalidArgument("The content type is invalid.") }
      headers[.contentType] = contentType
    }
    return headers
  }
}

// Operations that read or change the attributes and tags of an object.

extension Call {
  /// Replaces an object with a copy that has other attributes.
  ///
  /// - Parameter change: A closure that returns the changed copy of the object.
  /// - Throws: `OperationAborted` if another request replaced or deleted the object in the meantime.
  func describeAnew(_ change: (StoredObject) -> StoredObject) async throws {
    let object = try store.object(key, in: bucket)
    try await store.put(change(object), in: bucket) { bucket in
      guard bucket.objects[key] === object else { throw ErrorResponse.operationAborted }
    }
  }

  func readTags() throws -> Answer {
    let tags = try store.object(key, in: bucket).attributes.tags.map { tag in
      XMLNode("Tag", children: [XMLNode("Key", tag.name), XMLNode("Value", tag.value)])
    }
    return service.response(with: XMLNode("Tagging", children: [XMLNode("TagSet", children: tags)]))
  }

  func changeTags() async throws -> Answer {
    guard let set = try await document(named: "Tagging")["TagSet"] else {
      throw ErrorResponse.malformedXML("The document has no TagSet.")
    }
    let tags = try set.all("Tag").map { tag in
      guard let name = tag["Key"]?.text, let value = tag["Value"]?.text else {
        throw ErrorResponse.malformedXML("A Tag needs a Key and a Value.")
      }
      return ObjectDescription.Header(name: name, value: value)
    }
    try Self.check(tags)
    try await describeAnew { $0.with(tags: tags) }
    return Answer()
  }

  func deleteTags() async throws -> Answer {
    try await describeAnew { $0.with(tags: []) }
    return Answer(.noContent)
  }

  /// Returns a response with the object attributes that a request header lists, in the element order of the service's
  /// documents.
  func objectAttributes() throws -> Answer {
    let object = try store.object(key, in: bucket)
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    let header = service.header("object-attributes")
    let names = (headers.joined(header) ?? "").parts(between: ",").map { String($0.droppingBlanks) }
    guard names != [""] else {
      throw ErrorResponse.invalidRequest(
        "The \(header) header specifying the attributes to be retrieved is either missing or empty")
    }
    let content = object.content
    let parts = content.entityTag.parts(between: "-").dropFirst().map { XMLNode("PartsCount", String($0)) }
    let attributes: KeyValuePairs = [
      "ETag": XMLNode("ETag", content.entityTag),
      "Checksum": XMLNode("Checksum", children: content.checksum?.elements ?? []),
      "ObjectParts": XMLNode("ObjectParts", children: parts),
      "StorageClass": XMLNode("StorageClass", object.attributes.storageClass ?? service.standardClass),
      "ObjectSize": XMLNode("ObjectSize", String(content.byteCount)),
    ]
    guard names.allSatisfy({ name in attributes.contains { $0.key == name } }) else {
      throw ErrorResponse.invalidArgument("Invalid attribute name specified.")
    }
    let told = attributes.filter { names.contains($0.key) && !($0.value.text.isEmpty && $0.value.children.isEmpty) }
    var response = service.response(with: XMLNode("GetObjectAttributesResponse", children: told.map(\.value)))
    response.headers[.lastModified] = object.modified.httpDate
    return response
  }
}

extension Call {
  /// Returns the source object of a copy.
  ///
  /// - Throws: An error response if the object does not exist or cannot be read, if the source conditions of the
  ///   request are not met, or if the copy would change no property of the object.
  private func copySource() throws -> StoredObject {
    let source = try NamedSource(own("copy-source") ?? "", of: service)
    if operation == .copyObject, let refusal = service.errors.unchangingCopy, source.bucket.isIdentical(to: bucket),
      source.key == key, own("metadata-directive")?.asciiLowercased != "replace", own("storage-class") == nil,
      try encryption().isEmpty, try customerKey() == nil
    {
      throw refusal
    }
    let object = try store.object(source.key, in: source.bucket)
    try checkReadable(object, prefix: "copy-source-")
    guard try Conditions(headers, prefix: service.header("copy-source-")).isNews(object) else {
      throw service.errors.unchangedCopySource
    }
    return object
  }

  /// Copies an object without copying bytes: the copy refers to the same immutable files.
  func copyObject() async throws -> Answer {
    let access = try access(named: own(service.headers.objectAccess), isObject: true)
    var attributes = try attributes()
    let replacesDescription = try replaces("metadata-directive")
    let replacesTags = try replaces("tagging-directive")
    try store.read(bucket) { try checkOverwrite($0.objects[key]) }
    let source = try copySource()
    if !replacesTags { attributes.tags = source.attributes.tags }
    var content = try await store.blobs.compact(source.content)
    if let checksum = try await checksum(ofCopy: content) { content.checksum = checksum }
    let copy = StoredObject(
      id: .random(), key: key, content: content,
      description: replacesDescription ? description : source.description, modified: date,
      isMultipart: source.isMultipart, access: access, attributes: attributes)
    try await store.put(copy, in: bucket) { try checkOverwrite($0.objects[key]) }
    return copied("CopyObjectResult", copy.content, attributes)
  }

  /// Computes the checksum that the request asks for, or returns `nil` if the request asks for no checksum.
  ///
  /// - Parameter content: The content of the copied object.
  private func checksum(ofCopy content: Content) async throws -> StoredChecksum? {
    var checks = try service.behavior.bodyChecks(of: headers, for: operation, nil)
    guard !checks.isEmpty else { return nil }
    try await store.blobs.read(content.extents) { chunk in
      for index in checks.indices { checks[index].update(chunk.readableBytesUInt8Span) }
    }
    var checksum: StoredChecksum?
    for check in checks { checksum = try check.finish() ?? checksum }
    return checksum
  }

  /// Returns whether a directive header tells the server to replace the source object's values with the request's
  /// values.
  private func replaces(_ directive: String) throws(ErrorResponse) -> Bool {
    switch own(directive)?.asciiLowercased {
    case nil, "copy": return false
    case "replace", "replaced": return true
    default: throw .invalidArgument("The header \(service.header(directive)) is neither Copy nor Replace.")
    }
  }

  /// Adds a part to a multipart upload; the part's content is a byte range of an existing object.
  ///
  /// A range in one file is shared. A range that consists of several pieces is written to one file, so that the number of
  /// pieces of an object never exceeds the number of its parts.
  func copyPart() async throws -> Answer {
    let (upload, number) = try uploadAndPart()
    let source = try copySource()
    var extents = source.content.extents
    if let header = own("copy-source-range") {
      guard let range = RequestedRange(header), range.lies(within: source.content.byteCount),
        let bytes = range.bytes(of: source.content.byteCount)
      else { throw ErrorResponse.invalidRange(header, byteCount: source.content.byteCount) }
      extents = source.content.extents(in: bytes)
    }
    var checks = try service.behavior.bodyChecks(of: headers, for: operation, upload.checksum)
    if extents.count > 1 {
      let written = try await store.blobs.joined(extents, checks: checks)
      try add(UploadedPart(content: written.content, modified: date), number: number, to: upload.name)
      return copied("CopyPartResult", written.content, upload.attributes)
    }
    var md5 = MD5()
    var crc64 = CRC(.crc64ECMA)
    try await store.blobs.read(extents) { chunk in
      md5.update(chunk.readableBytesUInt8Span)
      crc64.update(chunk.readableBytesUInt8Span)
      for index in checks.indices { checks[index].update(chunk.readableBytesUInt8Span) }
    }
    var checksum: StoredChecksum?
    for check in checks { checksum = try check.finish() ?? checksum }
    let content = Content(
      extents: extents, byteCount: extents.reduce(0) { $0 + $1.byteCount }, entityTag: md5.finalize().hex,
      crc64: crc64.checksum, checksum: checksum)
    try add(UploadedPart(content: content, modified: date), number: number, to: upload.name)
    return copied("CopyPartResult", content, upload.attributes)
  }

  private func copied(_ name: String, _ content: Content, _ attributes: ObjectAttributes) -> Answer {
    var response = service.response(
      with: XMLNode(
        name,
        children: [
          XMLNode("ETag", service.entityTag(content.entityTag)), XMLNode("LastModified", date.iso8601Milliseconds),
        ] + (content.checksum?.elements ?? [])))
    response.headers.append(contentsOf: checksums(of: content))
    describe(attributes, in: &response.headers)
    return response
  }
}

/// The response that the client of a form upload receives once the file is stored.
enum FormAnswer: Sendable {
  case status(HTTPResponse.Status)
  case redirect(String)

  /// Creates the response that is requested by the fields of a form.
  ///
  /// Without a redirect or a supported status code, the response is 204 (No Content).
  ///
  /// - Throws: An `InvalidArgument` error if the redirect is not an absolute HTTP(S) URL without a fragment.
  init(_ form: SubmittedForm) throws(ErrorResponse) {
    if let url = form["success_action_redirect"], !url.isEmpty {
      guard url.hasBytePrefix("https://") || url.hasBytePrefix("http://"),
        url.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f && $0 != UInt8(ascii: "#") })
      else { throw .invalidArgument("The success_action_redirect is not an HTTP URL without a fragment.") }
      self = .redirect(url)
      return
    }
    switch form["success_action_status"] {
    case "200": self = .status(.ok)
    case "201": self = .status(.created)
    default: self = .status(.noContent)
    }
  }

  /// Returns the HTTP response for an object that a form upload stored.
  func response(bucket: String, key: String, entityTag: String, location: String, headers: HTTPFields) -> Answer {
    var headers = headers
    headers[.location] = location
    switch self {
    case .redirect(let url):
      headers[.location] = String(writing: { writer in
        writer.append(url)
        writer.append(UInt8(ascii: url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"))
        writer.append("bucket=")
        writer.append(percentEncoding: bucket)
        writer.append("&key=")
        writer.append(percentEncoding: key)
        writer.append("&etag=")
        writer.append(percentEncoding: entityTag)
      })
      return Answer(.seeOther, headers: headers)
    case .status(.created):
      let document = XMLNode(
        "PostResponse",
        children: [
          XMLNode("Location", location), XMLNode("Bucket", bucket), XMLNode("Key", key), XMLNode("ETag", entityTag),
        ])
      var response = Answer(document, headers: headers)
      response.status = .created
      return response
    case .status(let status):
      return Answer(status, headers: headers)
    }
  }
}
