internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension ListPage {
  /// Reads a page of a listing whose names the service percent-encoded, so that every name survives XML.
  init(_ document: XMLNode, dialect: ServiceDialect) throws(StorageError) {
    func name(_ node: XMLNode?) throws(StorageError) -> String {
      guard let node, let bytes = node.text.percentDecodedBytes(plusIsSpace: dialect.encodesSpaceAsPlus),
        let name = String(validating: bytes, as: UTF8.self)
      else { throw StorageError.malformedAnswer("a listed name is missing or is not percent-encoded UTF-8") }
      return try AnswerValue(name, named: "listed name").text
    }
    var entries: [ListEntry] = []
    for node in document.children {
      switch node.name {
      case "Contents": entries.append(.object(try ListedObject(node, key: name(node["Key"]))))
      case "CommonPrefixes": entries.append(.commonPrefix(try name(node["Prefix"])))
      default: break
      }
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    guard document["IsTruncated"]?.text == "true" else {
      self.init(entries: entries, continuation: nil)
      return
    }
    switch dialect.paging {
    case .continuationToken:
      guard let token = document["NextContinuationToken"]?.text, !token.isEmpty else {
        throw StorageError.malformedAnswer("a page is not the last one and does not say how to go on")
      }
      self.init(entries: entries, continuation: try AnswerValue(token, named: "NextContinuationToken").text)
    case .marker:
      let marker = try document["NextMarker"].map { node throws(StorageError) in try name(node) }
      guard let marker = marker ?? entries.last?.name else {
        throw StorageError.malformedAnswer("a page is not the last one and does not say how to go on")
      }
      self.init(entries: entries, continuation: marker)
    }
  }
}

extension ListedObject {
  fileprivate init(_ node: XMLNode, key: String) throws(StorageError) {
    guard let size = node["Size"].flatMap({ Int64(digits: $0.text) }) else {
      throw StorageError.malformedAnswer("a listed object has no size")
    }
    self.init(
      key: key, size: size, etag: node["ETag"]?.text,
      lastModified: node["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      storageClass: node["StorageClass"]?.text)
  }
}
