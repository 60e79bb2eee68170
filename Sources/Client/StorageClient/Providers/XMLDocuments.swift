// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The format of the XML documents that most services share, with the deviations of some services.
struct XMLDocuments: DocumentFormat {
  /// The name by which COS calls the element `UploadId` in some lists.
  private static let otherUploadIDName = "UploadID"

  let conventions: HeaderConventions

  var mediaType: String { "application/xml" }
  /// The parameter for percent-encoded names, because XML cannot represent most control characters.
  var listingParameters: [RequestTarget.Parameter] { [.init("encoding-type", "url")] }

  func error(in body: [UInt8], of response: HTTPResponse, subject: String) -> ServiceError? {
    guard body.containErrorName, let root = try? ServiceDocument.root(of: body), root.name.isIdentical(to: "Error")
    else { return nil }
    return ServiceError(root, of: response, subject: subject, conventions: conventions)
  }

  private func document(_ body: [UInt8], _ name: String) throws(StorageError) -> ServiceDocument {
    try ServiceDocument(body, named: name, conventions)
  }

  func listing(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> ListPage {
    let document = try document(body, "ListBucketResult")
    try document.requireBucket("Name", equals: request.bucket)
    try document.require("Prefix", equals: request.prefix)
    try document.require("Delimiter", equals: request.delimiter ?? "")
    let isEncoded = try document.encodesNames()
    let objects = try document.all("Contents").map { node throws(StorageError) in
      try ListedObject(node, key: document.decodedName(node.only("Key")?.text, isEncoded: isEncoded))
    }
    let prefixes = try document.all("CommonPrefixes").map { node throws(StorageError) in
      try document.decodedName(node.only("Prefix")?.text, isEncoded: isEncoded)
    }
    let isTruncated = try document.isTruncated()
    let continuation = isTruncated ? try continuation(in: document, isEncoded: isEncoded) : nil
    let page = try ListPage(objects: objects, commonPrefixes: prefixes, continuation: continuation)
    guard isTruncated, continuation == nil else { return page }
    // Version 1 of the list operation of S3 sends NextMarker only with a delimiter; its pages then end with a key.
    guard case .marker = conventions.paging, let last = page.entries.last else {
      throw StorageError.malformedResponse("a truncated page has no continuation")
    }
    return ListPage(entries: page.entries, continuation: last.name)
  }

  /// Returns the continuation that a truncated page contains, or `nil` if the service leaves it out.
  private func continuation(in document: ServiceDocument, isEncoded: Bool) throws(StorageError) -> String? {
    guard case .marker = conventions.paging else { return try document.text("NextContinuationToken") }
    guard let marker = try document.text("NextMarker") else { return nil }
    return try document.decodedName(marker, isEncoded: isEncoded)
  }

  func copy(
    in body: [UInt8], of request: DocumentRequest
  ) throws(StorageError) -> (etag: String, lastModified: Timestamp?) {
    let document = try document(body, "CopyObjectResult")
    return (try document.requiredText("ETag"), try document.text("LastModified").flatMap { Timestamp(iso8601: $0) })
  }

  func represents(_ key: String) -> Bool {
    key.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0xFFFE && $0.value != 0xFFFF }
  }

  func deletion(of keys: [String]) -> [UInt8] {
    let objects = keys.map { XMLNode("Object", children: [XMLNode("Key", $0)]) }
    return XMLNode("Delete", children: [XMLNode("Quiet", "true")] + objects).serialized()
  }

  func deletionReport(in body: [UInt8]) throws(StorageError) -> DeletionReport {
    let document = try document(body, "DeleteResult")
    let isEncoded = try document.encodesNames()
    func key(_ node: XMLNode) throws(StorageError) -> String {
      isEncoded ? try document.decodedName(node.only("Key")?.text, isEncoded: true) : try node.text(ofOnly: "Key") ?? ""
    }
    return DeletionReport(
      deleted: try document.all("Deleted").map(key),
      failures: try document.all("Error").map { node throws(StorageError) in
        .init(key: try key(node), code: node["Code"]?.text ?? "", message: node["Message"]?.text ?? "")
      })
  }

  func versioning(in body: [UInt8]) throws(StorageError) -> BucketVersioning {
    switch try document(body, "VersioningConfiguration").text("Status") {
    case nil: return .disabled
    case "Enabled": return .enabled
    case "Suspended": return .suspended
    case let other?: throw StorageError.malformedResponse("\(other.quotedExcerpt) is no versioning state")
    }
  }

