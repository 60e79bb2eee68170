// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageClient
import StorageCrypto

/// A simulated service with one bucket, without a network.
///
/// All functions run on the thread of the scheduler.
final class Service: @unchecked Sendable {
  struct Object {
    var bytes: [UInt8]
    var modified: Int64
    var etag: String
  }

  struct Upload {
    var key: [UInt8]
    var parts: [Int: [UInt8]] = [:]
  }

  /// A way in which a listing is wrong.
  enum Lie: CaseIterable {
    case page, error, otherResult, noEnd, unsorted, twice, foreign, endless, emptyPages, otherPrefix
  }

  let disk: Disk
  let bucket: String
  /// Whether responses have the checksums of objects.
  let hasChecksums: Bool
  var objects: [[UInt8]: Object] = [:]
  var uploads: [String: Upload] = [:]
  /// The fault of the next listings, or `nil`.
  var lie: Lie?
  /// Whether the last answer was a listing that a client can see to be wrong.
  private(set) var isLying = false
  /// The first and the last key of the last answer, if it was a page of an endless listing.
  private(set) var endlessPage: (first: [UInt8], last: [UInt8])?
  private var lastTag = 0

  init(_ disk: Disk, bucket: String, hasChecksums: Bool) {
    self.disk = disk
    self.bucket = bucket
    self.hasChecksums = hasChecksums
  }

  func store(_ bytes: [UInt8], _ key: [UInt8]) {
    lastTag += 1
    objects[key] = Object(bytes: bytes, modified: disk.now, etag: "\"e\(lastTag)\"")
  }

  /// Starts a run in which listings are as they should be, or wrong.
  func begin(_ lie: Lie?) {
    self.lie = lie
  }

  // MARK: Requests

