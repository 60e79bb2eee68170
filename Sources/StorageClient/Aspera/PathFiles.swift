// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The operations of a Node API on files that are identified by paths, such as `/files/browse` and
/// `/files/upload_setup`.
///
/// According to the OpenAPI description of IBM's Node API, these operations require Basic authorization.
struct PathFiles: NodeFiles {
  let node: NodeClient

  func entry(_ key: String) async throws -> NodeEntry {
    let (_, answer) = try await call("browse", key, ["path": .string(path(key)), "count": 1])
    return try NodeEntry(answer["self"] ?? .null)
  }

  func entries(ofFolder key: String) async throws -> [NodeEntry]? {
    let limit = node.client.configuration.keysPerPage
    var list = EntryList(node.client.location(ofKey: key))
    while true {
      let answer: JSONValue
      do {
        answer = try await call(
          "browse", key,
          [
            "path": .string(path(key)), "count": .number(JSONNumber(limit)),
            "skip": .number(JSONNumber(list.entries.count)),
          ]
        ).1
      } catch let error as ServiceError where error.kind == .noSuchKey && !key.isEmpty {
        return nil
      }
      guard try NodeEntry(answer["self"] ?? .null).isFolder else { return nil }
      let items = answer["items"]?.array ?? []
      try list.append(items.map { item throws(StorageError) in try NodeEntry(item) })
      let count = list.entries.count
      if items.isEmpty || count >= answer["total_count"]?.integer ?? count { return list.entries }
    }
  }

  func createFolder(_ key: String) async throws {
    var folders: [String] = []
    for name in key.split(separator: "/") { folders.append((folders.last.map { $0 + "/" } ?? "") + name) }
    let elements = folders.map { ["path": .string(path($0)), "type": "directory"] as JSONValue }
    let (response, answer) = try await call("create", key, ["paths": .array(elements)])
    guard let refusal = answer["paths"]?.array?.last.flatMap({ NodeRefusal(of: $0) }) else { return }
    if try await (node.existing(key, in: self))?.isFolder == true { return }
    throw ServiceError(refusal, in: response, subject: "create \(node.client.location(ofKey: key))")
  }

  func rename(_ key: String, to name: String) async throws {
    let (folder, old) = NodePath.split(path(key))
    let element: JSONValue = [
      "path": .string(folder.isEmpty ? "/" : folder), "source": .string(old), "destination": .string(name),
    ]
    let (response, answer) = try await call("rename", key, ["paths": [element]], isRepeatable: false)
    guard let refusal = answer["paths"]?.array?.first.flatMap({ NodeRefusal(of: $0) }) else { return }
    throw ServiceError(refusal, in: response, subject: "rename \(node.client.location(ofKey: key))")
  }

  func remove(_ keys: [String], known: [String: NodeEntry]) async throws -> [ServiceError?] {
    // A folder that meanwhile replaced a file is kept unless it is empty.
    let paths = keys.map {
      ["path": .string(path($0)), "recursive_delete": .bool(known[$0]?.isFolder != false)] as JSONValue
    }
    let (response, answer) = try await call("delete", keys.count == 1 ? keys[0] : "", ["paths": .array(paths)])
    guard let results = answer["paths"]?.array, results.count == keys.count else {
      throw StorageError.malformedAnswer("it does not contain a result for each file")
    }
    return zip(keys, results).map { key, result in
      NodeRefusal(of: result).map {
        ServiceError($0, in: response, subject: "delete \(node.client.location(ofKey: key))")
      }
    }
  }

  func upload(of file: String, to key: String, in room: TransferContext) async throws -> PreparedTransfer {
    let spec = TransferSpec(.send, [TransferPath(file, to: key)], destinationRoot: node.provider.root)
    return room.prepared(spec)
  }

  func download(
    of key: String, to name: String, in folder: String, in room: TransferContext
  ) async throws -> PreparedTransfer {
    room.prepared(TransferSpec(.receive, [TransferPath(path(key), to: name)], destinationRoot: folder))
  }

  private func path(_ key: String) -> String { NodePath.join(key, below: node.provider.root) }

  private func call(
    _ action: String, _ key: String, _ body: JSONValue, isRepeatable: Bool = true
  ) async throws -> (HTTPResponse, JSONValue) {
    try await node.call(.post, "/files/\(action)", as: action, key, body: body, isRepeatable: isRepeatable)
  }
}