  func versions(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> ObjectVersions.Page {
    let document = try document(body, "ListVersionsResult")
    try document.requireBucket("Name", equals: request.bucket)
    try document.require("Prefix", equals: request.prefix)
    let isEncoded = try document.encodesNames()
    let nodes = document.children.filter { ["Version", "DeleteMarker"].contains($0.name) }
    let versions = try nodes.map { node throws(StorageError) in
      try ObjectVersion(node, key: document.decodedName(node.only("Key")?.text, isEncoded: isEncoded))
    }
    let next = try document.marker("NextVersionIdMarker")
    return ObjectVersions.Page(versions: versions, next: next.map { .init(key: $0.key, versionID: $0.id) })
  }

  func uploadID(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> String {
    let document = try document(body, "InitiateMultipartUploadResult")
    try document.requireBucketAndKey(of: request)
    return try document.requiredText("UploadId")
  }

  func completion(of parts: [StoredPart]) -> [UInt8] {
    let list = parts.map { part in
      XMLNode("Part", children: [XMLNode("PartNumber", "\(part.number)"), XMLNode("ETag", part.etag)])
    }
    return XMLNode("CompleteMultipartUpload", children: list).serialized()
  }

  func completedTag(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> String {
    let document = try document(body, "CompleteMultipartUploadResult")
    try document.requireBucketAndKey(of: request)
    return try document.requiredText("ETag")
  }

  func parts(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> (parts: [StoredPart], next: Int?) {
    let document = try document(body, "ListPartsResult")
    try document.requireBucketAndKey(of: request)
    let idName = try document.text(Self.otherUploadIDName) == nil ? "UploadId" : Self.otherUploadIDName
    try document.require(idName, equals: request.uploadID ?? "")
    let parts = try document.all("Part").map { node throws(StorageError) in try StoredPart(node) }
    guard try document.isTruncated() else { return (parts, nil) }
    return (parts, try document.text("NextPartNumberMarker").flatMap { Int(digits: $0) } ?? 0)
  }

  func unfinishedUploads(in body: [UInt8], of request: DocumentRequest) throws(StorageError) -> UnfinishedUploads.Page {
    let document = try document(body, "ListMultipartUploadsResult")
    try document.requireBucket("Bucket", equals: request.bucket)
    try document.require("Prefix", equals: request.prefix)
    let isEncoded = try document.encodesNames()
    let uploads = try document.all("Upload").map { node throws(StorageError) in
      let (usualID, otherID) = (try node.text(ofOnly: "UploadId"), try node.text(ofOnly: Self.otherUploadIDName))
      guard let id = usualID ?? otherID else { throw StorageError.malformedResponse("a listed upload has no UploadId") }
      return UnfinishedUpload(
        key: try document.decodedName(node.only("Key")?.text, isEncoded: isEncoded),
        uploadID: try ResponseValue(id, named: "UploadId").text,
        started: node["Initiated"].flatMap { Timestamp(iso8601: $0.text) })
    }
    let next = try document.marker("NextUploadIdMarker")
    return UnfinishedUploads.Page(uploads: uploads, next: next.map { .init(key: $0.key, uploadID: $0.id) })
  }
}

extension ServiceDocument {
  fileprivate func requiredText(_ name: String) throws(StorageError) -> String {
    guard let text = try text(name) else { throw StorageError.malformedResponse("it has no \(name)") }
    return text
  }

  /// Returns the key and the ID after which the next page starts, or `nil` on the last page.
  fileprivate func marker(_ idName: String) throws(StorageError) -> (key: String, id: String)? {
    guard try isTruncated() else { return nil }
    guard let marker = try text("NextKeyMarker") else {
      throw StorageError.malformedResponse("a truncated page has no continuation")
    }
    let key = try decodedName(marker, isEncoded: encodesNames())
    return (key, try ResponseValue(text(idName) ?? "", named: idName).text)
  }

  fileprivate func requireBucketAndKey(of request: DocumentRequest) throws(StorageError) {
    try requireBucket("Bucket", equals: request.bucket)
    try require("Key", equals: request.key ?? "")
  }
}

extension ListedObject {
  fileprivate init(_ node: XMLNode, key: String) throws(StorageError) {
    guard let size = try node.only("Size").flatMap({ Int64(digits: $0.text) }) else {
      throw StorageError.malformedResponse("a listed object has no size")
    }
    self.init(
      key: key, size: size, etag: node["ETag"]?.text,
      lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      storageClass: node["StorageClass"]?.text)
  }
}

extension ObjectVersion {
  fileprivate init(_ node: XMLNode, key: String) throws(StorageError) {
    guard let id = try node.text(ofOnly: "VersionId"), let isLatest = try node.text(ofOnly: "IsLatest") else {
      throw StorageError.malformedResponse("a listed version has no VersionId or no IsLatest")
    }
    let size = try node.text(ofOnly: "Size").flatMap { Int64(digits: $0) }
    guard size != nil || node.name == "DeleteMarker" else {
      throw StorageError.malformedResponse("a listed version has no size")
    }
    self.init(
      key: key, versionID: try ResponseValue(id, named: "VersionId").text, isLatest: isLatest == "true",
      isDeleteMarker: node.name == "DeleteMarker", size: size, etag: node["ETag"]?.text,
      lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      storageClass: node["StorageClass"]?.text)
  }
}

extension StoredPart {
  fileprivate init(_ node: XMLNode) throws(StorageError) {
    guard let number = try node.text(ofOnly: "PartNumber").flatMap({ Int(digits: $0) }), number > 0,
      number <= PartSizes.partLimit, let size = try node.text(ofOnly: "Size").flatMap({ Int64(digits: $0) }),
      let etag = try node.text(ofOnly: "ETag")
    else { throw StorageError.malformedResponse("a listed part has no number, size or ETag") }
    self.init(number: number, etag: etag, size: size)
  }
}

extension [UInt8] {
  /// Whether the bytes contain the name of an error's root element, so that only such documents are parsed twice.
  fileprivate var containErrorName: Bool {
    var unread = self[...]
    while let start = unread.firstIndex(of: UInt8(ascii: "E")) {
      if unread[start...].starts(with: "Error".utf8) { return true }
      unread = unread[(start + 1)...]
    }
    return false
  }
}
