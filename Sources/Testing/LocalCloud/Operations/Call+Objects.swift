// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  /// The names of the headers that describe an object's content.
  ///
  /// A query parameter with the prefix `response-` overrides the corresponding header in a response. Responses use
  /// exactly this spelling, because one of the vendors' SDKs doesn't recognize any other spelling.
  private static let contentHeaders = [
    "Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Expires",
  ]

  /// The names of the headers that describe an object's content, each with the query parameter that overrides the
  /// header.
  private static let replacements = contentHeaders.map {
    (name: $0, parameter: ByteExactString("response-\($0.asciiLowercased)"))
  }

  /// The content headers and metadata of the new object, as the request's headers specify them.
  var description: ObjectDescription {
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

  /// Checks that a write is allowed to replace an existing object.
  ///
  /// - Parameter existing: The object that the write replaces, or `nil` if the key has no object.
  /// - Throws: `FileAlreadyExists` if the request forbids overwriting, or the error of a condition that the existing
  ///   object does not meet.
  func checkOverwrite(_ existing: StoredObject?) throws(ErrorResponse) {
    try WriteConditions(headers).check(existing, key)
    if existing != nil, own("forbid-overwrite")?.asciiLowercased == "true" { throw .fileAlreadyExists }
  }

  func putObject() async throws -> Answer {
    let access = try access(named: own(service.headers.objectAccess), isObject: true)
    let attributes = try attributes()
    try store.read(bucket) { try checkOverwrite($0.objects[key]) }
    let written = try await store.blobs.write(body, try expectation())
    let object = StoredObject(
      id: .random(), key: key, content: written.content, description: description, modified: date,
      isMultipart: false, access: access, attributes: attributes)
    try await store.put(object, in: bucket) { try checkOverwrite($0.objects[key]) }
    var response = Answer(headers: checksums(of: written.content))
    describe(attributes, in: &response.headers)
    return try await calledBack(object, response)
  }

  func getObject() throws -> Answer {
    let object = try store.object(key, in: bucket)
    try checkReadable(object)
    var response = Answer(headers: try objectHeaders(object))
    guard try Conditions(headers).isNews(object) else { return notModified(response.headers) }
    let byteCount = object.content.byteCount
    guard let range = try requestedRange(of: byteCount) else {
      response.body = .extents(object.content.extents, byteCount: byteCount)
      return response
    }
    response.status = .partialContent
    for name in service.headers.ofWholeObjects { response.headers[name] = nil }
    response.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
    response.body = .extents(object.content.extents(in: range), byteCount: range.upperBound - range.lowerBound)
    return response
  }

  func headObject() throws -> Answer {
    let object = try store.object(key, in: bucket)
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    let headers = try objectHeaders(object)
    guard try Conditions(self.headers).isNews(object) else { return notModified(headers) }
    return Answer(headers: headers, body: .head(byteCount: object.content.byteCount))
  }

  private func notModified(_ headers: HTTPFields) -> Answer {
    var response = Answer(.notModified, headers: headers)
    for name in service.headers.ofWholeObjects { response.headers[name] = nil }
    return response
  }

  /// Returns a response with the reduced set of headers that the operation `GetObjectMeta` reports.
  func objectMeta() throws -> Answer {
    let object = try store.object(key, in: bucket)
    var response = Answer(headers: checksums(of: object.content), body: .head(byteCount: object.content.byteCount))
    response.headers[.contentMD5] = nil
    response.headers[.lastModified] = object.modified.httpDate
    return response
  }

  func deleteObject() async throws -> Answer {
    let conditions = try WriteConditions(headers)
    try await store.delete(key, in: bucket) { try conditions.check($0, key) }
    return Answer(.noContent)
  }

  /// Returns the byte range that the request asks for, or `nil` for the whole object.
  private func requestedRange(of byteCount: Int64) throws(ErrorResponse) -> Range<Int64>? {
    guard let header = headers[.range], let range = RequestedRange(header),
      !service.ignores(range, of: byteCount, isStandard: own("range-behavior") == "standard")
    else { return nil }
    guard let bytes = range.bytes(of: byteCount) else { throw .invalidRange(header, byteCount: byteCount) }
    return bytes
  }

  /// Returns the response headers for an object's entity tag and checksums.
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
    describe(object.attributes, in: &response)
    for (name, parameter) in Self.replacements {
      guard let value = self.parameter(parameter) else { continue }
      if isAnonymous {
        throw ErrorResponse(.badRequest, "InvalidRequest", "Only a signed request can override response headers.")
      }
      guard HTTPField.isValidValue(value) else { throw .invalidArgument("\(parameter) is not a valid header value.") }
      response.set(name, value)
    }
    return response
  }
}
