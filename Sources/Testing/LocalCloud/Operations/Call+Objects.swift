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
  static let replacements = contentHeaders.map {
    (name: $0, parameter: ByteExactString("response-\($0.asciiLowercased)"))
  }

  var requestedDescription: ObjectDescription {
    var description = ObjectDescription()
    for field in headers {
      let name = field.name.canonicalName
      if let header = Self.contentHeaders.first(where: { $0.asciiLowercased == name }) {
        let value = header == "Content-Encoding" ? service.storedEncoding(field.value) : field.value
        guard let value else { continue }
        description.headers.append(ObjectDescription.Header(name: header, value: value))
      } else if let rest = name.removingBytePrefix(service.metadataPrefix) {
        description.metadata.append(ObjectDescription.Header(name: String(rest), value: field.value))
      }
    }
    return description
  }

  /// Throws if the request forbids replacing the existing object, or a condition of the request does not hold for it.
  ///
  /// As in the services, a bucket that has or had versions ignores `forbid-overwrite`.
  func checkOverwrite(in bucket: Bucket) throws(ErrorResponse) {
    let existing = bucket.objects[key]
    try Conditions(headers).checkWrite(over: existing, key)
    if existing != nil, bucket.settings.versioning == nil, serviceHeader("forbid-overwrite")?.asciiLowercased == "true"
    {
      throw ErrorResponse(
        .conflict, "FileAlreadyExists", "The object already exists, and the request forbids overwriting it.")
    }
  }

  func putObject() async throws -> Answer {
    let access = try requestedAccess()
    let attributes = try requestedAttributes()
    try store.read(bucket) { try checkOverwrite(in: $0) }
    let content = try await store.blobs.write(body, try bodyExpectation())
    try checkRights()
    let object = try await storeObject(content, access, attributes)
    var response = Answer(headers: checksums(of: content))
    addHeaders(of: object, to: &response.headers)
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

  func getObject() throws -> Answer {
    let object = try readableObject()
    try checkReadable(object)
    var response = Answer(headers: try objectHeaders(object), body: .whole(object.content))
    guard try Conditions(headers).isModified(object) else { return notModified(response.headers) }
    if let range = try requestedPart(of: object.content) ?? requestedRange(of: object.content.byteCount) {
      reduce(&response, to: range, of: object.content)
    } else {
      compress(&response)
    }
    return response
  }

  /// The sizes of objects that are compressed; the maximum is this server's, which compresses in memory.
  private static let compressedSizes: ClosedRange<Int64> = 1_024...(32 << 20)

  /// Compresses a whole object for a reader that accepts gzip, if the service does so for the object's media type.
  private func compress(_ response: inout Answer) {
    guard let acceptedEncodings = headers[.acceptEncoding] else { return }
    let type = (response.headers[.contentType] ?? "").bytes(before: ";").trimmingBlanks.asciiLowercased
    let accepted = acceptedEncodings.words(between: ",").map { $0.bytes(before: ";").trimmingBlanks }
    guard service.objects.compressedTypes.contains(type), Self.compressedSizes.contains(response.body.byteCount),
      accepted.contains(where: { $0.asciiLowercased == "gzip" }), response.headers[.contentEncoding] == nil
    else { return }
    response.isCompressed = true
    response.headers[.contentEncoding] = "gzip"
    for name in [.eTag, .contentMD5, .acceptRanges] as [HTTPField.Name] { response.headers[name] = nil }
  }

  func headObject() throws -> Answer {
    let object = try readableObject()
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    var response = Answer(headers: try objectHeaders(object), body: .whole(object.content))
    guard try Conditions(headers).isModified(object) else { return notModified(response.headers) }
    if let range = try requestedPart(of: object.content) { reduce(&response, to: range, of: object.content) }
    return response
  }

  /// Changes a response with a whole object to one with a byte range of the object, or with one of its parts.
  private func reduce(_ response: inout Answer, to range: Range<Int64>, of content: Content) {
    response.status = .partialContent
    response.body = .range(range, of: content)
    for name in service.headers.wholeObjectHeaders { response.headers[name] = nil }
    response.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.byteCount)"
    guard let number = try? partNumber(), let parts = content.partSizes else { return }
    response.headers.set(service.header("mp-parts-count"), String(parts.count))
    guard let checksums = content.partChecksums, checksums.indices.contains(number - 1) else { return }
    var part = content
    part.checksum = checksums[number - 1]
    part.checksum?.isComposite = content.checksum?.isComposite == true
    for field in service.readChecksums(of: part, for: headers, target) { response.headers[field.name] = field.value }
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

  private func notModified(_ headers: HTTPFields) -> Answer {
    var response = Answer(.notModified, headers: headers)
    for name in service.headers.wholeObjectHeaders { response.headers[name] = nil }
    return response
  }

  func objectMeta() throws -> Answer {
    let object = try requestedObject()
    var response = Answer(headers: checksums(of: object.content), body: .whole(object.content))
    addHeaders(of: object, to: &response.headers)
    response.headers[.contentMD5] = nil
    response.headers[.lastModified] = object.modified.httpDate
    return response
  }

  private func requestedRange(of byteCount: Int64) throws(ErrorResponse) -> Range<Int64>? {
    guard let header = headers[.range], let range = RequestedRange(header),
      !service.ignores(range, of: byteCount, isStandard: serviceHeader("range-behavior") == "standard")
    else { return nil }
    guard let bytes = range.bytes(of: byteCount) else { throw .invalidRange(header, byteCount: byteCount) }
    return bytes
  }

  func checksums(of content: Content) -> HTTPFields {
    var headers = service.checksums(of: content)
    headers[.eTag] = service.entityTag(content.entityTag)
    return headers
  }

  private func objectHeaders(_ object: StoredObject) throws(ErrorResponse) -> HTTPFields {
    var response = service.readChecksums(of: object.content, for: headers, target)
    response[.eTag] = service.entityTag(object.content.entityTag)
    response[.contentType] = service.objects.contentType
    for header in object.description.headers { response.set(header.name, header.value) }
    for header in object.description.metadata { response.set(service.metadataPrefix + header.name, header.value) }
    response[.lastModified] = object.modified.httpDate
    response[.acceptRanges] = "bytes"
    for field in service.headers(of: object) { response[field.name] = field.value }
    if !object.attributes.tags.isEmpty {
      response.set(service.header("tagging-count"), String(object.attributes.tags.count))
    }
    addHeaders(of: object, to: &response)
    if object.kind == .appendable { response[.contentMD5] = nil }
    for (name, parameter) in Self.replacements {
      guard let value = self.parameter(parameter) else { continue }
      if rights.isAnonymous { throw .invalidRequest("Only a signed request can override response headers.") }
      guard HTTPField.isValidValue(value) else { throw .invalidArgument("\(parameter) is not a valid header value.") }
      response.set(name, value)
    }
    return response
  }

  /// Checks that the request has the encryption key of an object, and that the object need not be restored first.
  func checkReadable(_ object: StoredObject, prefix: String = "") throws(ErrorResponse) {
    try CustomerKey.check(try customerKey(prefix), against: object.attributes.customerKey)
    let isArchived = service.objects.storageClasses.contains {
      $0.storedName == object.attributes.storageClass && $0.isArchive
    }
    if isArchived {
      throw ErrorResponse(
        .forbidden, "InvalidObjectState",
        "The object must be restored before it can be read, which this server does not support.")
    }
  }

  /// The requested bandwidth limit in bits per second, or `nil` for no limit.
  var trafficLimit: String? { serviceHeaderOrParameter("traffic-limit") }

  /// Returns the value of a header without the service's prefix, or else of the query parameter with the header's name.
  private func serviceHeaderOrParameter(_ suffix: String) -> String? {
    serviceHeader(suffix) ?? service.headerName(suffix).flatMap { parameter(ByteExactString($0.canonicalName)) }
  }

  func checkLimitPayerAndOwners() throws(ErrorResponse) {
    let limits = service.objects.trafficLimits
    if let limit = trafficLimit, Int64(digits: limit).map(limits.contains) != true {
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
}
