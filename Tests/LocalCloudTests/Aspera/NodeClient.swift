// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth

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

  func get(_ path: String, _ more: [String: String] = [:]) async throws -> Reply {
    try await send(.GET, path, nil, more)
  }

  func delete(_ path: String, _ more: [String: String] = [:]) async throws -> Reply {
    try await send(.DELETE, path, nil, more)
  }

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

  /// Creates a file, a folder or a link in the folder with an ID, and returns the ID of the new file.
  func create(_ name: String, _ type: String = "folder", in folder: String, _ contents: String? = nil) async throws
    -> String
  {
    var document: JSONObject = ["name": .string(name), "type": .string(type)]
    document["contents"] = contents.map { .string(base64($0)) }
    let reply = try await post("/files/\(folder)/files", .object(document))
    guard let id = try reply.value["id"]?.string else { throw NodeFailure(status: Int(reply.status)) }
    return id
  }

  /// The names of the files in the folder with an ID.
  func list(_ folder: String, _ query: String = "", _ more: [String: String] = [:]) async throws -> [String] {
    try await get("/files/\(folder)/files\(query)", more).value.array?.compactMap { $0["name"]?.string } ?? []
  }

  /// Permits a user or a group access to a file, and returns the ID of the permission.
  @discardableResult
  func permit(_ id: String, on file: String, _ levels: [String], type: String = "user") async throws -> String? {
    try await post(
      "/permissions",
      [
        "file_id": .string(file), "access_type": .string(type), "access_id": .string(id),
        "access_levels": .array(levels.map { .string($0) }),
      ]
    ).value["id"]?.string
  }

  func send(
    _ method: HTTPMethod, _ path: String, _ document: JSONValue?, _ more: [String: String] = [:]
  ) async throws -> Reply {
    var request = HTTPClientRequest(url: cloud.nodeURL + path)
    request.method = method
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    for (name, value) in more { request.headers.add(name: name, value: value) }
    if let document { request.body = .bytes(ByteBuffer(bytes: document.serialized)) }
    return try await Reply(request)
  }
}

/// A call of the Node API that a test did not expect to fail.
struct NodeFailure: Error {
  let status: Int
}

extension Reply {
  /// The body parsed as JSON.
  var value: JSONValue {
    get throws { try JSONValue(parsing: body) }
  }
}
