// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The `filters` and the `sort` of a request of the third generation of the Node API.
struct EntryFilter: Sendable {
  private enum Order: String {
    case path, type
    /// In the documentation of IBM's client aspera-cli, but not in IBM's description of the Node API.
    case time = "mtime"
    case ascendingSize = "size_a"
    case descendingSize = "size_d"
    case ascendingTime = "mtime_a"
    case descendingTime = "mtime_d"
  }

  /// The maximum number of strings of a filter, because each is compared with every file.
  private static let patternLimit = 100
  private let ignoresCase: Bool
  private let order: Order?
  private let types: [String]?
  private let paths: [NamePattern]?
  private let basenames: [NamePattern]?
  private let excludedBasenames: [NamePattern]?
  private let minimumSize: Int?
  private let maximumSize: Int?
  private let earliestModification: Timestamp?
  private let latestModification: Timestamp?

  init(_ document: JSONValue) throws(ErrorResponse) {
    ignoresCase = document["case_sensitive"]?.bool != true
    let sort = document["sort"]?.unlessNull
    order = sort?.string.flatMap { Order(rawValue: $0) }
    try require(sort == nil || order != nil, "The sort must be path, type, size_a, size_d, mtime, mtime_a or mtime_d.")
    let filters = document["filters"]?.unlessNull
    try require(filters == nil || filters?.object != nil, "The filters are not an object.")
    types = try Self.texts(filters?["types"])
    try require(
      types?.allSatisfy { ["file", "directory", "symbolic_link"].contains($0) } ?? true,
      "A type must be file, directory or symbolic_link.")
    paths = try Self.patterns(filters?["paths"], ignoresCase)
    basenames = try Self.patterns(filters?["basenames"], ignoresCase)
    excludedBasenames = try Self.patterns(filters?["out_basenames"], ignoresCase)
    minimumSize = try filters?["size_min"]?.integer("A size is not an integer.")
    maximumSize = try filters?["size_max"]?.integer("A size is not an integer.")
    earliestModification = try Self.time(filters?["mtime_min"])
    latestModification = try Self.time(filters?["mtime_max"])
  }

  func matches(_ entry: FileEntry, _ root: NodePath) -> Bool {
    if let types, !types.contains(Self.type(of: entry)) { return false }
    if minimumSize != nil || maximumSize != nil {
      guard entry.isFile, entry.byteCount >= minimumSize ?? 0, entry.byteCount <= maximumSize ?? .max else {
        return false
      }
    }
    if let earliestModification, entry.modified <= earliestModification { return false }
    if let latestModification, entry.modified >= latestModification { return false }
    let name = entry.path.basename
    if let basenames, !basenames.contains(where: { $0.matches(name) }) { return false }
    if let excludedBasenames, excludedBasenames.contains(where: { $0.matches(name) }) { return false }
    guard let paths else { return true }
    let path = entry.path.relative(to: root).text
    return paths.contains { $0.matches(path) || $0.matches(String(path.removingBytePrefix("/") ?? path[...])) }
  }

  func sorted(_ entries: [FileEntry]) -> [FileEntry] {
    switch order {
    case nil: entries
    case .path?:
      entries.map { ($0, ignoresCase ? $0.path.text.asciiLowercased : $0.path.text) }
        .sorted { $0.1.utf8.lexicographicallyPrecedes($1.1.utf8) }.map(\.0)
    case .type?: entries.sorted { Self.type(of: $0) < Self.type(of: $1) }
    case .ascendingSize?: entries.sorted { $0.byteCount < $1.byteCount }
    case .descendingSize?: entries.sorted { $0.byteCount > $1.byteCount }
    case .time?, .ascendingTime?: entries.sorted { $0.modified < $1.modified }
    case .descendingTime?: entries.sorted { $0.modified > $1.modified }
    }
  }

  static func type(of entry: FileEntry) -> String {
    if entry.isFolder { "directory" } else if entry.link != nil { "symbolic_link" } else { "file" }
  }

  private static func texts(_ value: JSONValue?) throws(ErrorResponse) -> [String]? {
    guard let value = value?.unlessNull else { return nil }
    if let text = value.string { return [text] }
    guard let elements = value.array, elements.count <= patternLimit, elements.allSatisfy({ $0.string != nil }) else {
      throw .nodeBadRequest("A filter is not a list of at most \(patternLimit) strings.")
    }
    return elements.compactMap(\.string)
  }

  private static func patterns(_ value: JSONValue?, _ ignoresCase: Bool) throws(ErrorResponse) -> [NamePattern]? {
    try texts(value)?.map { text throws(ErrorResponse) in try NamePattern(text, ignoresCase: ignoresCase) }
  }

  /// Returns a time such as `2011-01-31T12:59:59Z`, in which a space can replace the T, and the Z can be missing.
  private static func time(_ value: JSONValue?) throws(ErrorResponse) -> Timestamp? {
    guard let value = value?.unlessNull else { return nil }
    guard let text = value.string, let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: "\(text)Z") else {
      throw .nodeBadRequest("A time is not in the ISO 8601 format.")
    }
    return time
  }
}