  func answer(_ request: HTTPRequest, _ body: [UInt8]) -> (HTTPResponse, [UInt8]) {
    isLying = false
    endlessPage = nil
    let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
    var parameters: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1)
      parameters[String(sides[0])] = sides.count > 1 ? String(decoding: decoded(sides[1]), as: UTF8.self) : ""
    }
    var path = decoded(parts.first ?? "").dropFirst()
    // Either the path or the host has the name of the bucket.
    if path.starts(with: Array(bucket.utf8)) { path = path.dropFirst(bucket.utf8.count).dropFirst() }
    let key = Array(path)
    switch (request.method, key.isEmpty) {
    case (.get, true): return list(parameters)
    case (.post, true): return deleteMany(body)
    case (.get, false) where parameters["uploadId"] != nil: return listParts(parameters["uploadId"] ?? "")
    case (.get, false), (.head, false): return get(request, key)
    case (.put, false) where parameters["partNumber"] != nil:
      guard let id = parameters["uploadId"], uploads[id] != nil else { return refusal(404, "NoSuchUpload") }
      uploads[id]?.parts[Int(parameters["partNumber"] ?? "") ?? 0] = body
      return (head(200, ["ETag": tag(body)], checksumOf: body), [])
    case (.put, false):
      if let source = request.headerFields.first(where: { $0.name.canonicalName.hasSuffix("copy-source") })?.value {
        return copy(source, key)
      }
      store(body, key)
      return (head(200, ["ETag": objects[key]?.etag ?? ""], checksumOf: body), [])
    case (.post, false) where parameters["uploads"] != nil:
      lastTag += 1
      uploads["u\(lastTag)"] = Upload(key: key)
      return document(
        "InitiateMultipartUploadResult",
        "<Bucket>\(bucket)</Bucket><Key>\(encoded(key))</Key><EncodingType>url</EncodingType>"
          + "<UploadId>u\(lastTag)</UploadId>")
    case (.post, false): return complete(parameters["uploadId"] ?? "")
    case (.delete, false):
      if let id = parameters["uploadId"] { uploads[id] = nil } else { objects[key] = nil }
      return (head(204), [])
    default: return refusal(405, "MethodNotAllowed")
    }
  }

  private func get(_ request: HTTPRequest, _ key: [UInt8]) -> (HTTPResponse, [UInt8]) {
    guard let object = objects[key] else { return refusal(404, "NoSuchKey") }
    if let match = request.headerFields[.ifMatch], match != object.etag { return refusal(412, "PreconditionFailed") }
    var fields = ["ETag": object.etag, "Last-Modified": Timestamp(unixSeconds: object.modified).httpDate]
    var bytes = object.bytes[...]
    var status = 200
    if let range = request.headerFields[.range]?.dropFirst(6).split(separator: "-"),
      let first = range.first.flatMap({ Int($0) })
    {
      guard first < object.bytes.count else { return refusal(416, "InvalidRange") }
      let last = min(range.count > 1 ? Int(range[1]) ?? 0 : .max, object.bytes.count - 1)
      bytes = object.bytes[first...last]
      status = 206
      fields["Content-Range"] = "bytes \(first)-\(last)/\(object.bytes.count)"
    }
    fields["Content-Length"] = "\(bytes.count)"
    return (head(status, fields, checksumOf: object.bytes), request.method == .head ? [] : Array(bytes))
  }

  private func copy(_ source: String, _ key: [UInt8]) -> (HTTPResponse, [UInt8]) {
    let path = decoded(source[...])
    guard let start = path.dropFirst().firstIndex(of: UInt8(ascii: "/")),
      let object = objects[Array(path[(start + 1)...])]
    else { return refusal(404, "NoSuchKey") }
    store(object.bytes, key)
    return document("CopyObjectResult", "<ETag>\(objects[key]?.etag ?? "")</ETag>")
  }

  private func deleteMany(_ body: [UInt8]) -> (HTTPResponse, [UInt8]) {
    // Of bytes: a tag that is followed by a combining character is no tag for Swift.
    var rest = body[...]
    while let start = rest.firstRange(of: Array("<Key>".utf8)) {
      rest = rest[start.upperBound...]
      let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
      objects[unescaped(Array(rest[..<end]))] = nil
    }
    return document("DeleteResult", "")
  }

  private func listParts(_ id: String) -> (HTTPResponse, [UInt8]) {
    guard let upload = uploads[id] else { return refusal(404, "NoSuchUpload") }
    let parts = upload.parts.sorted { $0.key < $1.key }.map {
      "<Part><PartNumber>\($0.key)</PartNumber><ETag>\(tag($0.value))</ETag><Size>\($0.value.count)</Size></Part>"
    }
    return document(
      "ListPartsResult",
      "<Bucket>\(bucket)</Bucket><Key>\(encoded(upload.key))</Key><EncodingType>url</EncodingType>"
        + "<UploadId>\(id)</UploadId><IsTruncated>false</IsTruncated>" + parts.joined())
  }

  private func complete(_ id: String) -> (HTTPResponse, [UInt8]) {
    guard let upload = uploads.removeValue(forKey: id) else { return refusal(404, "NoSuchUpload") }
    let bytes = upload.parts.sorted { $0.key < $1.key }.flatMap(\.value)
    store(bytes, upload.key)
    let (_, body) = document(
      "CompleteMultipartUploadResult",
      "<Bucket>\(bucket)</Bucket><Key>\(encoded(upload.key))</Key><EncodingType>url</EncodingType>"
        + "<ETag>\(objects[upload.key]?.etag ?? "")</ETag>")
    return (head(200, ["Content-Length": "\(body.count)"], checksumOf: bytes), body)
  }

  // MARK: Listings

  private func list(_ parameters: [String: String]) -> (HTTPResponse, [UInt8]) {
    let prefix = Array((parameters["prefix"] ?? "").utf8)
    let after = parameters["continuation-token"].map { decoded($0[...]) } ?? Array((parameters["marker"] ?? "").utf8)
    var keys = objects.keys.filter { $0.starts(with: prefix) && after.lexicographicallyPrecedes($0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let limit = Int(parameters["max-keys"] ?? "") ?? 1000
    let isTruncated = keys.count > limit
    keys = Array(keys.prefix(limit))
    var (end, prefixText) = ("\(isTruncated)", encoded(prefix))
    var next = isTruncated ? keys.last : nil
    switch lie {
    case nil: break
    case .page?:
      isLying = true
      return (head(200, ["Content-Type": "text/html"]), Array("<html><body>Log in.</body></html>".utf8))
    case .error?:
      isLying = true
      return document("Error", "<Code>InternalError</Code><Message>No.</Message>")
    case .otherResult?:
      isLying = true
      return document("ListAllMyBucketsResult", "<Buckets></Buckets><IsTruncated>false</IsTruncated>")
    case .noEnd?:
      isLying = true
      end = "maybe"
    case .unsorted? where keys.count > 1:
      isLying = true
      keys.swapAt(0, keys.count - 1)
    case .twice? where !keys.isEmpty:
      isLying = true
      keys.insert(keys[0], at: 0)
    case .foreign? where !prefix.isEmpty:
      isLying = true
      keys.append(Array("~foreign".utf8))
    case .endless? where !keys.isEmpty:
      endlessPage = (keys[0], keys[keys.count - 1])
      // Two tokens alternate, both before all keys.
      hasSentFirstToken.toggle()
      (end, next) = ("true", prefix + [UInt8(ascii: hasSentFirstToken ? "!" : "\"")])
    case .emptyPages?:
      // The listing can be seen to be wrong when the token comes back.
      (keys, end, next) = ([], "true", prefix + [UInt8(ascii: "!")])
    case .otherPrefix? where !prefix.isEmpty:
      isLying = true
      prefixText = "other"
    default: break
    }
    var text = "<Name>\(bucket)</Name><Prefix>\(prefixText)</Prefix><EncodingType>url</EncodingType>"
    text += end == "maybe" ? "" : "<IsTruncated>\(end)</IsTruncated>"
    if let next {
      let name = parameters["list-type"] == nil ? "NextMarker" : "NextContinuationToken"
      text += "<\(name)>\(encoded(next))</\(name)>"
    }
    for key in keys {
      let object = objects[key] ?? Object(bytes: [], modified: disk.now, etag: "\"f\"")
      text +=
        "<Contents><Key>\(encoded(key))</Key><Size>\(object.bytes.count)</Size><ETag>\(object.etag)</ETag>"
        + "<LastModified>\(Timestamp(unixSeconds: object.modified).iso8601)</LastModified></Contents>"
    }
    return document("ListBucketResult", text)
  }

  /// Whether the first of two alternating tokens was sent last.
  private var hasSentFirstToken = false

  // MARK: Messages

  private func head(_ status: Int, _ fields: [String: String] = [:], checksumOf bytes: [UInt8]? = nil) -> HTTPResponse {
    var response = HTTPResponse(status: .init(code: status))
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { response.headerFields[name] = value }
    }
    if hasChecksums, let bytes {
      let value = "\(ObjectChecksum(.crc64, of: bytes).value)"
      for name in ["x-oss-hash-crc64ecma", "x-cos-hash-crc64ecma"] {
        if let name = HTTPField.Name(name) { response.headerFields[name] = value }
      }
    }
    return response
  }

  private func document(_ root: String, _ content: String) -> (HTTPResponse, [UInt8]) {
    let body = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?><\(root)>\(content)</\(root)>".utf8)
    return (head(200, ["Content-Type": "application/xml", "Content-Length": "\(body.count)"]), body)
  }

  private func refusal(_ status: Int, _ code: String) -> (HTTPResponse, [UInt8]) {
    let (_, body) = document("Error", "<Code>\(code)</Code><Message>No.</Message>")
    return (head(status, ["Content-Length": "\(body.count)"]), body)
  }

  private func tag(_ bytes: [UInt8]) -> String { "\"\(MD5.hash(bytes).hex)\"" }

  private func encoded(_ bytes: [UInt8]) -> String {
    bytes.map { "%" + String(UInt16($0) + 0x100, radix: 16, uppercase: true).suffix(2) }.joined()
  }

  private func decoded(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
      while let range = bytes.firstRange(of: Array(name.utf8)) {
        bytes.replaceSubrange(range, with: Array(character.utf8))
      }
    }
    return bytes
  }
}

