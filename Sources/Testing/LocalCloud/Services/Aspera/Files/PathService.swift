// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The calls of the third generation of the Node API, which name files by paths below the root of the caller.
struct PathService: Sendable {
  private static let pathLimit = 10_000
  private static let contentByteLimit: Int64 = 4_096
  let aspera: AsperaContext
  let root: NodePath

  var files: FileTree { aspera.files }

  func create(_ element: JSONValue, at date: Timestamp) async throws {
    let path = try path(element["path"])
    let type = element["type"]?.string ?? "directory"
    try require(
      ["directory", "file", "symbolic_link"].contains(type), "The type must be directory, file or symbolic_link.")
    if try files.entry(at: path) != nil { throw FileProblem(.exists, path) }
    try files.requireFolder(at: path.parent)
    switch type {
    case "directory": try await files.makeFolder(path, at: date)
    case "file": try await files.create(FileService.contents(element["contents"]), at: path, date)
    default:
      let target = try self.path(element["target"]?["path"]).relative(to: root)
      try await files.create([], at: path, date, link: .path(target.text))
    }
  }

  func delete(_ element: JSONValue) async throws {
    let path = try path(element["path"])
    if path == root { throw FileProblem(.isRoot) }
    if element["recursive_delete"]?.bool == false, try files.entry(at: path)?.isFolder == true,
      try !files.children(of: path).isEmpty
    {
      throw FileProblem(.notEmpty, path)
    }
    try await files.delete(path)
  }

  /// Moves a file or folder; `source` and `destination` are relative to `path`.
  func rename(_ element: JSONValue, at date: Timestamp) async throws {
    let base = try path(element["path"])
    guard let source = element["source"]?.string.flatMap({ NodePath($0) }),
      let destination = element["destination"]?.string.flatMap({ NodePath($0) })
    else { throw ErrorResponse.nodeBadRequest("The source or the destination is missing, or leads out of the root.") }
    let (oldPath, newPath) = (base.appending(source), base.appending(destination))
    if oldPath == root || newPath == root { throw FileProblem(.isRoot) }
    try await files.move(oldPath, to: newPath, at: date)
  }

  /// Performs an action for each of the request's `paths`; a result repeats members of its element, or has the error.
  func forEachPath(
    _ document: JSONValue, repeating members: [String] = ["path"],
    _ perform: (_ element: JSONValue, _ result: inout JSONObject) async throws -> Void
  ) async throws -> Answer {
    guard let elements = document["paths"]?.array, elements.count <= Self.pathLimit else {
      throw ErrorResponse.nodeBadRequest("There are no paths, or more than \(Self.pathLimit).")
    }
    var results: [JSONValue] = []
    for element in elements {
      var result = JSONObject()
      for name in members { result[name] = element[name] }
      do {
        try await perform(element, &result)
      } catch let error as ErrorResponse {
        result["error"] = error.nodeDocument
      } catch let problem as FileProblem {
        result["error"] = ErrorResponse.node(problem.relative(to: root)).nodeDocument
      }
      results.append(.object(result))
    }
    return Answer(["paths": .array(results)])
  }

  /// Returns the start of a file at a percent-encoded path, in which IBM's own client encodes a space as a plus sign.
  func contents(_ encodedPath: String) throws -> Answer {
    let path = encodedPath.percentDecodedBytes(plusIsSpace: true).flatMap { String(utf8: $0) }
    let entry = try existingEntry(path.map { .string($0) })
    guard entry.isFile, let content = entry.content else {
      throw ErrorResponse.nodeBadRequest("The path is a folder or a link, which has no content.")
    }
    return Answer(content, in: 0..<min(content.byteCount, Self.contentByteLimit))
  }

  func path(_ value: JSONValue?) throws(ErrorResponse) -> NodePath {
    try root.appending(value?.string).required("The path is missing, too long, or leads out of the root.")
  }

  private static let (defaultCount, countLimit) = (100, 10_000)

