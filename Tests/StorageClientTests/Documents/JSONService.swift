// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import StorageCrypto

/// The service of ``JSONBucket`` in the process: a transport that stores objects and responds with JSON documents.
final class JSONService: HTTPTransport {
  typealias Fault = @Sendable (_ method: HTTPRequest.Method, _ target: RequestTarget) -> HTTPStreamingResponse?

  private struct Object {
    let bytes: [UInt8]
    let fields: HTTPFields

    var tag: String { "\"\(MD5.hash(bytes).hex)\"" }
  }

  private struct State {
    var objects: [[UInt8]: Object] = [:]
    var uploads: [String: (fields: HTTPFields, parts: [Int: [UInt8]])] = [:]
    var started = 0
    var requests: [String] = []
    var documents: [String] = []
  }

  private let state = Lock(State())
  private let fault: Fault

  /// Creates an empty service, whose response is that of the fault unless it is `nil`.
  init(fault: @escaping Fault = { _, _ in nil }) {
    self.fault = fault
  }

  /// The requests, as method and path.
  var requests: [String] { state.withLock { $0.requests } }

  /// The documents that the client sent.
  var documents: [String] { state.withLock { $0.documents } }

  func client() -> StorageClient<JSONBucket> {
    StorageClient(JSONBucket(), credentials: key, configuration: .test, transport: self)
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    if Task.isCancelled { throw TransportError(.cancelled, "The task was cancelled.", remedy: "None.") }
    do {
      let bytes = try await bytes(of: body)
      let target = try RequestTarget(of: request, style: .path)
      guard request.headerFields[.authorization]?.hasPrefix("JSON ") == true else { return error(403, "Unsigned") }
      if let response = fault(request.method, target) { return response }
      return try state.withLock { state in
        state.requests.append("\(request.method) \(request.path ?? "")")
        if request.headerFields[.contentType] == "application/json", request.method == .post {
          state.documents.append(String(decoding: bytes, as: UTF8.self))
        }
        guard let key = target.key?.string else { return try bucketResponse(request, target, bytes, &state) }
        if let upload = target["uploadId"]?.string {
          return try partResponse(request, target, upload, key, bytes, &state)
        }
        return try objectResponse(request, target, key, bytes, &state)
      }
    } catch {
      throw TransportError(.connectionLost, "\(error)", remedy: "Repair the test.")
    }
  }

  private func bytes(of body: HTTPBody) async throws -> [UInt8] {
    switch body.content {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      var bytes: [UInt8] = []
      for try await chunk in stream { bytes += chunk }
      return bytes
    }
  }

  // MARK: The bucket

  private func bucketResponse(
    _ request: HTTPRequest, _ target: RequestTarget, _ body: [UInt8], _ state: inout State
  ) throws -> HTTPStreamingResponse {
    guard request.method == .post else { return page(target, state) }
    for name in try JSONValue(parsing: body)["names"]?.array ?? [] {
      let key = name.string ?? ""
      if !key.hasPrefix("locked") { state.objects[Array(key.utf8)] = nil }
    }
    let failed = try JSONValue(parsing: body)["names"]?.array?.filter { $0.string?.hasPrefix("locked") == true } ?? []
    return json(["failed": .array(failed.map { ["name": $0, "code": "Locked", "message": "It is locked."] })])
  }

  private func page(_ target: RequestTarget, _ state: State) -> HTTPStreamingResponse {
    let prefix = Array((target["prefix"]?.string ?? "").utf8)
    let delimiter = Array((target["delimiter"]?.string ?? "").utf8)
    let marker = Array((target["marker"]?.string ?? "").utf8)
    let limit = target["max-keys"].flatMap { Int($0.string) } ?? 1000
    var items: [JSONValue] = []
    var groups: [[UInt8]] = []
    var last: [UInt8] = []
    var isTruncated = false
    for (key, object) in state.objects.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
    where key.starts(with: prefix) {
      let end = delimiter.isEmpty ? nil : key.dropFirst(prefix.count).firstRange(of: delimiter)?.upperBound
      let name = end.map { Array(key[..<$0]) } ?? key
      guard marker.lexicographicallyPrecedes(name), name != last else { continue }
      guard items.count + groups.count < limit else {
        isTruncated = true
        break
      }
      last = name
      if end != nil {
        groups.append(name)
      } else {
        items.append([
          "name": .string(String(decoding: key, as: UTF8.self)), "tag": .string(object.tag),
          "bytes": .number(JSONNumber(object.bytes.count)),
        ])
      }
    }
    var page: JSONObject = ["bucket": .string(target.bucket?.string ?? ""), "items": .array(items)]
    page["groups"] = .array(groups.map { .string(String(decoding: $0, as: UTF8.self)) })
    if isTruncated { page["next"] = .string(String(decoding: last, as: UTF8.self)) }
    return json(.object(page))
  }

