// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The calls of the third generation of the Node API, which name files by paths below the root of the caller.
///
/// Functions with an `element` perform a call for one of the request's `paths` (see ``forEachPath(_:repeating:_:)``).
struct PathService: Sendable {
  private static let pathLimit = 10_000
  private static let contentByteLimit: Int64 = 4_096
  private static let defaultPageSize = 100
  private static let pageSizeLimit = 10_000
  let aspera: AsperaContext
  let root: NodePath
  private var files: FileTree { aspera.files }

  func create(_ element: JSONValue, at date: Timestamp) async throws {
    let path = try path(element["path"])
    let type = element["type"]?.string ?? "directory"
    try require(
      ["directory", "file", "symbolic_link"].contains(type), "The type must be directory, file or symbolic_link.")
    if try files.entry(at: path) != nil { throw FileProblem(.exists, path) }
    try files.requireFolder(at: path.parent)
    switch type {
    case "directory": try await files.makeFolder(path, at: date)
    case "file": try await files.create(FileService.contents(element["contents"]), at: path, modified: date)
    default:
      let target = try self.path(element["target"]?["path"]).relative(to: root)
      try await files.create([], at: path, modified: date, link: .path(target.text))
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
  func rename(_ element: JSONValue) async throws {
    let folder = try path(element["path"])
    guard let source = element["source"]?.string.flatMap({ NodePath($0) }),
      let destination = element["destination"]?.string.flatMap({ NodePath($0) })
    else { throw ErrorResponse.nodeBadRequest("The source or the destination is missing, or leads out of the root.") }
    let (oldPath, newPath) = (folder.appending(source), folder.appending(destination))
    if oldPath == root || newPath == root { throw FileProblem(.isRoot) }
    try await files.move(oldPath, to: newPath)
  }

  /// Performs an action for each of the request's `paths`.
  ///
  /// A result has some members of its element and what the action adds, or the action's error.
  func forEachPath(
    _ body: JSONValue, repeating memberNames: [String] = ["path"],
    _ perform: (_ element: JSONValue, _ result: inout JSONObject) async throws -> Void
  ) async throws -> Answer {
    let elements = try (body["paths"]?.array).required("There are no paths.")
    try require(elements.count <= Self.pathLimit, "There are more than \(Self.pathLimit) paths.")
    var results: [JSONValue] = []
    for element in elements {
      var result = JSONObject()
      for name in memberNames { result[name] = element[name] }
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
    let content = try entry.fileContent.required("The path is a folder or a link, which has no content.")
    return Answer(content, in: 0..<min(content.byteCount, Self.contentByteLimit))
  }

  func path(_ value: JSONValue?) throws(ErrorResponse) -> NodePath {
    try root.appending(value?.string).required("The path is missing, too long, or leads out of the root.")
  }

  func browse(_ body: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(body["path"]), ListWindow(body))
    let filter = try EntryFilter(body)
    let children = entry.isFolder ? try files.children(of: entry.path) : []
    let found = filter.sorted(children.filter { filter.matches($0, below: root) })
    let page = window.page(of: found)
    return Answer([
      "total_count": .integer(found.count), "item_count": .integer(page.count), "self": .object(document(of: entry)),
      "items": documents(of: page),
    ])
  }

  /// Lists the contents of a folder from an iteration token on, in the order of the names.
  func page(_ body: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(body["path"]), ListWindow(body))
    let filter = try EntryFilter(body)
    let found = try entry.isFolder ? files.children(of: entry.path).filter { filter.matches($0, below: root) } : [entry]
    let token = body["iteration_token"]?.string ?? ""
    let (page, nextToken) = try IterationToken.page(of: found, from: token, limit: window.count)
    let parameters: JSONValue = [
      "path": .string(entry.path.relative(to: root).text), "count": .integer(window.count),
      "iteration_token": .string(token),
    ]
    let document = JSONObject(present: [
      "items": documents(of: page), "item_count": .integer(page.count), "parameters": parameters,
      "next_iteration_token": nextToken.map { .string($0) },
    ])
    return Answer(.object(document))
  }

  /// Lists what is below a folder, in all or in some depths, or a file itself.
  func search(_ body: JSONValue) throws -> Answer {
    let (entry, window) = try (existingEntry(body["path"]), ListWindow(body))
    let filter = try EntryFilter(body)
    let filters = body["filters"]
    let minimumDepth = try filters?["depth_min"]?.integer("The depth_min is not an integer.") ?? 0
    let maximumDepth = try filters?["depth_max"]?.integer("The depth_max is not an integer.")
    let candidates = try files.walk(entry.path).dropFirst(entry.isFolder ? 1 : 0)
    let found = filter.sorted(
      candidates.filter { candidate in
        let depth = candidate.path.relative(to: entry.path).names.count
        return minimumDepth <= depth && depth <= maximumDepth ?? .max && filter.matches(candidate, below: root)
      })
    let page = window.page(of: found)
    return Answer([
      "items": documents(of: page), "item_count": .integer(page.count), "total_count": .integer(found.count),
      "parameters": [
        "path": .string(entry.path.relative(to: root).text), "skip": .integer(window.skip),
        "count": .integer(window.count), "depth_min": .integer(minimumDepth),
        "depth_max": maximumDepth.map { .integer($0) } ?? .null,
      ],
    ])
  }

  func addInfo(about element: JSONValue, to result: inout JSONObject) throws {
    for (name, value) in document(of: try existingEntry(element["path"])) { result[name] = value }
  }

  /// Counts a file, or a folder and everything below it.
  func usage(_ body: JSONValue) throws -> Answer {
    let path = try path(body["path"])
    let found = FileCounts(try files.walk(path))
    return Answer([
      "path": .string(path.relative(to: root).text), "total_size": .integer(found.byteCount),
      "file_count": .integer(found.fileCount), "dir_count": .integer(found.folderCount),
      "special_count": .integer(found.linkCount), "failed_count": 0,
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

    init(_ body: JSONValue) throws(ErrorResponse) {
      let message = "The count and the skip must be integers that are not negative."
      skip = try body["skip"]?.integer(atLeast: 0, message) ?? 0
      count = min(try body["count"]?.integer(atLeast: 0, message) ?? defaultPageSize, pageSizeLimit)
    }

    func page(of entries: [FileEntry]) -> ArraySlice<FileEntry> { entries.dropFirst(skip).prefix(count) }
  }
}