  func browse(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(document["path"]), ListWindow(document))
    let filter = try EntryFilter(document)
    let children = entry.isFolder ? try files.children(of: entry.path) : []
    let found = filter.sorted(children.filter { filter.matches($0, root) })
    let page = window.page(of: found)
    return Answer([
      "total_count": .integer(found.count), "item_count": .integer(page.count),
      "self": .object(self.document(of: entry)), "items": documents(of: page),
    ])
  }

  /// Lists the contents of a folder from an iteration token on, in the order of the names.
  func page(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(document["path"]), ListWindow(document))
    let filter = try EntryFilter(document)
    let found = try entry.isFolder ? files.children(of: entry.path).filter { filter.matches($0, root) } : [entry]
    let token = document["iteration_token"]?.string ?? ""
    let (page, next) = try IterationToken.page(of: found, from: token, window.count)
    let parameters: JSONValue = [
      "path": .string(entry.path.relative(to: root).text), "count": .integer(window.count),
      "iteration_token": .string(token),
    ]
    let response = JSONObject(present: [
      "items": documents(of: page), "item_count": .integer(page.count),
      "next_iteration_token": next.map { .string($0) }, "parameters": parameters,
    ])
    return Answer(.object(response))
  }

  func search(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(document["path"]), ListWindow(document))
    let filter = try EntryFilter(document)
    let filters = document["filters"]
    let shallowest = try filters?["depth_min"]?.integer("A depth is not an integer.") ?? 0
    let deepest = try filters?["depth_max"]?.integer("A depth is not an integer.") ?? .max
    let found = try filter.sorted(
      files.walk(entry.path).dropFirst(entry.isFolder ? 1 : 0).filter {
        let depth = $0.path.relative(to: entry.path).names.count
        return shallowest <= depth && depth <= deepest && filter.matches($0, root)
      })
    let page = window.page(of: found)
    return Answer([
      "items": documents(of: page), "item_count": .integer(page.count), "total_count": .integer(found.count),
      "parameters": [
        "path": .string(entry.path.relative(to: root).text), "skip": .integer(window.skip),
        "count": .integer(window.count), "depth_min": .integer(shallowest),
        "depth_max": deepest == .max ? .null : .integer(deepest),
      ],
    ])
  }

  func info(_ element: JSONValue, _ result: inout JSONObject) throws {
    for (name, value) in document(of: try existingEntry(element["path"])) { result[name] = value }
  }

  func usage(_ document: JSONValue) throws -> Answer {
    let path = try path(document["path"])
    let found = FileCounts(try files.walk(path))
    return Answer([
      "path": .string(path.relative(to: root).text), "total_size": .integer(found.bytes),
      "file_count": .integer(found.files), "dir_count": .integer(found.folders), "special_count": .integer(found.links),
      "failed_count": 0,
    ])
  }

  private func existingEntry(_ value: JSONValue?) throws -> FileEntry { try files.existingEntry(at: path(value)) }

  private func document(of entry: FileEntry) -> JSONObject {
    let path = entry.path.relative(to: root)
    var target: JSONValue?
    if case .path(let text)? = entry.link {
      target = ["path": .string(text), "basename": .string(NodePath(text)?.basename ?? "")]
    }
    return JSONObject(present: [
      "path": .string(path.text), "basename": .string(path.basename), "type": .string(EntryFilter.type(of: entry)),
      "size": .integer(entry.byteCount), "mtime": .string(entry.modified.iso8601),
      "permissions": [["name": "view"], ["name": "edit"], ["name": "delete"]], "target": target,
    ])
  }

  private func documents(of entries: ArraySlice<FileEntry>) -> JSONValue {
    .array(entries.map { .object(document(of: $0)) })
  }

  /// The part of a list that a request asks for with `skip` and `count`.
  private struct ListWindow {
    let skip: Int
    let count: Int

    init(_ document: JSONValue) throws(ErrorResponse) {
      let message = "The count and the skip must be integers that are not negative."
      skip = try document["skip"]?.integer(atLeast: 0, message) ?? 0
      count = min(try document["count"]?.integer(atLeast: 0, message) ?? defaultCount, countLimit)
    }

    func page(of entries: [FileEntry]) -> ArraySlice<FileEntry> { entries.dropFirst(skip).prefix(count) }
  }
}
