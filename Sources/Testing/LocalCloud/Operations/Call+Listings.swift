// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  /// The maximum number of entries in a page of a listing.
  private static let pageLimit = 1000

  func listObjects() throws -> Answer {
    let marker = parameter("marker") ?? ""
    let list = try list(after: marker)
    var elements = list.head + [XMLNode("Marker", list.name(marker))]
    let tellsNext = service.listing.omitsEmptyElements ? parameter("delimiter")?.isEmpty == false : true
    if tellsNext, let next = list.page.next { elements.append(XMLNode("NextMarker", list.name(next))) }
    return service.response(with: XMLNode("ListBucketResult", children: elements + entries(list, withOwner: true)))
  }

  func listObjectsV2() throws -> Answer {
    let token = parameter("continuation-token")
    let start = parameter("start-after") ?? ""
    let list = try list(after: try continuation() ?? start)
    var elements = list.head
    if !start.isEmpty || !service.listing.omitsEmptyElements {
      elements.append(XMLNode("StartAfter", list.name(start)))
    }
    if let token { elements.append(XMLNode("ContinuationToken", token)) }
    if let next = list.page.next { elements.append(Self.nextToken(after: next)) }
    elements.append(XMLNode("KeyCount", String(list.page.objects.count + list.page.groups.count)))
    let withOwner = parameter("fetch-owner") == "true"
    return service.response(with: XMLNode("ListBucketResult", children: elements + entries(list, withOwner: withOwner)))
  }

  /// Returns the last name of the page that the request continues, or `nil` if it asks for the first page.
  ///
  /// An empty token means the first page: the vendors' Python SDKs send one with the request for it.
  func continuation() throws(ErrorResponse) -> String? {
    guard let token = parameter("continuation-token"), !token.isEmpty else { return nil }
    guard let name = [UInt8](hex: token).flatMap({ String(utf8: $0) }) else { throw .invalidToken }
    return name
  }

  /// Returns the element with the token for the page after the one with a last name.
  static func nextToken(after name: String) -> XMLNode {
    XMLNode("NextContinuationToken", String(writing: { writer in withBytes(of: name) { writer.append(hex: $0) } }))
  }

  /// A page of an object listing, with the XML elements that both versions of the list operation share.
  private struct List {
    let page: BucketListPage
    let owner: String
    let head: [XMLNode]
    let name: @Sendable (String) -> String
  }

  private func list(after: String) throws -> List {
    let encodes = try encodesNames()
    let query = try listQuery(after: after)
    let (page, owner) = try store.read(bucket) { ($0.objectPage(query), $0.owner) }
    let name: @Sendable (String) -> String = { written($0, encodes) }
    var head = [
      XMLNode("Name", bucket), XMLNode("Prefix", name(query.prefix)), XMLNode("MaxKeys", String(query.limit)),
    ]
    if !query.delimiter.isEmpty || !service.listing.omitsEmptyElements {
      head.append(XMLNode("Delimiter", name(query.delimiter)))
    }
    head.append(XMLNode("IsTruncated", String(page.next != nil)))
    return List(page: page, owner: owner, head: head + encodingElement(encodes), name: name)
  }

  func listQuery(after: String) throws -> ListQuery {
    ListQuery(
      prefix: parameter("prefix") ?? "", delimiter: parameter("delimiter") ?? "", after: after,
      limit: min(
        try number("max-keys", default: service.listing.defaultPageSize, in: service.listing.pageSizes), Self.pageLimit)
    )
  }

  private func entries(_ list: List, withOwner: Bool) -> [XMLNode] {
    let objects = list.page.objects.map { object in
      var elements = [
        XMLNode("Key", list.name(object.key.text)),
        XMLNode("LastModified", object.modified.iso8601Milliseconds),
        XMLNode("ETag", service.entityTag(object.content.entityTag)),
      ]
      elements += service.elements(of: object)
      elements += [
        XMLNode("Size", String(object.content.byteCount)),
        XMLNode("StorageClass", service.storageClass(object.attributes.storageClass)),
      ]
      if withOwner { elements.append(service.owner(object.attributes.owner ?? list.owner)) }
      return XMLNode("Contents", children: elements)
    }
    let groups = list.page.groups.map { XMLNode("CommonPrefixes", children: [XMLNode("Prefix", list.name($0))]) }
    return objects + groups
  }

  // MARK: Uploads and parts

  func listParts() throws -> Answer {
    let name = UploadName(key: key, id: parameter("uploadId") ?? "")
    let encodes = try encodesNames()
    let marker = try number("part-number-marker", default: 0, in: 0...10_000)
    let limit = try min(number("max-parts", default: 1000, in: service.listing.pageSizes), Self.pageLimit)
    let upload = try upload(name)
    let parts = upload.parts
    let start = parts.firstIndex { $0 > marker }
    let end = min(parts.count, start + limit)
    let elements = (start..<end).map { index in
      XMLNode(
        "Part",
        children: [
          XMLNode("PartNumber", String(parts.keys[index])),
          XMLNode("LastModified", parts.values[index].modified.iso8601Milliseconds),
          XMLNode("ETag", service.entityTag(parts.values[index].content.entityTag)),
        ] + service.elements(of: parts.values[index])
          + [XMLNode("Size", String(parts.values[index].content.byteCount))])
    }
    return service.response(
      with: XMLNode(
        "ListPartsResult",
        children: encodingElement(encodes) + [
          XMLNode("Bucket", bucket), XMLNode("Key", written(key.text, encodes)),
          XMLNode("UploadId", name.id), XMLNode("PartNumberMarker", String(marker)),
          XMLNode("NextPartNumberMarker", String(end > start ? parts.keys[end - 1] : marker)),
          XMLNode("MaxParts", String(limit)), XMLNode("IsTruncated", String(end < parts.count)),
          XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
        ] + clientEncryption(of: upload) + (upload.checksum?.elements ?? []) + elements))
  }

  /// Returns the elements with which a client that encrypts resumes an upload, from the upload's metadata.
  private func clientEncryption(of upload: PendingUpload) -> [XMLNode] {
    service.listing.uploadElements.compactMap { element, name in
      let name = ObjectDescription.clientEncryptionPrefix + name
      return upload.description.metadata.first { $0.name == name }.map { XMLNode(element, $0.value) }
    }
  }

  func listUploads() throws -> Answer {
    let encodes = try encodesNames()
    let prefix = parameter("prefix") ?? ""
    let delimiter = parameter("delimiter") ?? ""
    let keyMarker = parameter("key-marker") ?? ""
    let idMarker = parameter("upload-id-marker") ?? ""
    let limit = try min(number("max-uploads", default: 1000, in: service.listing.pageSizes), Self.pageLimit)
    let (page, bucketOwner) = try store.read(bucket) {
      ($0.uploadPage(prefix: prefix, delimiter: delimiter, after: keyMarker, id: idMarker, limit: limit), $0.owner)
    }
    func name(_ text: String) -> String { written(text, encodes) }
    let uploads = page.uploads.map { upload in
      let owner = service.owner(upload.attributes.owner ?? bucketOwner)
      let owners = service.listing.tellsInitiators ? [XMLNode("Initiator", children: owner.children), owner] : []
      return XMLNode(
        "Upload",
        children: [
          XMLNode("Key", name(upload.name.key.text)), XMLNode("UploadId", upload.name.id),
          XMLNode("StorageClass", service.storageClass(upload.attributes.storageClass)),
          XMLNode("Initiated", upload.initiated.iso8601Milliseconds),
        ] + owners + (upload.checksum?.elements ?? []))
    }
    let groups = page.groups.map { XMLNode("CommonPrefixes", children: [XMLNode("Prefix", name($0))]) }
    return service.response(
      with: XMLNode(
        "ListMultipartUploadsResult",
        children: encodingElement(encodes) + [
          XMLNode("Bucket", bucket), XMLNode("KeyMarker", name(keyMarker)), XMLNode("UploadIdMarker", idMarker),
          XMLNode("NextKeyMarker", name(page.nextKey)), XMLNode("NextUploadIdMarker", page.nextID),
          XMLNode("Prefix", name(prefix)), XMLNode("Delimiter", name(delimiter)),
          XMLNode("MaxUploads", String(limit)), XMLNode("IsTruncated", String(page.isTruncated)),
        ] + uploads + groups))
  }
}
