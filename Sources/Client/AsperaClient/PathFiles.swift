// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The operations of a Node API on files identified by paths, for which IBM's description requires Basic authorization.
struct PathFiles: NodeFiles {
  let node: NodeClient

  func entry(_ key: String) async throws -> NodeEntry {
    let path = nodePath(of: key)
    let (_, document) = try await call("browse", for: key, ["path": .string(path), "count": 1])
    return try NodeEntry(requested: document["self"], at: path)
  }

  func entries(ofFolder key: String) async throws -> [NodeEntry]? {
    let path = nodePath(of: key)
    let pageSize = JSONNumber(node.sender.configuration.keysPerPage)
    var list = EntryList(node.sender.location(ofKey: key))
    while true {
      let document: JSONValue
      do {
        let position = JSONNumber(list.entries.count)
        let page: JSONValue = ["path": .string(path), "count": .number(pageSize), "skip": .number(position)]
        document = try await call("browse", for: key, page).document
      } catch let error as ServiceError where error.kind == .noSuchKey && !key.isEmpty { return nil }
      guard try NodeEntry(requested: document["self"], at: path).isFolder else { return nil }
      let items = try NodeResponse.elements("items", of: document)
      guard let total = document["total_count"]?.integer, total >= items.count else {
        throw StorageError.malformedResponse("its total_count is missing, or less than the number of items")
      }
      try list.append(items.map { item throws(StorageError) in try NodeEntry(item, in: path) })
      if list.entries.count >= total { return list.entries }
      guard !items.isEmpty else {
        throw StorageError.malformedResponse(
          "it has no entry after \(list.entries.count) of \(total), because the node does not go on or the folder was "
            + "changed meanwhile")
      }
    }
  }

  func createFolder(_ key: String) async throws {
    // Each folder comes after its parent.
    var keys: [String] = []
    for name in key.words(between: "/") { keys.append(keys.last.map { "\($0)/\(name)" } ?? String(name)) }
    let elements = keys.map { ["path": .string(nodePath(of: $0)), "type": "directory"] as JSONValue }
    let (response, document) = try await call("create", for: key, ["paths": .array(elements)])
    let results = try NodeResponse.elements("paths", of: document, count: elements.count)
    // The node also refuses to create a folder that exists.
    guard let refusal = results.last.flatMap({ NodeRefusal(of: $0) }) else { return }
    if try await (node.existingEntry(key, in: self))?.isFolder == true { return }
    throw ServiceError(refusal, in: response, subject: "create \(node.sender.location(ofKey: key))")
  }

  func rename(_ key: String, to name: String) async throws {
    let (folder, oldName) = NodeFilePath.split(nodePath(of: key))
    let element: JSONValue = [
      "path": .string(folder.isEmpty ? "/" : folder), "source": .string(oldName), "destination": .string(name),
    ]
    let (response, document) = try await call("rename", for: key, ["paths": [element]], isRepeatable: false)
    let results = try NodeResponse.elements("paths", of: document, count: 1)
    guard let refusal = results.first.flatMap({ NodeRefusal(of: $0) }) else { return }
    throw ServiceError(refusal, in: response, subject: "rename \(node.sender.location(ofKey: key))")
  }

  func remove(_ files: [(key: String, entry: NodeEntry?)]) async throws -> [ServiceError?] {
    // A folder that meanwhile replaced a file is kept unless it is empty.
    let paths = files.map {
      ["path": .string(nodePath(of: $0.key)), "recursive_delete": .bool($0.entry?.isFolder != false)] as JSONValue
    }
    let singleKey = files.count == 1 ? files[0].key : ""
    let (response, document) = try await call("delete", for: singleKey, ["paths": .array(paths)])
    let results = try NodeResponse.elements("paths", of: document, count: files.count)
    return try zip(files, results).map { file, result in
      guard (result["path"]?.string).map({ NodeFilePath.isSame($0, nodePath(of: file.key)) }) ?? true else {
        throw StorageError.malformedResponse("its results are not in the order of the request")
      }
      return NodeRefusal(of: result).map {
        ServiceError($0, in: response, subject: "delete \(node.sender.location(ofKey: file.key))")
      }
    }
  }

  func uploadSession(of file: String, to key: String, in context: TransferContext) async throws -> TransferSession {
    var spec = TransferSpec(.send, [TransferPath(file, to: key)], destinationRoot: node.provider.root)
    spec.createsFolder = true
    return context.makeSetupSession(spec)
  }

  func downloadSession(
    of key: String, into folder: TemporaryFolder, in context: TransferContext
  ) async throws -> TransferSession {
    let paths = [TransferPath(nodePath(of: key), to: TemporaryFolder.contentName)]
    return context.makeSetupSession(TransferSpec(.receive, paths, destinationRoot: folder.path))
  }

  private func nodePath(of key: String) -> String { NodeFilePath.join(key, below: node.provider.root) }

  private func call(
    _ action: String, for key: String, _ body: JSONValue, isRepeatable: Bool = true
  ) async throws -> (response: HTTPResponse, document: JSONValue) {
    try await node.call(.post, "/files/\(action)", as: action, for: key, body: body, isRepeatable: isRepeatable)
  }
}
