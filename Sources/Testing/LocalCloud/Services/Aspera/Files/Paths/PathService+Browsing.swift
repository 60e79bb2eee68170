// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension PathService {
  /// The number of results in a response if the request names none, and the maximum number.
  private static let (defaultCount, largestCount) = (100, 10_000)

  /// Lists the contents of a folder, or describes a file.
  func browse(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existing(document["path"]), Window(document))
    let filter = try EntryFilter(document)
    let found = try filter.sorted(
      entry.isFolder ? files.children(of: entry.path).filter { filter.matches($0, root) } : [])
    let page = window.page(of: found)
    return Answer([
      "total_count": .number(JSONNumber(found.count)), "item_count": .number(JSONNumber(page.count)),
      "self": .object(self.document(of: entry)), "items": .array(page.map { .object(self.document(of: $0)) }),
    ])
  }

  /// Lists the contents of a folder from an iteration token on, in the order of the names.
  func page(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existing(document["path"]), Window(document))
    let filter = try EntryFilter(document)
    let found = try entry.isFolder ? files.children(of: entry.path).filter { filter.matches($0, root) } : [entry]
    var rest = found[...]
    let token = document["iteration_token"]?.string ?? ""
    if !token.isEmpty {
      guard let name = IterationToken.text(token) else {
        throw RefusalAnswer.nodeBadRequest("The iteration_token is not one of this node.")
      }
      rest = rest.drop { !name.utf8.lexicographicallyPrecedes($0.path.basename.utf8) }
    }
    let page = rest.prefix(window.count)
    var answer = JSONObject()
    answer["items"] = .array(page.map { .object(self.document(of: $0)) })
    answer["item_count"] = .number(JSONNumber(page.count))
    if page.count < rest.count, let last = page.last {
      answer["next_iteration_token"] = .string(IterationToken.token(last.path.basename))
    }
    answer["parameters"] = [
      "path": .string(entry.path.relative(to: root).text), "count": .number(JSONNumber(window.count)),
      "iteration_token": .string(token),
    ]
    return Answer(.object(answer))
  }

  /// Searches a folder and everything below it.
  func search(_ document: JSONValue) throws -> Answer {
    let (entry, window) = try (existing(document["path"]), Window(document))
    let filter = try EntryFilter(document)
    let filters = document["filters"]
    let (shallowest, deepest) = (filters?["depth_min"]?.integer ?? 0, filters?["depth_max"]?.integer ?? .max)
    let found = try filter.sorted(
      files.walk(entry.path).dropFirst(entry.isFolder ? 1 : 0).filter {
        let depth = $0.path.relative(to: entry.path).names.count
        return shallowest <= depth && depth <= deepest && filter.matches($0, root)
      })
    let page = window.page(of: found)
    return Answer([
      "items": .array(page.map { .object(self.document(of: $0)) }), "item_count": .number(JSONNumber(page.count)),
      "total_count": .number(JSONNumber(found.count)),
      "parameters": [
        "path": .string(entry.path.relative(to: root).text), "skip": .number(JSONNumber(window.skip)),
        "count": .number(JSONNumber(window.count)), "depth_min": .number(JSONNumber(shallowest)),
        "depth_max": deepest == .max ? .null : .number(JSONNumber(deepest)),
      ],
    ])
  }

  /// Describes the file at an element's path.
  func info(_ element: JSONValue, _ result: inout JSONObject) throws {
    for (name, value) in document(of: try existing(element["path"])) { result[name] = value }
  }

  /// Returns the size and the numbers of everything below a path.
  func usage(_ document: JSONValue) throws -> Answer {
    let path = try path(document["path"])
    let entries = try files.walk(path)
    return Answer([
      "path": .string(path.relative(to: root).text),
      "total_size": .number(JSONNumber(entries.reduce(Int64(0)) { $0.saturatingAdding($1.byteCount) })),
      "file_count": .number(JSONNumber(entries.count(where: \.isFile))),
      "dir_count": .number(JSONNumber(entries.count(where: \.isFolder))),
      "special_count": .number(JSONNumber(entries.count { $0.link != nil })), "failed_count": 0,
    ])
  }

  private func existing(_ value: JSONValue?) throws -> FileEntry {
    let path = try path(value)
    guard let entry = try files.entry(at: path) else { throw FileProblem.notFound(path) }
    return entry
  }

  private func document(of entry: FileEntry) -> JSONObject {
    var document = JSONObject()
    let path = entry.path.relative(to: root)
    document["path"] = .string(path.text)
    document["basename"] = .string(path.basename)
    document["type"] = .string(EntryFilter.type(of: entry))
    document["size"] = .number(JSONNumber(entry.byteCount))
    document["mtime"] = .string(entry.modified.iso8601)
    document["permissions"] = [["name": "view"], ["name": "edit"], ["name": "delete"]]
    if case .path(let target)? = entry.link {
      document["target"] = ["path": .string(target), "basename": .string(NodePath(target)?.basename ?? "")]
    }
    return document
  }

  /// The part of the results that a request asks for.
  private struct Window {
    let skip: Int
    let count: Int

    init(_ document: JSONValue) throws(RefusalAnswer) {
      skip = try Self.number(document["skip"]) ?? 0
      count = min(try Self.number(document["count"]) ?? defaultCount, largestCount)
    }

    func page(of entries: [FileEntry]) -> ArraySlice<FileEntry> { entries.dropFirst(skip).prefix(count) }

    private static func number(_ value: JSONValue?) throws(RefusalAnswer) -> Int? {
      guard let value, value != .null else { return nil }
      guard let number = value.integer, number >= 0 else {
        throw .nodeBadRequest("The count and the skip must be integers that are not negative.")
      }
      return number
    }
  }
}