/// The connection of one process to a service, with faults.
final class Connection: HTTPTransport, @unchecked Sendable {
  private let service: Service
  private let process: SimulatedFiles
  /// Returns what goes wrong with the next request.
  var fault: () -> Fault? = { nil }
  /// The last key of the last page of an endless listing.
  private var lastEndlessKey: [UInt8]?

  enum Fault: CaseIterable {
    /// The service refuses the request.
    case refused
    /// The connection ends before the request arrives, after it, or in the middle of the response.
    case lostBefore, lostAfter, lostInBody
    /// A proxy answers with a page, and the request does not arrive.
    case page
  }

  init(_ service: Service, _ process: SimulatedFiles) {
    self.service = service
    self.process = process
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let lost = TransportError(.connectionLost, "The connection was lost.", remedy: "None.")
    await Scheduler.pause()
    let fault = fault()
    if fault == .lostBefore || (try? process.enter()) == nil { throw lost }
    if fault == .page {
      return response(
        HTTPResponse(status: .ok, headerFields: [.contentType: "text/html", .contentLength: "6"]), Array("<html>".utf8))
    }
    if fault == .refused {
      return response(HTTPResponse(status: .serviceUnavailable), Array("<Error><Code>SlowDown</Code></Error>".utf8))
    }
    var bytes: [UInt8] = []
    switch body.content {
    case .none: break
    case .bytes(let content): bytes = content
    case .stream(let stream):
      do {
        for try await chunk in stream { bytes += chunk }
      } catch {
        throw lost
      }
      guard Int64(bytes.count) == body.length else { throw lost }
    }
    guard (try? process.enter()) != nil else { throw lost }
    let (head, content) = service.answer(request, bytes)
    let (isLying, endlessPage) = (service.isLying, service.endlessPage)
    await Scheduler.pause()
    if fault == .lostAfter { throw lost }
    if fault == nil {
      if isLying || repeats(endlessPage) { process.hasReceivedLie = true }
      lastEndlessKey = endlessPage?.last
    }
    return response(head, content, endsEarly: fault == .lostInBody && content.count > 1)
  }

  /// Returns whether a page of an endless listing has a key that does not follow those before.
  ///
  /// If another program has deleted those, no client can see that the listing is wrong.
  private func repeats(_ page: (first: [UInt8], last: [UInt8])?) -> Bool {
    guard let lastEndlessKey, let page else { return false }
    return !lastEndlessKey.lexicographicallyPrecedes(page.first)
  }

  private func response(_ head: HTTPResponse, _ content: [UInt8], endsEarly: Bool = false) -> HTTPStreamingResponse {
    guard endsEarly else { return HTTPStreamingResponse(response: head, body: ByteStream(content)) }
    return HTTPStreamingResponse(
      response: head,
      body: ByteStream {
        var isFirst = true
        return {
          defer { isFirst = false }
          if isFirst { return Array(content.prefix(content.count / 2)) }
          throw TransportError(.connectionLost, "The connection was lost.", remedy: "None.")
        }
      })
  }
}
