// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  private static let nextPositionHeader = "next-append-position"

  func appendObject() async throws -> Answer {
    guard let position = parameter("position").flatMap({ Int64(digits: $0) }) else {
      throw ErrorResponse.invalidArgument("The position must be the length of the object in bytes.")
    }
    let access = try requestedAccess()
    let existing = try store.read(bucket) { bucket in
      try checkOverwrite(in: bucket)
      return bucket.objects[key]
    }
    let attributes = try existing?.attributes ?? requestedAttributes()
    try Self.checkAppending(to: existing, at: position)
    var content = try await store.blobs.write(body, try bodyExpectation())
    try checkRights()
    if let existing { content = try await store.blobs.compact(Self.joined(existing.content, content)) }
    let object = StoredObject(
      id: .random(), key: key, content: content, description: existing?.description ?? requestedDescription,
      modified: date, kind: .appendable, access: existing?.access ?? access, attributes: attributes)
    let stored = try await store.put(object, in: bucket, inPlaceOf: existing) { bucket in
      guard bucket.objects[key] === existing else {
        try Self.checkAppending(to: bucket.objects[key], at: position)
        throw ErrorResponse.operationAborted
      }
    }
    var response = Answer(headers: checksumHeaders(of: content))
    response.headers[.contentMD5] = nil
    response.headers.set(service.header(Self.nextPositionHeader), String(content.byteCount))
    addEncryptionAndVersion(of: stored, to: &response.headers)
    return response
  }

  private static func joined(_ existing: Content, _ appended: Content) -> Content {
    Content(
      extents: existing.extents + appended.extents,
      entityTag: MD5.hash(Array((existing.entityTag + appended.entityTag).utf8)).hex,
      crc64: CRC.combine(existing.crc64, appended.crc64, byteCount: UInt64(appended.byteCount), .crc64ECMA))
  }

  /// Throws unless a position is the end of an object that can be appended to, or 0 if there is no object.
  private static func checkAppending(to existing: StoredObject?, at position: Int64) throws(ErrorResponse) {
    if let existing, existing.kind != .appendable {
      throw ErrorResponse(.conflict, "ObjectNotAppendable", "The object is not appendable.")
    }
    let byteCount = existing?.content.byteCount ?? 0
    guard position == byteCount else {
      var refusal = ErrorResponse(.conflict, "PositionNotEqualToLength", "Position is not equal to file length.")
      refusal.headers = [ErrorResponse.Detail(name: nextPositionHeader, value: String(byteCount))]
      throw refusal
    }
  }

  // MARK: Symbolic links

  private static let linkTargetHeader = "symlink-target"

  func putSymlink() async throws -> Answer {
    guard let target = serviceHeader(Self.linkTargetHeader)?.percentDecodedBytes(),
      let name = String(utf8: target), !name.isEmpty
    else {
      throw ErrorResponse.invalidArgument(
        "The header \(service.header(Self.linkTargetHeader)) must be the percent-encoded key of an object.",
        ec: "0043-00000001")
    }
    let access = try requestedAccess()
    var attributes = try requestedAttributes()
    attributes.linkTarget = name
    let content = Content(extents: [], entityTag: MD5.hash(target).hex, crc64: 0)
    let link = try await storeObject(content, access, attributes)
    var response = Answer(headers: [.eTag: service.entityTag(content.entityTag)])
    addEncryptionAndVersion(of: link, to: &response.headers)
    return response
  }

  func getSymlink() throws -> Answer {
    let link = try requestedObject()
    guard let target = link.attributes.linkTarget else {
      throw ErrorResponse(.badRequest, "NotSymlink", "The object is not symlink type.", ec: "0043-00000101")
    }
    var response = Answer(headers: [.eTag: service.entityTag(link.content.entityTag)])
    response.headers[.lastModified] = link.modified.httpDate
    response.headers.set(service.header(Self.linkTargetHeader), target.percentEncoded())
    addEncryptionAndVersion(of: link, to: &response.headers)
    return response
  }

  /// Returns the object of the request; a symbolic link has the content of the object to which it points.
  func readableObject() throws -> StoredObject {
    let object = try requestedObject()
    guard let target = object.attributes.linkTarget else { return object }
    guard let linked = try store.read(bucket, { $0.objects[ObjectKey(target)] }) else {
      throw ErrorResponse(
        .notFound, "SymlinkTargetNotExist", "The symlink target object does not exist.", ec: "0026-00000012")
    }
    guard rights.allowReading(target, version: nil, in: bucket) else { throw service.policyRefusal(at: date) }
    guard linked.attributes.linkTarget == nil else {
      throw ErrorResponse(.badRequest, "InvalidTargetType", "The symbolic's target object type is invalid.")
    }
    return object.linked(to: linked)
  }
}
