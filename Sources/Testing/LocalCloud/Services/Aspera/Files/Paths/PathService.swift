// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

/// The calls of the third generation of the Node API, which name files by paths below the root of the caller.
struct PathService: Sendable {
  /// The maximum number of elements in the `paths` of a request.
  private static let pathLimit = 10_000

  /// The maximum size of a file whose content a response of the fourth generation contains, and of the content that a
  /// response of `/files/PATH/contents` contains, in bytes.
  static let (contentByteLimit, shortContentByteLimit): (Int64, Int64) = (8 * 1_024 * 1_024, 4_096)

  let aspera: AsperaContext
  let root: NodePath

  var files: FileTree { aspera.files }

  // MARK: Changes

  /// Creates a folder, a file or a symbolic link on the node.
  ///
  /// - Parameter element: An element of the request's `paths`.
  func create(_ element: JSONValue, at date: Timestamp) async throws {
    let path = try path(element["path"])
    let type = element["type"]?.string ?? "directory"
    guard ["directory", "file", "symbolic_link"].contains(type) else {
      throw RefusalAnswer.nodeBadRequest("The type must be directory, file or symbolic_link.")
    }
    if try files.entry(at: path) != nil { throw FileProblem.exists(path) }
    _ = try files.requireFolder(at: path.parent)
    switch type {
    case "directory": try await files.makeFolder(path, at: date)
    case "file": try await files.create(FileService.contents(element["contents"]), at: path, date)
    default:
      let target = try self.path(element["target"]?["path"]).relative(to: root)
      try await files.create([], at: path, date, link: .path(target.text))
    }
  }

  /// Deletes a file or folder from the node.
  ///
  /// - Parameter element: An element of the request's `paths`. If its `recursive_delete` is `false`, a folder that is not
  ///   empty remains.
  func delete(_ element: JSONValue) async throws {
    let path = try path(element["path"])
    if path.bytes == root.bytes { throw FileProblem.isRoot }
    if element["recursive_delete"]?.bool == false, try files.entry(at: path)?.isFolder == true {
      guard try files.children(of: path).isEmpty else { throw FileProblem.notEmpty(path) }
    }
    try await files.delete(path)
  }

  /// Moves a file or folder of the node.
  ///
  /// - Parameter element: An element of the request's `paths`, in which `source` and `destination` are relative to
  ///   `path`.
  func rename(_ element: JSONValue, at date: Timestamp) async throws {
    let base = try path(element["path"])
    guard let source = element["source"]?.string.flatMap({ NodePath($0) }),
      let destination = element["destination"]?.string.flatMap({ NodePath($0) })
    else { throw RefusalAnswer.nodeBadRequest("The source or the destination is missing, or leads out of the root.") }
    let (old, new) = (base.appending(source), base.appending(destination))
    if old.bytes == root.bytes || new.bytes == root.bytes { throw FileProblem.isRoot }
    try await files.move(old, to: new, at: date)
  }

  /// Performs an action for each element of the request's `paths`, and returns the response with all results.
  ///
  /// If the action fails for an element, the result for that element contains the error.
  ///
  /// - Parameters:
  ///   - document: The document of the request.
  ///   - members: The names of the members that a result repeats from its element.
  ///   - body: The action, which can add members to the result.
  func forEachPath(
    _ document: JSONValue, repeating members: [String] = ["path"],
    _ body: (JSONValue, inout JSONObject) async throws -> Void
  ) async throws -> Answer {
    guard let elements = document["paths"]?.array, elements.count <= Self.pathLimit else {
      throw RefusalAnswer.nodeBadRequest("There are no paths, or more than \(Self.pathLimit).")
    }
    var results: [JSONValue] = []
    for element in elements {
      var result = JSONObject()
      for name in members { result[name] = element[name] }
      do {
        try await body(element, &result)
      } catch let error as RefusalAnswer {
        result["error"] = error.nodeDocument
      } catch let problem as FileProblem {
        result["error"] = RefusalAnswer.node(problem.relative(to: root)).nodeDocument
      }
      results.append(.object(result))
    }
    return Answer(["paths": .array(results)])
  }

  // MARK: Contents

  /// Returns the content of a file, of which the response contains at most 4,096 bytes.
  ///
  /// - Parameter encoded: The path of the file as it stands in the path of the request, percent-encoded. A plus sign
  ///   stands for a space, because IBM's own client encodes it so.
  func contents(_ encoded: String) throws -> Answer {
    let text = encoded.percentDecodedBytes(plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    let path = try path(text.map { .string($0) })
    guard let entry = try files.entry(at: path) else { throw FileProblem.notFound(path) }
    guard entry.isFile, let content = entry.content else {
      throw RefusalAnswer.nodeBadRequest("The path is a folder or a link, which has no content.")
    }
    let byteCount = min(content.byteCount, Self.shortContentByteLimit)
    return Answer(
      headers: [.contentType: "application/octet-stream"],
      body: .extents(content.extents(in: 0..<byteCount), byteCount: byteCount))
  }

  /// Returns the whole content of a file as a response.
  ///
  /// - Throws: A 400 (Bad Request) error if the file is larger than a limit in bytes.
  static func answer(_ content: Content, limit: Int64) throws(RefusalAnswer) -> Answer {
    guard content.byteCount <= limit else {
      throw .nodeBadRequest("The file has \(content.byteCount) bytes; the node returns at most \(limit). Transfer it.")
    }
    return Answer(
      headers: [.contentType: "application/octet-stream"],
      body: .extents(content.extents, byteCount: content.byteCount))
  }

  // MARK: Paths

  /// Returns the path on the node that a member of a document names below the root of the caller.
  func path(_ value: JSONValue?) throws(RefusalAnswer) -> NodePath {
    guard let path = value?.string.flatMap({ NodePath($0) }).map({ root.appending($0) }), path.isWithinLimits else {
      throw .nodeBadRequest("The path is missing, too long, or leads out of the root.")
    }
    return path
  }
}
