// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension FileService {
  /// The maximum number of files in a response, and the number of a page in version 4 if the caller names none.
  private static let (largestPage, defaultPage) = (10_000, 1_000)

  /// The parameters that are not available in version 4 of the listing.
  ///
  /// The names are those in IBM's description of the Node API, at the header `Accept-version`.
  private static let withoutVersion4 = [
    "sort", "min_size", "max_size", "min_modified_time", "max_modified_time", "target_id", "target_node_id",
    "files_prefetch_count", "page", "name_iglob",
  ]

  /// Lists the files in a folder.
  func list(_ id: String, _ query: NodeQuery) throws -> Answer {
    let folder = try folder(id, for: .list)
    var entries = try filtered(aspera.files.children(of: folder.path), query)
    if let sort = query["sort"] { entries = try sorted(entries, by: sort) }
    let page = try query.page(of: entries, limit: Self.largestPage)
    return try answer(Array(page), of: entries.count, query)
  }

  /// Lists a part of the files in a folder, in version 4 of the call: in the order of the names, from a token on.
  ///
  /// - Parameters:
  ///   - id: The ID of the folder.
  ///   - query: The parameters of the request.
  ///   - header: The iteration token in the request's header; IBM's description puts it there, and IBM's own client into
  ///     the query.
  func listVersion4(_ id: String, _ query: NodeQuery, tokenInHeader header: String?) throws -> Answer {
    let folder = try folder(id, for: .list)
    if let name = Self.withoutVersion4.first(where: { query[$0] != nil }) {
      throw RefusalAnswer.nodeBadRequest("The parameter \(name) is not available with Accept-Version 4.0.")
    }
    let size = try query.number("per_page") ?? Self.defaultPage
    guard (1...Self.largestPage).contains(size) else {
      throw RefusalAnswer.nodeBadRequest("The per_page must be between 1 and \(Self.largestPage).")
    }
    let entries = try filtered(aspera.files.children(of: folder.path), query)
    var rest = entries[...]
    if let token = header ?? query["iteration_token"], !token.isEmpty {
      guard let name = IterationToken.text(token) else {
        throw RefusalAnswer.nodeBadRequest("The iteration_token is not one of this node.")
      }
      rest = rest.drop { !name.utf8.lexicographicallyPrecedes($0.path.basename.utf8) }
    }
    let page = Array(rest.prefix(size))
    var answer = try answer(page, of: entries.count, query)
    answer.headers.set("X-Aspera-Total-Count", String(entries.count))
    if page.count < rest.count, let last = page.last {
      answer.headers.set("X-Aspera-Next-Iteration-Token", IterationToken.token(last.path.basename))
    }
    return answer
  }

  private func answer(_ page: [FileEntry], of total: Int, _ query: NodeQuery) throws -> Answer {
    let ids = aspera.files.register.ids(of: page.map(\.path))
    let names = query.list("include")
    let documents = try zip(page, ids).map { entry, id -> JSONValue in
      var document = document(of: entry, id, levels(at: entry.path))
      try include(names, in: &document, of: entry)
      return .object(document)
    }
    var answer = Answer(.array(documents))
    answer.headers.set("X-Total-Count", String(total))
    return answer
  }

  private func filtered(_ entries: [FileEntry], _ query: NodeQuery) throws -> [FileEntry] {
    let (name, type) = (query["name"], query["type"])
    if let type, !["file", "link", "folder"].contains(type) {
      throw RefusalAnswer.nodeBadRequest("The type must be file, link or folder.")
    }
    let patterns = [try query.pattern("name_glob"), try query.pattern("name_iglob", ignoresCase: true)].compactMap(
      \.self)
    let (smallest, largest) = (try query.number("min_size"), try query.number("max_size"))
    let (oldest, newest) = (try query.time("min_modified_time"), try query.time("max_modified_time"))
    let (target, targetNode) = (query["target_id"], query["target_node_id"])
    return entries.filter { entry in
      if let name, !entry.path.basename.utf8.elementsEqual(name.utf8) { return false }
      if let type, type != Self.type(of: entry) { return false }
      if !patterns.allSatisfy({ $0.matches(entry.path.basename) }) { return false }
      if let smallest, entry.isFolder || entry.byteCount <= smallest { return false }
      if let largest, entry.isFolder || entry.byteCount >= largest { return false }
      if let oldest, entry.modified <= oldest { return false }
      if let newest, entry.modified >= newest { return false }
      if target != nil || targetNode != nil {
        guard case .file(let id, let node)? = entry.link else { return false }
        return (target ?? id) == id && (targetNode ?? node) == node
      }
      return true
    }
  }

  private func sorted(_ entries: [FileEntry], by attribute: String) throws -> [FileEntry] {
    // The sort is stable, so that entries with equal attributes stay in the order of their names.
    switch attribute {
    case "name": entries
    case "size": entries.sorted { $0.byteCount < $1.byteCount }
    case "type": entries.sorted { Self.type(of: $0) < Self.type(of: $1) }
    case "modified_time", "mtime": entries.sorted { $0.modified < $1.modified }
    default: throw RefusalAnswer.nodeBadRequest("The sort must be name, size, type or modified_time.")
    }
  }
}

/// The token at which the next page of a listing starts: the name of the last entry before, in an opaque form.
enum IterationToken {
  /// Returns the token for a name.
  static func token(_ text: String) -> String {
    let base64 = String(writing: { $0.append(base64: Array(text.utf8)) })
    return String(
      base64.map { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": "."
        default: character
        }
      })
  }

  /// Returns the name in a token, or `nil` if the text is not a token.
  static func text(_ token: String) -> String? {
    let base64 = String(
      token.map { character in
        switch character {
        case "-": "+"
        case "_": "/"
        case ".": "="
        default: character
        }
      })
    guard token.utf8.count <= 1_024 else { return nil }
    return [UInt8](base64: base64).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
