// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import StorageJSON

/// A client of the Node API of a server.
struct NodeClient: Sendable {
  let cloud: LocalCloud

  /// The header fields that authenticate the client.
  var headers: [String: String]

  init(_ cloud: LocalCloud, basic id: String = "test-id", _ secret: String = "test-secret") {
    self.cloud = cloud
    headers = ["Authorization": basicAuthorization(id, secret)]
  }

  init(_ cloud: LocalCloud, headers: [String: String]) {
    self.cloud = cloud
    self.headers = headers
  }

  func get(_ path: String) async throws -> Reply { try await send(.GET, path, nil) }

  func post(_ path: String, _ document: JSONValue) async throws -> Reply { try await send(.POST, path, document) }

  func put(_ path: String, _ document: JSONValue) async throws -> Reply { try await send(.PUT, path, document) }

  /// Sets up a transfer and returns its specification.
  func setup(_ name: String, _ request: JSONValue) async throws -> JSONValue? {
    let reply = try await post("/files/\(name)", ["transfer_requests": [["transfer_request": request]]])
    return try reply.value["transfer_specs"]?[0]?["transfer_spec"]
  }

  /// The paths of the entries of a folder.
  func names(in folder: String) async throws -> [String] {
    try await post("/files/browse", ["path": .string(folder)]).value["items"]?.array?.compactMap { $0["path"]?.string }
      ?? []
  }

  private func send(_ method: HTTPMethod, _ path: String, _ document: JSONValue?) async throws -> Reply {
    var request = HTTPClientRequest(url: cloud.nodeURL + path)
    request.method = method
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let document { request.body = .bytes(ByteBuffer(bytes: document.serialized)) }
    return try await Reply(request)
  }
}

extension Reply {
  /// The body parsed as JSON.
  var value: JSONValue {
    get throws { try JSONValue(parsing: body) }
  }
}
