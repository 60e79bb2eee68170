internal import HTTPTypes
internal import NIOCore
internal import StorageCrypto
internal import StorageXML

extension Call {
  /// The object that is to be copied, if the conditions of the request hold for it.
  private func copySource() throws -> StoredObject {
    let source = try CopySource(own("copy-source") ?? "", of: dialect.provider)
    let object = try store.object(source.key, in: source.bucket)
    guard try Conditions(headers, prefix: dialect.header("copy-source-")).isNews(object) else {
      throw ServiceError(.notModified, "NotModified", "The source is what the conditions leave out.")
    }
    return object
  }

  /// Copies an object; the new one refers to the same files, which never change.
  func copyObject() async throws -> Answer {
    let access = try access(named: own(dialect.objectAccessHeader), isObject: true)
    let source = try copySource()
    let replacesDescription = own("metadata-directive")?.uppercased().hasPrefix("REPLACE") == true
    let copy = StoredObject(
      id: .random(), key: key, content: source.content,
      description: replacesDescription ? description : source.description, modified: date,
      isMultipart: source.isMultipart, access: access)
    try await store.put(copy, in: bucket) { try checkOverwrite($0.objects[key]) }
    return copied("CopyObjectResult", copy.content)
  }

  /// Makes a part of an upload of a run of bytes of an object.
  func copyPart() async throws -> Answer {
    let (id, number) = try uploadAndPart()
    let source = try copySource()
    var extents = source.content.extents
    if let header = own("copy-source-range") {
      guard let range = ByteRange(header), range.lies(within: source.content.byteCount),
        let bytes = range.bytes(of: source.content.byteCount)
      else { throw ServiceError.invalidRange(header, byteCount: source.content.byteCount) }
      extents = source.content.extents(in: bytes)
    }
    var md5 = MD5()
    var crc64 = CRC64()
    try await store.blobs.read(extents) { chunk in
      md5.update(chunk.readableBytesUInt8Span)
      crc64.update(chunk.readableBytesUInt8Span)
    }
    let content = Content(
      extents: extents, byteCount: extents.reduce(0) { $0 + $1.byteCount }, entityTag: md5.finalize().hex,
      crc64: crc64.checksum)
    try add(UploadedPart(content: content, modified: date), number: number, to: id)
    return copied("CopyPartResult", content)
  }

  private func copied(_ name: String, _ content: Content) -> Answer {
    var answer = Answer(
      XMLNode(
        name,
        children: [
          XMLNode("ETag", dialect.entityTag(content.entityTag)), XMLNode("LastModified", date.iso8601Milliseconds),
        ]))
    answer.headers.append(contentsOf: checksums(of: content))
    return answer
  }
}
