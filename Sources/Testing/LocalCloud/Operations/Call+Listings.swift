// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The encoding of keys and prefixes in a response document, for which a client can ask (`encoding-type=url`).
struct KeyEncoding: Sendable {
  let encode: @Sendable (String) -> String
  let encodingTypeElements: [XMLNode]

  func element(_ name: String, _ key: String) -> XMLNode { XMLNode(name, encode(key)) }

  func commonPrefixes(_ groups: [String]) -> [XMLNode] {
    groups.map { XMLNode("CommonPrefixes", children: [element("Prefix", $0)]) }
  }
}

extension Call {
  private static let pageLimit = 1000

  func keyEncoding() throws(ErrorResponse) -> KeyEncoding {
    guard let encoding = parameter("encoding-type"), !encoding.isEmpty else {
      return KeyEncoding(encode: { $0 }, encodingTypeElements: [])
    }
    guard encoding.asciiLowercased == "url" else { throw .invalidArgument("The encoding-type can only be url.") }
    return KeyEncoding(
      encode: { [service] in service.encodedName($0) }, encodingTypeElements: [XMLNode("EncodingType", "url")])
  }

  /// Returns the maximum number of entries of a page: the service lowers a larger one that the request asks for.
  private func entryLimit(_ name: ByteExactString, default defaultLimit: Int = pageLimit) throws(ErrorResponse) -> Int {
    min(try numericParameter(name, default: defaultLimit, in: service.listing.pageSizes), Self.pageLimit)
  }

  private func listQuery(after start: String, limit: Int) -> ListQuery {
    ListQuery(prefix: parameter("prefix") ?? "", delimiter: parameter("delimiter") ?? "", after: start, limit: limit)
  }

  // MARK: Objects

  func listObjects() throws -> Answer {
    let marker = parameter("marker") ?? ""
    return try listObjects(after: marker, includingOwners: true) { page, encoding in
      var elements = [encoding.element("Marker", marker)]
      // A service that omits empty elements omits NextMarker without a delimiter: the last key is the next marker then.
      let hasNextMarker = !service.listing.omitsEmptyElements || parameter("delimiter")?.isEmpty == false
      if hasNextMarker, let next = page.next { elements.append(encoding.element("NextMarker", next)) }
      return elements
    }
  }

  func listObjectsV2() throws -> Answer {
    let token = parameter("continuation-token")
    let start = parameter("start-after") ?? ""
    let includesOwners = parameter("fetch-owner") == "true"
    return try listObjects(after: continuation() ?? start, includingOwners: includesOwners) { page, encoding in
      var nodes: [XMLNode] = []
      if !start.isEmpty || !service.listing.omitsEmptyElements { nodes.append(encoding.element("StartAfter", start)) }
      if let token { nodes.append(XMLNode("ContinuationToken", token)) }
      if let next = page.next { nodes.append(Self.nextToken(after: next)) }
      return nodes + [XMLNode("KeyCount", String(page.entries.count + page.groups.count))]
    }
  }

  /// Returns the last name of the page before, or `nil` for the first one; the Python SDKs send an empty token for it.
  func continuation() throws(ErrorResponse) -> String? {
    guard let token = parameter("continuation-token"), !token.isEmpty else { return nil }
    guard let name = [UInt8](hex: token).flatMap({ String(utf8: $0) }) else { throw .invalidToken }
    return name
  }

  static func nextToken(after name: String) -> XMLNode {
    XMLNode("NextContinuationToken", String(writing: { writer in withBytes(of: name) { writer.append(hex: $0) } }))
  }

  /// Returns a page of objects; the closure returns the elements that only one version of the list operation has.
  private func listObjects(
    after start: String, includingOwners includesOwners: Bool,
    versionElements: (EntryPage<StoredObject>, KeyEncoding) -> [XMLNode]
  ) throws -> Answer {
    let encoding = try keyEncoding()
    let limit = try entryLimit("max-keys", default: service.listing.defaultPageSize)
    let query = listQuery(after: start, limit: limit)
    let (page, bucketOwner) = try store.read(bucket) { ($0.objectPage(query), $0.owner) }
    var head = [XMLNode("Name", bucket), encoding.element("Prefix", query.prefix), XMLNode("MaxKeys", String(limit))]
    if !query.delimiter.isEmpty || !service.listing.omitsEmptyElements {
      head.append(encoding.element("Delimiter", query.delimiter))
    }
    head.append(XMLNode("IsTruncated", String(page.next != nil)))
    head += encoding.encodingTypeElements + versionElements(page, encoding)
    let contents = page.entries.map { object in
      let owner = includesOwners ? [service.owner(object.attributes.owner ?? bucketOwner)] : []
      let name = [encoding.element("Key", object.key.string), Self.lastModified(object.modified)]
      return XMLNode("Contents", children: name + contentElements(of: object) + owner)
    }
    return service.response("ListBucketResult", head + contents + encoding.commonPrefixes(page.groups))
  }

  private static func lastModified(_ time: Timestamp) -> XMLNode { XMLNode("LastModified", time.iso8601Milliseconds) }

  private func contentElements(of object: StoredObject) -> [XMLNode] {
    [XMLNode("ETag", service.entityTag(object.content.entityTag))] + service.elements(of: object) + [
      XMLNode("Size", String(object.content.byteCount)),
      XMLNode("StorageClass", service.storageClass(object.attributes.storageClass)),
    ]
  }

