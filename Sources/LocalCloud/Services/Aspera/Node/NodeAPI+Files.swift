// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension NodeAPI {
  private static let largestPage = 10_000

  /// Lists the contents of a folder, or describes a file.
  func browse(_ document: JSONValue) throws -> Answer {
    guard let path = document["path"]?.string.flatMap({ NodePath($0) }) else {
      throw RefusalAnswer.nodeBadRequest("The path is missing, or leads out of the root.")
    }
    let count = document["count"]?.integer ?? Self.largestPage
    let skip = document["skip"]?.integer ?? 0
    guard count >= 0, skip >= 0 else { throw RefusalAnswer.nodeBadRequest("The count or the skip is negative.") }
    guard let entry = try aspera.files.entry(at: path) else { throw FileProblem.notFound(path) }
    let entries = entry.isFolder ? try aspera.files.children(of: path) : []
    let page = entries.dropFirst(skip).prefix(min(count, Self.largestPage))
    return Answer([
      "total_count": .number(JSONNumber(entries.count)), "item_count": .number(JSONNumber(page.count)),
      "self": Self.document(for: entry), "items": .array(page.map { Self.document(for: $0) }),
    ])
  }

  /// Creates a folder on the node.
  ///
  /// - Parameter element: An element of the request's `paths`.
  func create(_ element: JSONValue, at date: Timestamp) async throws {
    guard element["type"]?.string ?? "directory" == "directory" else {
      throw RefusalAnswer.nodeBadRequest("Only folders (type directory) can be created.")
    }
    let path = try Self.path(element)
    if try aspera.files.entry(at: path) != nil { throw FileProblem.exists(path) }
    _ = try aspera.files.requireFolder(at: path.parent)
    try await aspera.files.makeFolder(path, at: date)
  }

  /// Deletes a file, or a folder with all its contents, from the node.
  ///
  /// - Parameter element: An element of the request's `paths`.
  func delete(_ element: JSONValue) async throws {
    try await aspera.files.delete(Self.path(element))
  }

  /// Moves a file or folder of the node.
  ///
  /// - Parameter element: An element of the request's `paths`, in which `source` and `destination` are relative to
  ///   `path`.
  func rename(_ element: JSONValue, at date: Timestamp) async throws {
    let base = try Self.path(element)
    guard let source = element["source"]?.string.flatMap({ NodePath($0) }),
      let destination = element["destination"]?.string.flatMap({ NodePath($0) })
    else { throw RefusalAnswer.nodeBadRequest("The source or the destination is missing, or leads out of the root.") }
    try await aspera.files.move(base.appending(source), to: base.appending(destination), at: date)
  }

  /// Performs an action for each element of the request's `paths`, and returns the response with all results.
  ///
  /// If the action fails for an element, the result for that element contains the error.
  func forEachPath(_ document: JSONValue, _ body: (JSONValue) async throws -> Void) async throws -> Answer {
    guard let elements = document["paths"]?.array else { throw RefusalAnswer.nodeBadRequest("There are no paths.") }
    var results: [JSONValue] = []
    for element in elements {
      var result = JSONObject()
      result["path"] = element["path"]
      do {
        try await body(element)
      } catch let error as RefusalAnswer {
        result["error"] = error.nodeDocument
      } catch let problem as FileProblem {
        result["error"] = RefusalAnswer.node(problem).nodeDocument
      }
      results.append(.object(result))
    }
    return Answer(["paths": .array(results)])
  }

  private static func path(_ element: JSONValue) throws(RefusalAnswer) -> NodePath {
    guard let path = element["path"]?.string.flatMap({ NodePath($0) }) else {
      throw .nodeBadRequest("The path is missing, or leads out of the root.")
    }
    return path
  }

  private static func document(for entry: FileEntry) -> JSONValue {
    [
      "path": .string(entry.path.text), "basename": .string(entry.path.basename),
      "type": entry.isFolder ? "directory" : "file", "size": .number(JSONNumber(entry.byteCount)),
      "mtime": .string(entry.modified.iso8601),
    ]
  }
}
