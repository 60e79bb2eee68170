internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension Call {
  private static let partNumbers = 1...10_000

  /// The name of the upload that the request is about.
  private var uploadName: UploadName { UploadName(key: key, id: parameter("uploadId") ?? "") }

  /// The names of the upload and of the part that the request is about; the upload is there.
  func uploadAndPart() throws -> (UploadName, Int) {
    let name = uploadName
    guard let text = parameter("partNumber"), let number = Int(text), Self.partNumbers.contains(number) else {
      throw ServiceError.invalidArgument("The partNumber has to be a number from 1 to 10000.")
    }
    _ = try upload(name)
    return (name, number)
  }

  private func upload(_ name: UploadName) throws -> MultipartUpload {
    try store.read(bucket) { bucket in
      guard let upload = bucket.uploads[name] else { throw ServiceError.noSuchUpload(name.id) }
      return upload
    }
  }

  /// Puts a part into an upload, in the place of the one that may be there.
  func add(_ part: UploadedPart, number: Int, to name: UploadName) throws {
    try store.change(bucket) { bucket in
      guard var upload = bucket.uploads[name] else { throw ServiceError.noSuchUpload(name.id) }
      upload.parts[number] = part
      bucket.uploads[name] = upload
    }
  }

  func initiateUpload() async throws -> Answer {
    let access = try access(named: own(dialect.objectAccessHeader), isObject: true)
    let encodes = try encodesNames()
    let upload = MultipartUpload(
      name: UploadName(key: key, id: BlobID.random().description.uppercased()), description: description,
      access: access, initiated: date)
    try store.change(bucket) { bucket in
      try checkOverwrite(bucket.objects[key])
      bucket.uploads[upload.name] = upload
    }
    return Answer(
      XMLNode(
        "InitiateMultipartUploadResult",
        children: encodingElement(encodes) + [
          XMLNode("Bucket", bucket), XMLNode("Key", encodes ? key.text.percentEncoded() : key.text),
          XMLNode("UploadId", upload.name.id),
        ]))
  }

  func uploadPart() async throws -> Answer {
    let (name, number) = try uploadAndPart()
    let written = try await store.blobs.write(body, try expectation())
    try add(UploadedPart(content: written.content, modified: date), number: number, to: name)
    return Answer(headers: checksums(of: written.content))
  }

  func abortUpload() throws -> Answer {
    let name = uploadName
    try store.change(bucket) { bucket in
      guard bucket.uploads[name] != nil else { throw ServiceError.noSuchUpload(name.id) }
      bucket.uploads[name] = nil
    }
    return Answer(.noContent)
  }

  func completeUpload() async throws -> Answer {
    let name = uploadName
    let encodes = try encodesNames()
    let takesAll = own("complete-all")?.lowercased() == "yes"
    let listed = takesAll ? nil : try Self.listedParts(try await document(named: "CompleteMultipartUpload"))
    let upload = try upload(name)
    let parts = try Self.parts(of: upload, listed)
    let object = StoredObject(
      id: .random(), key: key, content: Self.join(parts), description: upload.description, modified: date,
      isMultipart: true, access: upload.access)
    try await store.put(object, in: bucket) { bucket in
      guard bucket.uploads[name] != nil else { throw ServiceError.noSuchUpload(name.id) }
      try checkOverwrite(bucket.objects[key])
      bucket.uploads[name] = nil
    }
    var answer = Answer(
      XMLNode(
        "CompleteMultipartUploadResult",
        children: encodingElement(encodes) + [
          XMLNode("Location", "http://\(host)/\(bucket)/\(key.text.percentEncoded(.path))"),
          XMLNode("Bucket", bucket), XMLNode("Key", encodes ? key.text.percentEncoded() : key.text),
          XMLNode("ETag", dialect.entityTag(object.content.entityTag)),
        ]))
    answer.headers.append(contentsOf: checksums(of: object.content))
    return answer
  }

  func encodingElement(_ encodes: Bool) -> [XMLNode] {
    encodes ? [XMLNode("EncodingType", "url")] : []
  }

  // MARK: Putting together

  private struct ListedPart {
    let number: Int
    let entityTag: String
  }

  private static func listedParts(_ document: XMLNode) throws(ServiceError) -> [ListedPart] {
    var parts: [ListedPart] = []
    for element in document.all("Part") {
      guard let number = (element["PartNumber"]?.text).flatMap({ Int($0) }), let tag = element["ETag"]?.text else {
        throw .malformedXML("A Part needs a PartNumber and an ETag.")
      }
      parts.append(ListedPart(number: number, entityTag: tag.unquoted.lowercased()))
    }
    if parts.isEmpty { throw .malformedXML("There is no Part.") }
    for (first, second) in zip(parts, parts.dropFirst()) where first.number >= second.number {
      throw .invalidPartOrder
    }
    return parts
  }

  private static func parts(
    of upload: MultipartUpload, _ listed: [ListedPart]?
  ) throws(ServiceError) -> [UploadedPart] {
    guard let listed else {
      if upload.parts.isEmpty { throw .invalidPart }
      return upload.parts.values
    }
    var parts: [UploadedPart] = []
    for item in listed {
      guard let part = upload.parts[item.number], part.content.entityTag == item.entityTag else { throw .invalidPart }
      parts.append(part)
    }
    return parts
  }

  /// The parts one after the other: nothing is copied, and the checksum is computed from those of the parts.
  private static func join(_ parts: [UploadedPart]) -> Content {
    var md5 = MD5()
    var crc64: UInt64 = 0
    var byteCount: Int64 = 0
    for part in parts {
      let tag = [UInt8](hex: part.content.entityTag) ?? []
      md5.update(tag.span)
      crc64 = CRC64.combine(crc64, part.content.crc64, byteCount: UInt64(part.content.byteCount))
      byteCount += part.content.byteCount
    }
    return Content(
      extents: parts.flatMap(\.content.extents), byteCount: byteCount,
      entityTag: "\(md5.finalize().hex)-\(parts.count)", crc64: crc64)
  }
}
