// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

extension Call {
  // The detailed error codes of OSS: for an unknown upload, and for a body although the header completes all parts.
  private static let noUploadForPart = "0042-00000104"
  private static let noUploadToAbort = "0042-00000002"
  private static let bodyWithCompleteAll = "0042-00000216"

  var uploadName: UploadName { UploadName(key: key, id: target["uploadId"] ?? "") }

  func partNumber() throws(ErrorResponse) -> Int {
    guard let number = parameter("partNumber").flatMap({ Int(digits: $0) }), (1...10_000).contains(number) else {
      throw .invalidArgument("The partNumber must be an integer from 1 to 10000.")
    }
    return number
  }

  private func requestedUploadAndPart() throws -> (upload: PendingUpload, partNumber: Int) {
    let number = try partNumber()
    let upload = try upload(uploadName, ec: Self.noUploadForPart)
    try CustomerKey.check(try customerKey(), against: upload.attributes.customerKey)
    return (upload, number)
  }

  func upload(_ name: UploadName, ec: String? = nil) throws -> PendingUpload {
    try store.read(bucket) { try $0.upload(name, ec: ec) }
  }

  private func addPart(_ content: Content, number: Int, to name: UploadName) throws {
    try store.change(bucket) { bucket in
      var upload = try bucket.upload(name, ec: Self.noUploadForPart)
      upload.parts[number] = UploadedPart(content: content, modified: date)
      bucket.uploads[name] = upload
    }
  }

  func initiateUpload() async throws -> Answer {
    let access = try requestedAccess()
    let attributes = try requestedAttributes()
    let encoding = try keyEncoding()
    let upload = PendingUpload(
      name: UploadName(key: key, id: ByteExactString(BlobID.random().description.asciiUppercased)),
      description: requestedDescription, access: access, attributes: attributes, initiated: date,
      checksum: try service.behavior.checksumRule(of: headers))
    try store.change(bucket) { bucket in
      try checkOverwrite(in: bucket)
      bucket.uploads[upload.name] = upload
    }
    let id = XMLNode("UploadId", upload.name.id.string)
    let names = [XMLNode("Bucket", bucket), encoding.element("Key", key.string), id]
    var response = service.response("InitiateMultipartUploadResult", encoding.encodingTypeElements + names)
    response.headers.append(contentsOf: service.headers(of: upload))
    addEncryption(of: attributes, to: &response.headers)
    return response
  }

  func uploadPart() async throws -> Answer {
    let (upload, number) = try requestedUploadAndPart()
    let content = try await store.blobs.write(body, try bodyExpectation(ofPartWith: upload.checksum))
    try checkRights()
    try addPart(content, number: number, to: upload.name)
    var response = Answer(headers: checksumHeaders(of: content))
    addEncryption(of: upload.attributes, to: &response.headers)
    return response
  }

  func abortUpload() throws -> Answer {
    let name = uploadName
    try store.change(bucket) { bucket in
      _ = try bucket.upload(name, ec: Self.noUploadToAbort)
      bucket.uploads[name] = nil
    }
    return Answer(.noContent)
  }

  /// Stores an upload as an object, or returns the earlier response to the same completion.
  func completeUpload() async throws -> Answer {
    let name = uploadName
    let encoding = try keyEncoding()
    let access = try requestedAccess()
    let listed =
      try await completesAllParts()
      ? nil : Self.listedParts(in: readRequiredDocument(named: "CompleteMultipartUpload"))
    let statedParts = listed?.map { "\($0.number) \($0.entityTag)" } ?? []
    if let earlier = try store.read(bucket, { $0.completions.first { $0.name == name && $0.parts == statedParts } }) {
      return earlier.answer
    }
    let upload = try upload(name)
    if let key = try customerKey() { try CustomerKey.check(key, against: upload.attributes.customerKey) }
    let object = StoredObject(
      id: .random(), key: key, content: try content(of: upload, listed: listed), description: upload.description,
      modified: date, isMultipart: true, access: access ?? upload.access, attributes: upload.attributes)
    let stored = try await store.put(object, in: bucket) { bucket in
      _ = try bucket.upload(name)
      try checkOverwrite(in: bucket)
      bucket.uploads[name] = nil
    }
    let elements = [
      XMLNode("Location", objectURL), XMLNode("Bucket", bucket),
      encoding.element("Key", key.string), XMLNode("ETag", service.entityTag(object.content.entityTag)),
    ]
    var response = service.response(
      "CompleteMultipartUploadResult",
      encoding.encodingTypeElements + elements + (object.content.checksum?.elements ?? []))
    response.headers.append(contentsOf: checksumHeaders(of: object.content))
    addEncryptionAndVersion(of: stored, to: &response.headers)
    if service.objects.repeatsCompletion { keepCompletion(of: name, statedParts, response) }
    return try await sendCallback(for: stored, response)
  }

  private static let completionLimit = 100

