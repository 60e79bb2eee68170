// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  /// The headers that describe an object's content, in the only spelling that all SDKs of the vendors recognize.
  private static let contentHeaders = [
    "Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Expires",
  ]

  /// The content headers, each with the query parameter that overrides it in a response.
  static let overrides = contentHeaders.map { name in
    (header: name, parameter: ByteExactString("response-\(name.asciiLowercased)"))
  }

  func putObject() async throws -> Answer {
    let access = try requestedAccess()
    let attributes = try requestedAttributes()
    try store.read(bucket) { try checkOverwrite(in: $0) }
    let content = try await store.blobs.write(body, try bodyExpectation())
    try checkRights()
    let object = try await storeObject(content, access, attributes)
    var response = Answer(headers: checksumHeaders(of: content))
    addEncryptionAndVersion(of: object, to: &response.headers)
    return try await sendCallback(for: object, response)
  }

  /// Stores a content as the object of the request, unless an object must not be replaced.
  func storeObject(
    _ content: Content, _ access: AccessControl?, _ attributes: ObjectAttributes
  ) async throws -> StoredObject {
    let object = StoredObject(
      id: .random(), key: key, content: content, description: requestedDescription, modified: date, access: access,
      attributes: attributes)
    return try await store.put(object, in: bucket) { try checkOverwrite(in: $0) }
  }

  /// Throws if the request forbids replacing the existing object, or a condition of the request does not hold for it.
  ///
  /// As in the services, a bucket that has or had versions ignores `forbid-overwrite`.
  func checkOverwrite(in bucket: Bucket) throws(ErrorResponse) {
    let existing = bucket.objects[key]
    try Conditions(headers).checkWrite(over: existing, key)
    let forbidsOverwrite = serviceHeader("forbid-overwrite")?.asciiLowercased == "true"
    if forbidsOverwrite, existing != nil, bucket.settings.versioning == nil {
      throw ErrorResponse(.conflict, "FileAlreadyExists", "The object exists, and the request forbids overwriting it.")
    }
  }

  /// The content headers and the metadata of the request, for a new object.
  var requestedDescription: ObjectDescription {
    var description = ObjectDescription()
    for field in headers {
      let name = field.name.canonicalName
      if let header = Self.contentHeaders.first(where: { $0.asciiLowercased == name }) {
        let value = header == "Content-Encoding" ? service.storedEncoding(field.value) : field.value
        if let value { description.headers.append(ObjectDescription.Header(name: header, value: value)) }
      } else if let metadataName = name.removingBytePrefix(service.metadataPrefix) {
        description.metadata.append(ObjectDescription.Header(name: String(metadataName), value: field.value))
      }
    }
    return description
  }

  func getObject() throws -> Answer {
    let object = try readableObject()
    try checkReadable(object)
    var response = Answer(headers: try responseHeaders(for: object), body: .whole(object.content))
    guard try Conditions(headers).isModified(object) else { return notModified(response.headers) }
    if let range = try requestedPart(of: object.content) ?? requestedRange(of: object.content.byteCount) {
      reduce(&response, to: range, of: object.content)
    } else if canCompress(response) {
      response.isCompressed = true
      response.headers[.contentEncoding] = "gzip"
      // These headers describe the uncompressed bytes.
      for name in [.eTag, .contentMD5, .acceptRanges] as [HTTPField.Name] { response.headers[name] = nil }
    }
    return response
  }

  func headObject() throws -> Answer {
    let object = try readableObject()
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    var response = Answer(headers: try responseHeaders(for: object), body: .whole(object.content))
    guard try Conditions(headers).isModified(object) else { return notModified(response.headers) }
    if let range = try requestedPart(of: object.content) { reduce(&response, to: range, of: object.content) }
    return response
  }

  func objectMeta() throws -> Answer {
    let object = try requestedObject()
    var response = Answer(headers: checksumHeaders(of: object.content), body: .whole(object.content))
    addEncryptionAndVersion(of: object, to: &response.headers)
    response.headers[.contentMD5] = nil
    response.headers[.lastModified] = object.modified.httpDate
    return response
  }

  /// Throws unless the request has the encryption key of an object, and the object need not be restored first.
  func checkReadable(_ object: StoredObject, prefix: String = "") throws(ErrorResponse) {
    try CustomerKey.check(try customerKey(prefix: prefix), against: object.attributes.customerKey)
    let isArchived = service.objects.storageClasses.contains {
      $0.storedName == object.attributes.storageClass && $0.isArchive
    }
    if isArchived {
      throw ErrorResponse(
        .forbidden, "InvalidObjectState",
        "The object must be restored before it can be read, which this server does not support.")
    }
  }

  private func notModified(_ headers: HTTPFields) -> Answer {
    var response = Answer(.notModified, headers: headers)
    for name in service.headers.wholeObjectHeaders { response.headers[name] = nil }
    return response
  }

  /// The sizes of objects that are compressed; the maximum is this server's, which compresses in memory.
  private static let compressedSizes: ClosedRange<Int64> = 1_024...(32 << 20)

  /// Returns whether the reader accepts gzip, and the service compresses whole objects of this size and media type.
  private func canCompress(_ response: Answer) -> Bool {
    guard let acceptedEncodings = headers[.acceptEncoding] else { return false }
    let encodings = acceptedEncodings.words(between: ",").map { $0.bytes(before: ";").trimmingBlanks.asciiLowercased }
    let type = (response.headers[.contentType] ?? "").bytes(before: ";").trimmingBlanks.asciiLowercased
    return encodings.contains("gzip") && response.headers[.contentEncoding] == nil
      && service.objects.compressedTypes.contains(type) && Self.compressedSizes.contains(response.body.byteCount)
  }

  func checksumHeaders(of content: Content) -> HTTPFields {
    var headers = service.checksums(of: content)
    headers[.eTag] = service.entityTag(content.entityTag)
    return headers
  }

  /// Returns the headers of a response with an object, which the request's parameters can override.
  private func responseHeaders(for object: StoredObject) throws(ErrorResponse) -> HTTPFields {
    var response = service.readChecksums(of: object.content, for: headers, target)
    response[.eTag] = service.entityTag(object.content.entityTag)
    response[.contentType] = service.objects.contentType
    for header in object.description.headers { response.set(header.name, header.value) }
    for header in object.description.metadata { response.set(service.metadataPrefix + header.name, header.value) }
    response[.lastModified] = object.modified.httpDate
    response[.acceptRanges] = "bytes"
    for field in service.headers(of: object) { response[field.name] = field.value }
    let tagCount = object.attributes.tags.count
    if tagCount > 0 { response.set(service.header("tagging-count"), String(tagCount)) }
    addEncryptionAndVersion(of: object, to: &response)
    if object.kind == .appendable { response[.contentMD5] = nil }
    for (header, parameter) in Self.overrides {
      guard let value = self.parameter(parameter) else { continue }
      if rights.isAnonymous { throw .invalidRequest("Only a signed request can override response headers.") }
      guard HTTPField.isValidValue(value) else { throw .invalidArgument("\(parameter) is not a valid header value.") }
      response.set(header, value)
    }
    return response
  }

  /// Changes a response with a whole object to one with a byte range of the object, or with one of its parts.
  private func reduce(_ response: inout Answer, to range: Range<Int64>, of content: Content) {
    response.status = .partialContent
    response.body = .range(range, of: content)
    for name in service.headers.wholeObjectHeaders { response.headers[name] = nil }
    response.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.byteCount)"
    // Without a valid part number, the range is that of the `Range` header.
    guard let number = try? partNumber(), let partSizes = content.partSizes else { return }
    response.headers.set(service.header("mp-parts-count"), String(partSizes.count))
    guard let checksums = content.partChecksums, checksums.indices.contains(number - 1) else { return }
    var part = content
    part.checksum = checksums[number - 1]
    part.checksum?.isComposite = content.checksum?.isComposite == true
    for field in service.readChecksums(of: part, for: headers, target) { response.headers[field.name] = field.value }
  }

  private func requestedRange(of byteCount: Int64) throws(ErrorResponse) -> Range<Int64>? {
    guard let header = headers[.range], let range = RequestedRange(header),
      !service.ignores(range, of: byteCount, isStandard: serviceHeader("range-behavior") == "standard")
    else { return nil }
    guard let bytes = range.bytes(of: byteCount) else { throw .invalidRange(header, byteCount: byteCount) }
    return bytes
  }

  /// Returns the byte range of the part that the request names, or `nil` if it names none, or the object is empty.
  private func requestedPart(of content: Content) throws(ErrorResponse) -> Range<Int64>? {
    guard parameter("partNumber") != nil else { return nil }
    guard headers[.range] == nil else {
      throw .invalidRequest("Cannot specify both Range header and partNumber query parameter")
    }
    let number = try partNumber()
    let sizes = content.partSizes ?? [content.byteCount]
    guard number <= sizes.count else {
      throw ErrorResponse(.rangeNotSatisfiable, "InvalidPartNumber", "The requested partnumber is not satisfiable")
    }
    let start = sizes.prefix(number - 1).reduce(0, +)
    return content.byteCount == 0 ? nil : start..<(start + sizes[number - 1])
  }

  /// Returns the attributes that a request header lists, in the element order of the service's documents.
  func objectAttributes() throws -> Answer {
    let object = try requestedObject()
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    let header = service.header("object-attributes")
    let names = (headers.joined(header) ?? "").parts(between: ",").map { String($0.droppingBlanks) }
    guard names != [""] else {
      throw ErrorResponse.invalidRequest(
        "The \(header) header specifying the attributes to be retrieved is either missing or empty")
    }
    let content = object.content
    let attributes: KeyValuePairs = [
      "ETag": XMLNode("ETag", content.entityTag),
      "Checksum": XMLNode("Checksum", children: content.checksum?.elements ?? []),
      "ObjectParts": XMLNode("ObjectParts", children: try partElements(of: content)),
      "StorageClass": XMLNode("StorageClass", service.storageClass(object.attributes.storageClass)),
      "ObjectSize": XMLNode("ObjectSize", String(content.byteCount)),
    ]
    guard names.allSatisfy({ name in attributes.contains { $0.key == name } }) else {
      throw ErrorResponse.invalidArgument("Invalid attribute name specified.")
    }
    let selected = attributes.filter { names.contains($0.key) && !($0.value.text.isEmpty && $0.value.children.isEmpty) }
    var response = service.response("GetObjectAttributesResponse", selected.map(\.value))
    response.headers[.lastModified] = object.modified.httpDate
    addEncryptionAndVersion(of: object, to: &response.headers)
    return response
  }

  /// Returns the number of an object's parts and, if they have checksums, a page of their list.
  private func partElements(of content: Content) throws(ErrorResponse) -> [XMLNode] {
    guard let sizes = content.partSizes else { return [] }
    let partsCount = XMLNode("PartsCount", String(sizes.count))
    guard let checksums = content.partChecksums else { return [partsCount] }
    guard let marker = Int(digits: serviceHeader("part-number-marker") ?? "0"),
      let requestedLimit = Int(digits: serviceHeader("max-parts") ?? "1000")
    else { throw .invalidArgument("The headers for a page of the parts must be integers.") }
    let limit = min(requestedLimit, 1000)
    let parts = zip(sizes, checksums).enumerated().dropFirst(marker).prefix(limit).map { index, part in
      let (size, checksum) = part
      return XMLNode(
        "Part", texts: ["PartNumber": String(index + 1), "Size": String(size), checksum.elementName: checksum.value])
    }
    let nextMarker = marker + parts.count
    return [
      partsCount, XMLNode("PartNumberMarker", String(marker)), XMLNode("NextPartNumberMarker", String(nextMarker)),
      XMLNode("MaxParts", String(limit)), XMLNode("IsTruncated", String(nextMarker < sizes.count)),
    ] + parts
  }
}
