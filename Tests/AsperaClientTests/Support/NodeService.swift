// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageClient

/// A node without a network: its Node API for a ``RecordingTransport`` and its files for a ``FileEngine``.
final class NodeService: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var folders: Set<String> = ["/"]
    var accepted: Set<String>
    var tokens: Set<String> = []
    var issued = 0
  }

  /// Additional fields of the specification in each setup response.
  private let answer: JSONObject
  private let state: Lock<State>

  init(accepting accepted: Set<String> = [NodeService.authorization], answer: JSONObject = JSONObject()) {
    self.answer = answer
    state = Lock(State(accepted: accepted))
  }

  /// The `Authorization` header of ``nodeAccess``.
  static let authorization = "Basic " + Data("mia:not-a-password".utf8).base64EncodedString()

  var files: [String: [UInt8]] { state.withLock { $0.files } }
  var tokensIssued: Int { state.withLock { $0.issued } }

  /// Changes the `Authorization` headers that are accepted.
  func accept(_ accepted: Set<String>) { state.withLock { $0.accepted = accepted } }

  /// Revokes all tokens that were issued so far.
  func revokeTokens() { state.withLock { $0.tokens = [] } }

  /// Returns a new transfer token, which the node accepts.
  func issueToken() -> String {
    state.withLock { state in
      state.issued += 1
      state.tokens.insert("ATM2_token-\(state.issued)")
      return "ATM2_token-\(state.issued)"
    }
  }

  func takes(_ token: String?) -> Bool { state.withLock { $0.tokens.contains(token ?? "") } }

  func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      state.files[path] = bytes
      var folder = path
      while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
        folder = String(folder[..<slash])
        state.folders.insert(folder)
      }
    }
  }

  func makeFolder(_ path: String) { state.withLock { _ = $0.folders.insert(path) } }

  @Sendable func reply(to request: RecordingTransport.Recorded) async throws(TransportError) -> HTTPStreamingResponse {
    guard state.withLock({ $0.accepted.contains(request.headers[.authorization] ?? "") }) else {
      return HTTPStreamingResponse(
        401, #"{"error":{"code":401,"reason":"Unauthorized","user_message":"Who are you?"}}"#)
    }
    guard let body = try? JSONValue(parsing: request.body) else { return HTTPStreamingResponse(400, "{}") }
    switch request.path.split(separator: "/").last {
    case "browse": return browse(body)
    case "delete":
      return each(body) { state, path in
        guard state.files[path] != nil || state.folders.contains(path) else { return 404 }
        state.files = state.files.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        state.folders = state.folders.filter { $0 != path && !$0.hasPrefix(path + "/") }
        return nil
      }
    case "create":
      return each(body) { state, path in
        if state.files[path] != nil { return 409 }
        state.folders.insert(path)
        return nil
      }
    case "upload_setup": return setUp("send", body)
    case "download_setup": return setUp("receive", body)
    default: return HTTPStreamingResponse(404, #"{"error":{"code":404,"reason":"Not Found"}}"#)
    }
  }

  private func browse(_ body: JSONValue) -> HTTPStreamingResponse {
    let path = body["path"]?.string ?? ""
    return state.withLock { state in
      if let bytes = state.files[path] {
        return Self.reply(["self": Self.element(path, bytes), "items": [], "total_count": 0])
      }
      guard state.folders.contains(path) else {
        return HTTPStreamingResponse(404, #"{"error":{"code":404,"reason":"Not Found","user_message":"No such file"}}"#)
      }
      let base = path == "/" ? "/" : path + "/"
      func isInside(_ name: String) -> Bool {
        name != path && name.hasPrefix(base) && !name.dropFirst(base.count).contains("/")
      }
      // The entries are unsorted, like those of a directory.
      let names = (state.files.keys.filter(isInside) + state.folders.filter(isInside)).sorted(by: >)
      let page = names.dropFirst(body["skip"]?.integer ?? 0).prefix(body["count"]?.integer ?? 100)
      return Self.reply([
        "self": Self.element(path, nil), "items": .array(page.map { Self.element($0, state.files[$0]) }),
        "total_count": .number(JSONNumber(names.count)),
      ])
    }
  }

  private func each(_ body: JSONValue, _ act: (inout State, String) -> Int?) -> HTTPStreamingResponse {
    let results = (body["paths"]?.array ?? []).map { element -> JSONValue in
      let path = element["path"]?.string ?? ""
      guard let code = state.withLock({ act(&$0, path) }) else { return ["path": .string(path)] }
      return ["path": .string(path), "error": ["code": .number(JSONNumber(code)), "user_message": "No."]]
    }
    return Self.reply(["paths": .array(results)])
  }

  private func setUp(_ direction: JSONValue, _ body: JSONValue) -> HTTPStreamingResponse {
    let request = body["transfer_requests"]?[0]?["transfer_request"]
    let token = issueToken()
    let base: JSONValue = [
      "direction": direction, "token": .string(token), "remote_host": "files.example.com", "remote_user": "xfer",
      "ssh_port": 33002, "sshfp": .null, "paths": request?["paths"] ?? [],
      "destination_root": request?["destination_root"] ?? "/",
    ]
    var specification = base.object ?? JSONObject()
    for (name, value) in answer { specification[name] = value }
    return Self.reply(["transfer_specs": [["transfer_spec": .object(specification)]]])
  }

  private static func element(_ path: String, _ bytes: [UInt8]?) -> JSONValue {
    [
      "path": .string(path), "basename": .string(path.split(separator: "/").last.map(String.init) ?? "/"),
      "type": bytes == nil ? "directory" : "file", "size": .number(JSONNumber(bytes?.count ?? 4096)),
      "mtime": "2026-11-20T08:00:00Z",
    ]
  }

  private static func reply(_ value: JSONValue) -> HTTPStreamingResponse {
    HTTPStreamingResponse(200, value.serialized, [:])
  }
}