  func listVersions() throws -> Answer {
    let encoding = try keyEncoding()
    let limit = try entryLimit("max-keys", default: service.listing.defaultPageSize)
    let query = listQuery(after: parameter("key-marker") ?? "", limit: limit)
    let marker = parameter("version-id-marker") ?? ""
    guard marker.isEmpty || !query.after.isEmpty else {
      throw ErrorResponse.invalidArgument("A version-id marker cannot be specified without a key marker.")
    }
    let (page, owner) = try store.read(bucket) { ($0.versionPage(query, after: marker), $0.owner) }
    var head = [
      XMLNode("Name", bucket), encoding.element("Prefix", query.prefix), encoding.element("KeyMarker", query.after),
      XMLNode("VersionIdMarker", marker), XMLNode("MaxKeys", String(limit)),
      encoding.element("Delimiter", query.delimiter), XMLNode("IsTruncated", String(page.next != nil)),
    ]
    if let next = page.next {
      head += [encoding.element("NextKeyMarker", next), XMLNode("NextVersionIdMarker", page.last.id)]
    }
    let versions = page.entries.map { version, isLatest in
      let common = [
        encoding.element("Key", version.key.string), XMLNode("VersionId", version.version),
        XMLNode("IsLatest", String(isLatest)), Self.lastModified(version.modified),
        service.owner(version.attributes.owner ?? owner),
      ]
      return version.kind == .deleteMarker
        ? XMLNode("DeleteMarker", children: common)
        : XMLNode("Version", children: common + contentElements(of: version))
    }
    return service.response(
      "ListVersionsResult", head + encoding.encodingTypeElements + versions + encoding.commonPrefixes(page.groups))
  }

  // MARK: Uploads and parts

  func listParts() throws -> Answer {
    let encoding = try keyEncoding()
    let marker = try numericParameter("part-number-marker", default: 0, in: 0...10_000)
    let limit = try entryLimit("max-parts")
    let upload = try upload(uploadName)
    let parts = upload.parts
    let startIndex = parts.keys.firstSortedIndex { $0 > marker }
    let endIndex = min(parts.count, startIndex + limit)
    let partElements = zip(parts.keys, parts.values).dropFirst(startIndex).prefix(limit).map { number, part in
      let entityTag = XMLNode("ETag", service.entityTag(part.content.entityTag))
      let head = [XMLNode("PartNumber", String(number)), Self.lastModified(part.modified), entityTag]
      let size = XMLNode("Size", String(part.content.byteCount))
      return XMLNode("Part", children: head + service.elements(of: part) + [size])
    }
    let head = [
      XMLNode("Bucket", bucket), encoding.element("Key", key.string), XMLNode("UploadId", uploadName.id.string),
      XMLNode("PartNumberMarker", String(marker)),
      XMLNode("NextPartNumberMarker", String(endIndex > startIndex ? parts.keys[endIndex - 1] : marker)),
      XMLNode("MaxParts", String(limit)), XMLNode("IsTruncated", String(endIndex < parts.count)),
      XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
    ]
    let uploadElements = clientEncryption(of: upload) + (upload.checksum?.elements ?? [])
    return service.response("ListPartsResult", encoding.encodingTypeElements + head + uploadElements + partElements)
  }

  /// Returns the metadata that a client with client-side encryption needs to resume an upload.
  private func clientEncryption(of upload: PendingUpload) -> [XMLNode] {
    service.listing.uploadElements.compactMap { element, name in
      let name = ObjectDescription.clientEncryptionPrefix + name
      return upload.description.metadata.first { $0.name == name }.map { XMLNode(element, $0.value) }
    }
  }

  func listUploads() throws -> Answer {
    let encoding = try keyEncoding()
    let query = listQuery(after: parameter("key-marker") ?? "", limit: try entryLimit("max-uploads"))
    let idMarker = parameter("upload-id-marker") ?? ""
    let (page, bucketOwner) = try store.read(bucket) { ($0.uploadPage(query, afterUpload: idMarker), $0.owner) }
    let uploads = page.entries.map { upload in
      let owner = service.owner(upload.attributes.owner ?? bucketOwner)
      let initiatorAndOwner =
        service.listing.listsInitiators ? [XMLNode("Initiator", children: owner.children), owner] : []
      let uploadElements = [
        encoding.element("Key", upload.name.key.string), XMLNode("UploadId", upload.name.id.string),
        XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
        XMLNode("Initiated", upload.initiated.iso8601Milliseconds),
      ]
      return XMLNode("Upload", children: uploadElements + initiatorAndOwner + (upload.checksum?.elements ?? []))
    }
    let head = [
      XMLNode("Bucket", bucket), encoding.element("KeyMarker", query.after), XMLNode("UploadIdMarker", idMarker),
      encoding.element("NextKeyMarker", page.last.key), XMLNode("NextUploadIdMarker", page.last.id),
      encoding.element("Prefix", query.prefix), encoding.element("Delimiter", query.delimiter),
      XMLNode("MaxUploads", String(query.limit)), XMLNode("IsTruncated", String(page.next != nil)),
    ]
    return service.response(
      "ListMultipartUploadsResult",
      encoding.encodingTypeElements + head + uploads + encoding.commonPrefixes(page.groups))
  }
}
