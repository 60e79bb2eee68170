// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The `filters` and the `sort` of a request of the third generation of the Node API.
///
/// An entry must match all filters: one of the strings of each, but none of `out_basenames`. Minimums and maximums of
/// sizes are included, those of times are not.
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
  private static let stringLimit = 100
  /// Whether patterns and the order of paths ignore the case of letters, which is the default.
  private let ignoresCase: Bool
  private let order: Order?
  private let types: [String]?
  private let paths, basenames, excludedBasenames: [NamePattern]?
  private let minimumSize, maximumSize: Int?
  private let earliestModification, latestModification: Timestamp?

  init(_ document: JSONValue) throws(ErrorResponse) {
    ignoresCase = document["case_sensitive"]?.bool != true
    let sort = document["sort"]?.unlessNull
    order = sort?.string.flatMap { Order(rawValue: $0) }
    try require(sort == nil || order != nil, "The sort must be path, type, size_a, size_d, mtime, mtime_a or mtime_d.")
    let filters = document["filters"]?.unlessNull
    try require(filters == nil || filters?.object != nil, "The filters are not an object.")
    types = try Self.strings("types", in: filters)
    try require(
      types?.allSatisfy { ["file", "directory", "symbolic_link"].contains($0) } ?? true,
      "A type must be file, directory or symbolic_link.")
    paths = try Self.patterns("paths", in: filters, ignoresCase: ignoresCase)
    basenames = try Self.patterns("basenames", in: filters, ignoresCase: ignoresCase)
    excludedBasenames = try Self.patterns("out_basenames", in: filters, ignoresCase: ignoresCase)
    minimumSize = try filters?["size_min"]?.integer("The size_min is not an integer.")
    maximumSize = try filters?["size_max"]?.integer("The size_max is not an integer.")
    earliestModification = try Self.time("mtime_min", in: filters)
    latestModification = try Self.time("mtime_max", in: filters)
  }

  /// Returns whether an entry matches; patterns apply to its path below the root of the caller.
  func matches(_ entry: FileEntry, below root: NodePath) -> Bool {
    if let types, !types.contains(Self.type(of: entry)) { return false }
    // Only files have a size to compare.
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
    // A pattern can omit the slash at the start of a path.
    let path = entry.path.relative(to: root)
    return paths.contains { $0.matches(path.text) || $0.matches(path.key) }
  }

  func sorted(_ entries: [FileEntry]) -> [FileEntry] {
    switch order {
    case nil: entries
    case .path?:
      entries.map { entry in (entry, text: ignoresCase ? entry.path.text.asciiLowercased : entry.path.text) }
        .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }.map(\.0)
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

  private static func patterns(
    _ name: String, in filters: JSONValue?, ignoresCase: Bool
  ) throws(ErrorResponse) -> [NamePattern]? {
    try strings(name, in: filters)?.map { text throws(ErrorResponse) in
      try NamePattern(text, ignoresCase: ignoresCase)
    }
  }

  /// Returns the strings of a filter, which can also be a single string, or `nil` if the filter is missing.
  private static func strings(_ name: String, in filters: JSONValue?) throws(ErrorResponse) -> [String]? {
    guard let value = filters?[name]?.unlessNull else { return nil }
    if let text = value.string { return [text] }
    guard let elements = value.array, elements.count <= stringLimit, elements.allSatisfy({ $0.string != nil }) else {
      throw .nodeBadRequest("The filter \(name) is not a list of at most \(stringLimit) strings.")
    }
    return elements.compactMap(\.string)
  }

  /// Returns a time such as `2011-01-31T12:59:59Z`, in which a space can replace the T, and the Z can be missing.
  private static func time(_ name: String, in filters: JSONValue?) throws(ErrorResponse) -> Timestamp? {
    guard let value = filters?[name]?.unlessNull else { return nil }
    guard let text = value.string, let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: "\(text)Z") else {
      throw .nodeBadRequest("The \(name) is not a time in the ISO 8601 format.")
    }
    return time
  }
}