  // MARK: Objects

  private func objectResponse(
    _ request: HTTPRequest, _ target: RequestTarget, _ key: String, _ body: [UInt8], _ state: inout State
  ) throws -> HTTPStreamingResponse {
    let name = Array(key.utf8)
    switch request.method {
    case .post:
      state.started += 1
      state.uploads["U\(state.started)"] = (attributes(of: request), [:])
      return json(["upload": .string("U\(state.started)")])
    case .put:
      guard let source = HTTPField.Name("x-json-copy-source").flatMap({ request.headerFields[$0] }) else {
        let object = Object(bytes: body, fields: attributes(of: request))
        state.objects[name] = object
        return HTTPStreamingResponse(200, "", ["ETag": object.tag])
      }
      let encoded = source.dropFirst().split(separator: "/", maxSplits: 1).last ?? ""
      guard let original = String(encoded).percentDecodedBytes(plusIsSpace: false),
        let object = state.objects[original]
      else { return error(404, "Gone") }
      state.objects[name] = object
      return json(["tag": .string(object.tag)])
    case .delete:
      state.objects[name] = nil
      return HTTPStreamingResponse(204)
    default:
      guard let object = state.objects[name] else {
        return request.method == .head ? HTTPStreamingResponse(404) : error(404, "Gone")
      }
      return download(object, request)
    }
  }

  private func download(_ object: Object, _ request: HTTPRequest) -> HTTPStreamingResponse {
    var headers = ["ETag": object.tag]
    for field in object.fields { headers[field.name.rawName] = field.value }
    if let expected = request.headerFields[.ifMatch], expected != object.tag { return error(412, "Changed") }
    guard request.method == .get else {
      headers["Content-Length"] = "\(object.bytes.count)"
      return HTTPStreamingResponse(200, "", headers)
    }
    guard let range = request.headerFields[.range] else { return HTTPStreamingResponse(200, object.bytes, headers) }
    let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    let wanted =
      switch (ends.first ?? nil, ends.last ?? nil) {
      case (let first?, let last?): ByteRange(first...max(first, last))
      case (let first?, nil): ByteRange(first...)
      case (nil, let count): ByteRange.last(count ?? 1)
      }
    let size = Int64(object.bytes.count)
    guard let bytes = wanted.bytes(of: size) else { return error(416, "Outside") }
    headers["Content-Range"] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(size)"
    return HTTPStreamingResponse(206, Array(object.bytes[Int(bytes.lowerBound)..<Int(bytes.upperBound)]), headers)
  }

  private func attributes(of request: HTTPRequest) -> HTTPFields {
    HTTPFields(
      request.headerFields.filter { $0.name == .contentType || $0.name.canonicalName.hasPrefix("x-json-meta-") })
  }

  // MARK: Multipart uploads

  private func partResponse(
    _ request: HTTPRequest, _ target: RequestTarget, _ id: String, _ key: String, _ body: [UInt8], _ state: inout State
  ) throws -> HTTPStreamingResponse {
    guard let upload = state.uploads[id] else { return error(404, "NoUpload") }
    switch request.method {
    case .put:
      let number = target["partNumber"].flatMap { Int($0.string) } ?? 0
      state.uploads[id]?.parts[number] = body
      return HTTPStreamingResponse(200, "", ["ETag": Object(bytes: body, fields: [:]).tag])
    case .delete:
      state.uploads[id] = nil
      return HTTPStreamingResponse(204)
    default:
      let parts = try JSONValue(parsing: body)["parts"]?.array ?? []
      let bytes = parts.flatMap { upload.parts[$0["number"]?.integer ?? 0] ?? [] }
      let tags = parts.allSatisfy { part in
        let stored = Object(bytes: upload.parts[part["number"]?.integer ?? 0] ?? [], fields: [:])
        return part["tag"]?.string == stored.tag
      }
      guard tags, !parts.isEmpty else { return error(400, "WrongParts") }
      state.uploads[id] = nil
      let object = Object(bytes: bytes, fields: upload.fields)
      state.objects[Array(key.utf8)] = object
      return json(["tag": .string(object.tag)])
    }
  }

  // MARK: Documents

  private func json(_ document: JSONValue) -> HTTPStreamingResponse {
    HTTPStreamingResponse(200, document.serialized, ["Content-Type": "application/json", "ETag": ""])
  }

  private func error(_ status: Int, _ code: String) -> HTTPStreamingResponse {
    HTTPStreamingResponse(
      status, #"{"error":{"code":"\#(code)","message":"It is refused."}}"#, ["x-json-request-id": "R"])
  }
}
