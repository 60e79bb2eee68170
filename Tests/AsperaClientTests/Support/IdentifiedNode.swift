// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageClient

/// A node without a network that identifies files by IDs, with a transfer engine for its files.
///
/// Operations that IBM's Node API offers only with Basic authorization are refused.
final class IdentifiedNode: TransferEngine {
  private struct File {
    var name: String
    var parent: String
    /// The content of the file, or `nil` for a folder.
    var bytes: [UInt8]?
    var type: String?
  }

  private struct State {
    var files: [String: File] = [:]
    var last = 100
    var accepted: Set<String> = []
    var attempts: [TransferSpec] = []
    var publicKeys: [JSONValue] = []
    var filtersNames = true
    var repeatsTokens = false
  }

  private let state = Lock(State())

  /// Creates a node with an empty root folder that has the ID 1.
  ///
  /// - Parameter accepted: The `Authorization` values that the node accepts.
  init(accepting accepted: Set<String> = ["Bearer eJx1"]) {
    state.withLock { $0.accepted = accepted }
  }

  /// The signed specification of each transfer attempt.
  var attempts: [TransferSpec] { state.withLock { $0.attempts } }
  /// The bodies of the requests that registered a public key.
  var publicKeys: [JSONValue] { state.withLock { $0.publicKeys } }
  /// The contents of all files by their paths.
  var contents: [String: [UInt8]] {
    state.withLock { state in
      var contents: [String: [UInt8]] = [:]
      for (id, file) in state.files { if let bytes = file.bytes { contents[Self.path(id, in: state)] = bytes } }
      return contents
    }
  }

  /// Changes the `Authorization` values that are accepted.
  func accept(_ accepted: Set<String>) { state.withLock { $0.accepted = accepted } }
  /// Returns all entries whatever name a request asks for.
  func ignoreNames() { state.withLock { $0.filtersNames = false } }
  /// Returns the same iteration token with every page.
  func repeatTokens() { state.withLock { $0.repeatsTokens = true } }

  /// Adds a file with its parent folders, and returns the file's ID.
  @discardableResult func put(_ bytes: [UInt8]?, at path: String, type: String? = nil, below root: String = "1")
    -> String
  {
    state.withLock { state in
      var parent = root
      let names = path.split(separator: "/").map(String.init)
      for name in names.dropLast() { parent = Self.add(File(name: name, parent: parent), to: &state) }
      return Self.add(File(name: names.last ?? "", parent: parent, bytes: bytes, type: type), to: &state)
    }
  }

  /// Renames a file or folder, which keeps its ID.
  func rename(_ id: String, to name: String) { state.withLock { $0.files[id]?.name = name } }

  /// Removes a file, or a folder with its content.
  func remove(_ id: String) { state.withLock { Self.remove(id, from: &$0) } }

  private static func add(_ file: File, to state: inout State) -> String {
    if let known = state.files.first(where: { $0.value.parent == file.parent && $0.value.name == file.name })?.key {
      if file.bytes != nil { state.files[known]?.bytes = file.bytes }
      return known
    }
    state.last += 1
    state.files["\(state.last)"] = file
    return "\(state.last)"
  }

  private static func remove(_ id: String, from state: inout State) {
    for child in state.files.filter({ $0.value.parent == id }).keys { remove(child, from: &state) }
    state.files[id] = nil
  }

  private static func path(_ id: String, in state: State) -> String {
    guard let file = state.files[id] else { return "" }
    return path(file.parent, in: state) + "/" + file.name
  }

  // MARK: Node API

  @Sendable func reply(to request: RecordingTransport.Recorded) async throws(TransportError) -> HTTPStreamingResponse {
    guard state.withLock({ $0.accepted.contains(request.headers[.authorization] ?? "") }) else {
      return Self.refusal(401)
    }
    let path = request.path.split(separator: "?")[0]
    let names = path.split(separator: "/").map(String.init)
    switch (request.method, names.first, names.count) {
    case (.get, "self", 1): return Self.reply(["id": "ak", "root_file_id": "1"])
    case (.post, "public_keys", 1):
      guard let body = try? JSONValue(parsing: request.body) else { return Self.refusal(400) }
      state.withLock { $0.publicKeys.append(body) }
      return HTTPStreamingResponse(201, body.serialized, [:])
    case (.get, "files", 3): return children(of: names[1], request)
    case (.post, "files", 3): return create(in: names[1], request)
    case (.put, "files", 2):
      guard let name = (try? JSONValue(parsing: request.body))?["name"]?.string else { return Self.refusal(400) }
      rename(names[1], to: name)
      return HTTPStreamingResponse(204, [UInt8](), [:])
    case (.delete, "files", 2):
      guard state.withLock({ $0.files[names[1]] != nil }) else { return Self.refusal(404) }
      remove(names[1])
      return HTTPStreamingResponse(204, [UInt8](), [:])
    default: return Self.refusal(403)
    }
  }

