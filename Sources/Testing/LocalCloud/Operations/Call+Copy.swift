// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension Call {
  /// Returns the source object of a copy.
  ///
  /// - Throws: An error response if the object does not exist or cannot be read, if the source conditions of the
  ///   request are not met, or if the copy would change no property of the object.
  private func copySource() throws -> StoredObject {
    let source = try dialect.copySource(own("copy-source") ?? "")
    if operation == .copyObject, let refusal = dialect.unchangingCopy, source.bucket.isIdentical(to: bucket),
      source.key == key, own("metadata-directive")?.asciiLowercased != "replace", own("storage-class") == nil,
      try encryption().isEmpty, try customerKey() == nil
    {
      throw refusal
    }
    let object = try store.object(source.key, in: source.bucket)
    try checkReadable(object, place: "copy-source-")
    guard try Conditions(headers, prefix: dialect.header("copy-source-")).isNews(object) else {
      throw dialect.unchangedCopySource
    }
    return object
  }

  /// Copies an object without copying bytes: the copy refers to the same immutable files.
  func copyObject() async throws -> Answer {
    let access = try access(named: own(dialect.objectAccessHeader), isObject: true)
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
    var checks = try dialect.bodyChecks(of: headers, for: operation, nil)
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
  private func replaces(_ directive: String) throws(RefusalAnswer) -> Bool {
    switch own(directive)?.asciiLowercased {
    case nil, "copy": return false
    case "replace", "replaced": return true
    default: throw .invalidArgument("The header \(dialect.header(directive)) is neither Copy nor Replace.")
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
      else { throw RefusalAnswer.invalidRange(header, byteCount: source.content.byteCount) }
      extents = source.content.extents(in: bytes)
    }
    var checks = try dialect.bodyChecks(of: headers, for: operation, upload.checksum)
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
    var answer = respond(
      with: XMLNode(
        name,
        children: [
          XMLNode("ETag", dialect.entityTag(content.entityTag)), XMLNode("LastModified", date.iso8601Milliseconds),
        ] + dialect.elements(of: content)))
    answer.headers.append(contentsOf: checksums(of: content))
    describe(attributes, in: &answer.headers)
    return answer
  }
}