  /// Keeps the response to a completion in memory, because the client can repeat the request.
  private func keepCompletion(of name: UploadName, _ parts: [String], _ response: Answer) {
    var repeated = response
    repeated.isRepetition = true
    let completion = CompletedUpload(name: name, parts: parts, answer: repeated)
    // The object is stored: a bucket that was deleted in the meantime is no error of the request.
    try? store.change(bucket) { $0.completions = $0.completions.suffix(Self.completionLimit - 1) + [completion] }
  }

  /// Returns the content of the listed parts, or of all parts if `listed` is `nil`.
  private func content(of upload: PendingUpload, listed: [ListedPart]?) throws(ErrorResponse) -> Content {
    let parts = try Self.parts(of: upload, listed: listed)
    if let listed, service.objects.needsConsecutiveParts,
      zip(listed, listed.dropFirst()).contains(where: { $0.number + 1 != $1.number })
    {
      throw ErrorResponse(.badRequest, "InvalidPart", "The part numbers in the document are not consecutive.")
    }
    let minimum = service.objects.minimumPartByteCount
    // The last part may have any size.
    if let smallPart = parts.dropLast().first(where: { $0.content.byteCount < minimum }) {
      throw .entityTooSmall(byteCount: smallPart.content.byteCount, limit: minimum)
    }
    var content = join(parts)
    content.partSizes = parts.map(\.content.byteCount)
    guard let rule = upload.checksum else { return content }
    if rule.isChosen { content.partChecksums = parts.compactMap(\.content.checksum) }
    content.checksum = try service.behavior.checksum(
      of: content, parts, listedBy: (listed ?? []).map(\.element), headers, rule)
    return content
  }

  /// Returns whether a header asks to complete all uploaded parts, so that the request must have no body.
  private func completesAllParts() async throws -> Bool {
    guard let word = serviceHeader("complete-all") else { return false }
    guard word.asciiLowercased == "yes" else {
      throw ErrorResponse.invalidArgument("The header \(service.header("complete-all")) can only be yes.")
    }
    for try await chunk in body where chunk.readableBytes > 0 {
      throw ErrorResponse.invalidArgument(
        "A request that completes all parts must not have a body.", ec: Self.bodyWithCompleteAll)
    }
    try checkRights()
    return true
  }

  private struct ListedPart {
    let number: Int
    let entityTag: String
    let element: XMLNode
  }

  private static func listedParts(in document: XMLNode) throws(ErrorResponse) -> [ListedPart] {
    let parts = try document.all("Part").map { element throws(ErrorResponse) in
      guard let number = (element["PartNumber"]?.text).flatMap({ Int(digits: $0) }), let tag = element["ETag"]?.text
      else { throw .malformedXML("A Part needs a PartNumber and an ETag.") }
      return ListedPart(number: number, entityTag: tag.unquoted.asciiLowercased, element: element)
    }
    if parts.isEmpty { throw .malformedXML("The document lists no Part.") }
    if zip(parts, parts.dropFirst()).contains(where: { $0.number >= $1.number }) {
      throw ErrorResponse(
        .badRequest, "InvalidPartOrder", "The parts in the document are not in ascending order of their part numbers.")
    }
    return parts
  }

  private static func parts(of upload: PendingUpload, listed: [ListedPart]?) throws(ErrorResponse) -> [UploadedPart] {
    guard let listed else {
      if upload.parts.isEmpty { throw .invalidPart }
      return upload.parts.values
    }
    return try listed.map { item throws(ErrorResponse) in
      guard let part = upload.parts[item.number], part.content.entityTag == item.entityTag else { throw .invalidPart }
      return part
    }
  }

  /// Concatenates parts without copying bytes, and combines their checksums.
  private func join(_ parts: [UploadedPart]) -> Content {
    var md5 = MD5()
    var crc64: UInt64 = 0
    for part in parts {
      md5.update(service.bytes(ofPartTag: part.content.entityTag))
      crc64 = CRC.combine(crc64, part.content.crc64, byteCount: UInt64(part.content.byteCount), .crc64ECMA)
    }
    return Content(
      extents: parts.flatMap(\.content.extents), entityTag: "\(md5.finalize().hex)-\(parts.count)", crc64: crc64)
  }

  // MARK: Copies

  /// Returns the source of a copy; throws if it is unreadable, a condition fails, or the copy would change no property.
  private func copySource() throws -> StoredObject {
    let source = try NamedSource(serviceHeader("copy-source") ?? "", of: service)
    let isSameObject = source.bucket.isIdentical(to: bucket) && source.key == key && source.version == nil
    if operation == .copyObject, isSameObject, let refusal = service.errors.unchangingCopy, try !changesProperty() {
      throw refusal
    }
    let object = try store.object(source.key, in: source.bucket, version: source.version)
    try checkReadable(object, prefix: "copy-source-")
    guard try Conditions(headers, prefix: service.header("copy-source-")).isModified(object) else {
      throw service.errors.unchangedCopySource
    }
    return object
  }