  private func children(of id: String, _ request: RecordingTransport.Recorded) -> HTTPStreamingResponse {
    state.withLock { state in
      guard id == "1" || state.files[id] != nil else { return Self.refusal(404) }
      guard request.headers.contains(where: { $0.name.canonicalName == "accept-version" && $0.value == "4.0" }) else {
        return Self.refusal(400)
      }
      let name = state.filtersNames ? request.parameter("name")?.removingPercentEncoding : nil
      let found = state.files.filter { $0.value.parent == id && (name ?? $0.value.name) == $0.value.name }
        .sorted { $0.key > $1.key }
      let start = Int(request.parameter("iteration_token").map { String($0.dropFirst(5)) } ?? "0") ?? 0
      let limit = Int(request.parameter("per_page") ?? "") ?? 0
      let page = found.dropFirst(start).prefix(limit)
      var headers: [String: String] = [:]
      if start + limit < found.count || state.repeatsTokens {
        headers["X-Aspera-Next-Iteration-Token"] = "page-\(state.repeatsTokens ? 0 : start + limit)"
      }
      let items = page.map { id, file in
        [
          "id": .string(id), "name": .string(file.name),
          "type": .string(file.type ?? (file.bytes == nil ? "folder" : "file")),
          "size": file.bytes.map { .number(JSONNumber($0.count)) } ?? .null, "modified_time": "2026-11-20T08:00:00Z",
        ] as JSONValue
      }
      return HTTPStreamingResponse(200, JSONValue.array(items).serialized, headers)
    }
  }

  private func create(in id: String, _ request: RecordingTransport.Recorded) -> HTTPStreamingResponse {
    guard let body = try? JSONValue(parsing: request.body), let name = body["name"]?.string, body["type"] == "folder"
    else { return Self.refusal(400) }
    return state.withLock { state in
      guard id == "1" || state.files[id] != nil else { return Self.refusal(404) }
      guard !state.files.contains(where: { $0.value.parent == id && $0.value.name == name }) else {
        return Self.refusal(409)
      }
      return Self.reply(["id": .string(Self.add(File(name: name, parent: id), to: &state)), "name": .string(name)])
    }
  }

  private static func refusal(_ status: Int) -> HTTPStreamingResponse {
    HTTPStreamingResponse(status, #"{"error":{"code":\#(status),"reason":"No","user_message":"Not here."}}"#)
  }

  private static func reply(_ value: JSONValue) -> HTTPStreamingResponse {
    HTTPStreamingResponse(200, value.serialized, [:])
  }

  // MARK: Transfers

  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    report(.connecting)
    let isAccepted = state.withLock { state in
      state.attempts.append(spec)
      return state.accepted.contains(spec.token?.reveal() ?? "")
    }
    guard isAccepted else {
      throw TransferFailure(.token(.expired), code: 34, "Token expired.", remedy: "Get another.")
    }
    guard let tags = spec.tags?["aspera"]?["node"], tags["access_key"] == "ak", let folder = tags["file_id"]?.string
    else { throw TransferFailure(.authorization, code: 34, "No tags.", remedy: "Send them.") }
    report(.running)
    var count: Int64 = 0
    for path in spec.paths {
      count += try spec.direction == .send ? upload(path, to: folder) : download(path, spec, from: folder)
    }
    report(.progress(TransferProgressReport(bytes: count)))
    return TransferSummary(bytes: count, files: spec.paths.count)
  }

  private func upload(_ path: TransferPath, to folder: String) throws(TransferFailure) -> Int64 {
    guard let data = FileManager.default.contents(atPath: path.source) else { throw Self.missing }
    put(Array(data), at: path.destination ?? "", below: folder)
    return Int64(data.count)
  }

  private func download(
    _ path: TransferPath, _ spec: TransferSpec, from folder: String
  ) throws(TransferFailure) -> Int64 {
    let bytes = state.withLock { state in
      state.files.values.first { $0.parent == folder && $0.name == path.source }?.bytes
    }
    let target = "\(spec.destinationRoot ?? "")/\(path.destination ?? "")"
    guard let bytes, FileManager.default.createFile(atPath: target, contents: Data(bytes)) else { throw Self.missing }
    return Int64(bytes.count)
  }

  private static let missing = TransferFailure(.caller, code: 4, "No such file.", remedy: "Look.")
}
