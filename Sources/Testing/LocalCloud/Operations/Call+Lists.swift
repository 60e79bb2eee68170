// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
    // An empty token counts as absent, because the vendor's Python SDK sends an empty token with the request for the
    // first page.
    let token = parameter("continuation-token").flatMap { $0.isEmpty ? nil : $0 }
    let start = parameter("start-after") ?? ""
    var after = start
    if let token {
      guard let bytes = [UInt8](hex: token), let text = String(validating: bytes, as: UTF8.self) else {
        throw ErrorResponse.invalidArgument("The continuation-token was not issued by this server.")
      }
      after = text
    }
    let list = try list(after: after)
    var elements = list.head
    if !start.isEmpty || !service.listing.omitsEmptyElements {
      elements.append(XMLNode("StartAfter", list.name(start)))
    }
    if let token { elements.append(XMLNode("ContinuationToken", token)) }
    if let next = list.page.next {
      let token = String(writing: { writer in withBytes(of: next) { writer.append(hex: $0) } })
      elements.append(XMLNode("NextContinuationToken", token))
    }
    elements.append(XMLNode("KeyCount", String(list.page.objects.count + list.page.groups.count)))
    let withOwner = parameter("fetch-owner") == "true"
    return service.response(with: XMLNode("ListBucketResult", children: elements + entries(list, withOwner: withOwner)))
  }

  /// A page of an object listing, with the XML elements that both versions of the list operation share.
  private struct List {
    let page: BucketListPage
    let head: [XMLNode]
    let name: @Sendable (String) -> String
  }

  private func list(after: String) throws -> List {
    let encodes = try encodesNames()
    let query = ListQuery(
      prefix: parameter("prefix") ?? "", delimiter: parameter("delimiter") ?? "", after: after,
      limit: min(
        try number("max-keys", default: service.listing.defaultPageSize, in: service.listing.pageSizes), Self.pageLimit)
    )
    let page = try store.read(bucket) { $0.page(query) }
    let name: @Sendable (String) -> String = { written($0, encodes) }
    var head = [
      XMLNode("Name", bucket), XMLNode("Prefix", name(query.prefix)), XMLNode("MaxKeys", String(query.limit)),
    ]
    if !query.delimiter.isEmpty || !service.listing.omitsEmptyElements {
      head.append(XMLNode("Delimiter", name(query.delimiter)))
    }
    head.append(XMLNode("IsTruncated", String(page.next != nil)))
    return List(page: page, head: head + encodingElement(encodes), name: name)
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
        XMLNode("StorageClass", object.attributes.storageClass ?? service.standardClass),
      ]
      if withOwner { elements.append(SimulatedService.owner) }
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
          XMLNode("StorageClass", upload.attributes.storageClass ?? service.standardClass),
        ] + (upload.checksum?.elements ?? []) + elements))
  }

  func listUploads() throws -> Answer {
    let encodes = try encodesNames()
    let prefix = parameter("prefix") ?? ""
    let delimiter = parameter("delimiter") ?? ""
    let keyMarker = parameter("key-marker") ?? ""
    let idMarker = parameter("upload-id-marker") ?? ""
    let limit = try min(number("max-uploads", default: 1000, in: service.listing.pageSizes), Self.pageLimit)
    let page = try store.read(bucket) {
      $0.uploadPage(prefix: prefix, delimiter: delimiter, after: keyMarker, idMarker, limit)
    }
    func name(_ text: String) -> String { written(text, encodes) }
    let uploads = page.uploads.map { upload in
      XMLNode(
        "Upload",
        children: [
          XMLNode("Key", name(upload.name.key.text)), XMLNode("UploadId", upload.name.id),
          XMLNode("StorageClass", upload.attributes.storageClass ?? service.standardClass),
          XMLNode("Initiated", upload.initiated.iso8601Milliseconds),
        ] + (upload.checksum?.elements ?? []))
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
