// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The simulated Node API, which authenticates the caller of a request, routes the request and performs it.
struct NodeAPI: Sendable {
  static let endpoint = LocalCloud.Endpoint.node

  let aspera: AsperaContext

  /// The port of the simulated transfer server, which setup responses contain.
  let transferPort: Int

  /// Authenticates the caller of a request, performs the request and returns the response.
  ///
  /// - Throws: `RefusalAnswer` or `FileProblem` if the request is rejected.
  func answer(to call: InboundCall) async throws -> Answer {
    if call.request.headerFields[.authorization] == nil {
      aspera.cloud.counters.count(Self.endpoint) { $0.unsigned += 1 }
    }
    let caller = try NodeAuthenticator(directory: aspera.directory).caller(of: call)
    let names = call.path.words(between: "/").map(String.init)
    switch (call.request.method, names.first, names.count) {
    case (.get, "info", 1): return info()
    case (.get, "access_keys", 1): return accessKeys(for: caller)
    case (.get, "access_keys", 2): return try accessKey(names[1], for: caller)
    case (.put, "access_keys", 2): return try setAccessKey(names[1], to: document(of: call), for: caller)
    case (.post, "public_keys", 1): return try addPublicKey(document(of: call))
    case (.post, "files", 2):
      guard let answer = try await files(names[1], document(of: call), at: call.date, for: caller) else { break }
      return answer
    default: break
    }
    throw RefusalAnswer.node(.notFound, "There is no \(call.request.method.rawValue) \(call.path) here.")
  }

  /// Returns the HTTP response for an error, with the error document of the Node API.
  func answer(for error: RefusalAnswer) -> Answer { Answer(["error": error.nodeDocument], error.status) }

  private func files(
    _ action: String, _ document: JSONValue, at date: Timestamp, for caller: NodeCaller
  ) async throws -> Answer? {
    switch action {
    case "upload_setup": try setup(.send, document, at: date)
    case "download_setup": try setup(.receive, document, at: date)
    case "browse": try browse(document)
    case "create": try await forEachPath(document) { try await create($0, at: date) }
    case "delete": try await forEachPath(document) { try await delete($0) }
    case "rename": try await forEachPath(document) { try await rename($0, at: date) }
    default: nil
    }
  }

  private func document(of call: InboundCall) throws(RefusalAnswer) -> JSONValue {
    guard let document = try? JSONValue(parsing: call.call.body), document.object != nil else {
      throw .nodeBadRequest("The body is not an object in JSON.")
    }
    return document
  }

  private func info() -> Answer {
    Answer([
      "application": "node", "version": "4.4.6", "current_time": .string(aspera.cloud.now.iso8601),
      "transfer_user": .string(aspera.directory.transferUser),
      "settings": [["name": "ssh_fingerprint", "value": .string(aspera.hostKey.description)]],
    ])
  }
}