  /// Returns whether the headers of a copy ask for another description, storage class or encryption.
  private func changesProperty() throws -> Bool {
    if serviceHeader("metadata-directive")?.asciiLowercased == "replace" { return true }
    return try serviceHeader("storage-class") != nil || !requestedEncryption().isEmpty || customerKey() != nil
  }

  /// Copies an object without its bytes: the copy refers to the same immutable files.
  ///
  /// In S3, a copy of an object in parts has the tag and the checksum of a whole object.
  func copyObject() async throws -> Answer {
    let access = try requestedAccess()
    var attributes = try requestedAttributes()
    let replacesDescription = try directsReplacement("metadata-directive")
    let replacesTags = try directsReplacement("tagging-directive")
    try store.read(bucket) { try checkOverwrite(in: $0) }
    let source = try copySource()
    if !replacesTags { attributes.tags = source.attributes.tags }
    attributes.linkTarget = source.attributes.linkTarget
    var description = replacesDescription ? requestedDescription : source.description
    if replacesDescription, service.objects.keepsTypeOfCopies { description.keepType(of: source.description) }
    var content = try await store.blobs.compact(source.content)
    let joinsParts = source.isMultipart && service.objects.joinsPartsOfCopies
    let rule = (joinsParts ? content.checksum : nil).map {
      ChecksumRule(algorithm: $0.algorithm, isComposite: false, isChosen: true)
    }
    var sums = BodySums(checks: try service.behavior.bodyChecks(of: headers, for: operation, rule))
    if joinsParts || !sums.checks.isEmpty { try await store.blobs.read(content.extents) { sums.update([$0]) } }
    if joinsParts {
      content = Content(extents: content.extents, entityTag: sums.md5.finalize().hex, crc64: content.crc64)
    }
    if let checksum = try sums.checks.finish() { content.checksum = checksum }
    let copy = StoredObject(
      id: .random(), key: key, content: content, description: description, modified: date,
      isMultipart: source.isMultipart && !joinsParts, access: access, attributes: attributes)
    let stored = try await store.put(copy, in: bucket) { try checkOverwrite(in: $0) }
    var response = copyResponse("CopyObjectResult", stored.content, attributes, from: source)
    addEncryptionAndVersion(of: stored, to: &response.headers)
    return response
  }

  /// Returns whether a header directs to replace what the copy would otherwise take over from its source.
  private func directsReplacement(_ directive: String) throws(ErrorResponse) -> Bool {
    switch serviceHeader(directive)?.asciiLowercased {
    case nil, "copy": return false
    case "replace", "replaced": return true
    default: throw .invalidArgument("The header \(service.header(directive)) is neither Copy nor Replace.")
    }
  }

  /// Adds a byte range of an existing object as a part of a multipart upload.
  ///
  /// A range with several pieces is written to one file, so that an object never has more pieces than parts.
  func copyPart() async throws -> Answer {
    let (upload, number) = try requestedUploadAndPart()
    let source = try copySource()
    let extents = try extentsToCopy(of: source.content)
    let checks = try service.behavior.bodyChecks(of: headers, for: operation, upload.checksum)
    let content: Content
    if extents.count > 1 {
      content = try await store.blobs.writeJoined(extents, checks: checks)
    } else {
      var sums = BodySums(checks: checks)
      try await store.blobs.read(extents) { sums.update([$0]) }
      content = Content(
        extents: extents, entityTag: sums.md5.finalize().hex, crc64: sums.crc64.checksum,
        checksum: try sums.checks.finish())
    }
    try addPart(content, number: number, to: upload.name)
    return copyResponse("CopyPartResult", content, upload.attributes, from: source)
  }

  /// Returns the pieces of the byte range that a header specifies, or of the whole source object.
  private func extentsToCopy(of content: Content) throws(ErrorResponse) -> [Extent] {
    guard let header = serviceHeader("copy-source-range") else { return content.extents }
    guard let range = RequestedRange(header) else {
      throw .invalidArgument(
        "The \(service.header("copy-source-range")) value must be of the form bytes=first-last where first and last "
          + "are the zero-based offsets of the first and last bytes to copy")
    }
    guard range.lies(within: content.byteCount), let bytes = range.bytes(of: content.byteCount) else {
      throw .invalidRange(header, byteCount: content.byteCount)
    }
    return content.extents(in: bytes)
  }

  private func copyResponse(
    _ root: String, _ content: Content, _ attributes: ObjectAttributes, from source: StoredObject
  ) -> Answer {
    let entityTag = XMLNode("ETag", service.entityTag(content.entityTag))
    let elements = [entityTag, XMLNode("LastModified", date.iso8601Milliseconds)] + (content.checksum?.elements ?? [])
    var response = service.response(root, elements)
    response.headers.append(contentsOf: checksumHeaders(of: content))
    addEncryption(of: attributes, to: &response.headers)
    if source.version != StoredObject.nullVersion {
      response.headers.set(service.header("copy-source-version-id"), source.version)
    }
    return response
  }
}
