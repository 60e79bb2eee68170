// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The rules that include (`-N`) and exclude (`-E`) files and folders by their names.
///
/// The first rule whose pattern matches decides. A file or folder that no pattern matches is included. The contents of
/// an excluded folder are excluded too. See [Using filters to include and exclude
/// files](https://www.ibm.com/docs/en/ahts/4.4.x?topic=linux-using-filters-include-exclude-files).
struct NameFilter: Sendable {
  private let rules: [(isIncluded: Bool, pattern: NamePattern)]
  var isEmpty: Bool { rules.isEmpty }

  init(_ commandLine: CommandLineReader) throws(Failure) {
    var rules: [(isIncluded: Bool, pattern: NamePattern)] = []
    for (option, value) in commandLine.options where option == .include || option == .exclude {
      guard let pattern = NamePattern(value) else {
        throw .usage("The value of \(option.rawValue) is not a pattern: \(value)")
      }
      rules.append((option == .include, pattern))
    }
    self.rules = rules
  }

  private func includes(_ path: String, isFolder: Bool) -> Bool {
    rules.first { $0.pattern.matches(path, isFolder: isFolder) }?.isIncluded ?? true
  }

  /// Returns the items that the rules include, without the contents of excluded folders; each folder comes first.
  func included(_ items: [TransferItem]) -> [TransferItem] {
    guard !isEmpty else { return items }
    var excluded: Set<ByteExactString> = []
    return items.filter { item in
      let parent = item.name.words(between: "/").dropLast().joined(separator: "/")
      if !excluded.contains(ByteExactString(parent)), includes(item.name, isFolder: item.isFolder) { return true }
      if item.isFolder { excluded.insert(ByteExactString(item.name)) }
      return false
    }
  }
}

/// A pattern of file and folder names, in the form of ascp's filters.
///
/// A character is a Unicode scalar, so that a slash separates names even before a combining mark.
///
/// | part | matches |
/// |---|---|
/// | `*`, `?`, `[abc]`, `[!abc]`, `[a-z]` | characters of one name, but not the dot at its start |
/// | `/**` | `*` across folders, also names that start with a dot |
/// | `\` | the next character itself |
/// | `/` at the start | only from the root of the transfer set; any other pattern also matches below a folder |
/// | `/` at the end | folders only |
/// | `*` at the end | files and folders |
/// | any other end | files only |
struct NamePattern: Sendable {
  private enum Part: Sendable, Equatable {
    case character(Unicode.Scalar)
    case anyCharacter
    case set(characters: [Unicode.Scalar], ranges: [ClosedRange<Unicode.Scalar>], isNegated: Bool)
    /// Any number of characters of one name.
    case run
    /// A slash with any number of characters, including slashes; may match an empty text in the middle of a pattern.
    case deepRun
  }

  /// The maximum length of a pattern in bytes, with which the time of a match grows.
  private static let byteLimit = 1024

  private let parts: [Part]
  private let isAnchored: Bool
  private let matchesFiles: Bool
  private let matchesFolders: Bool

  /// Parses a pattern, or returns `nil` if it is empty, too long, or has a bracket without an end.
  init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.byteLimit else { return nil }
    var unparsedText = text.unicodeScalars[...]
    matchesFolders = unparsedText.last == "/" || unparsedText.last == "*"
    matchesFiles = unparsedText.last != "/"
    if unparsedText.last == "/" { unparsedText = unparsedText.dropLast() }
    isAnchored = text.beginsWithByte("/")
    var parts: [Part] = []
    while let character = unparsedText.first {
      if unparsedText.starts(with: "/**".unicodeScalars) {
        parts.append(.deepRun)
        unparsedText = unparsedText.dropFirst(3)
        continue
      }
      unparsedText = unparsedText.dropFirst()
      switch character {
      case "\\":
        guard let quoted = unparsedText.popFirst() else { return nil }
        parts.append(.character(quoted))
      case "*":
        if parts.last != .run { parts.append(.run) }
      case "?": parts.append(.anyCharacter)
      case "[":
        guard let set = Self.parseSet(&unparsedText) else { return nil }
        parts.append(set)
      default: parts.append(.character(character))
      }
    }
    self.parts = isAnchored ? parts : [.character("/")] + parts
  }

  func matches(_ path: String, isFolder: Bool) -> Bool {
    guard isFolder ? matchesFolders : matchesFiles else { return false }
    let path = Array("/\(path)".unicodeScalars)
    if isAnchored { return matches(path) }
    return path.indices.contains { path[$0] == "/" && matches(Array(path[$0...])) }
  }

  /// Returns whether the pattern matches a whole path: each step computes which prefixes the parts so far match.
  private func matches(_ path: [Unicode.Scalar]) -> Bool {
    var reached = [Bool](repeating: false, count: path.count + 1)
    reached[0] = true
    for (index, part) in parts.enumerated() {
      reached = Self.advance(by: part, isLast: index == parts.count - 1, path, reached)
    }
    return reached[path.count]
  }

  private static func advance(by part: Part, isLast: Bool, _ path: [Unicode.Scalar], _ reached: [Bool]) -> [Bool] {
    var next = [Bool](repeating: false, count: reached.count)
    // Whether a run of the part extends to the current character.
    var isRunning = false
    for (index, character) in path.enumerated() {
      let startsName = index > 0 && path[index - 1] == "/"
      switch part {
      case .run:
        isRunning = (isRunning || reached[index]) && character != "/" && !(character == "." && startsName)
        if reached[index] { next[index] = true }
        if isRunning { next[index + 1] = true }
      case .deepRun:
        isRunning = isRunning || reached[index] && character == "/"
        if reached[index], !isLast { next[index] = true }
        if isRunning { next[index + 1] = true }
      default:
        if reached[index], accepts(part, character, startsName: startsName) { next[index + 1] = true }
      }
    }
    if part == .run || part == .deepRun && !isLast, reached[path.count] { next[path.count] = true }
    return next
  }

  private static func accepts(_ part: Part, _ character: Unicode.Scalar, startsName: Bool) -> Bool {
    switch part {
    case .character(let expected): return character == expected
    case .anyCharacter: return character != "/" && !(character == "." && startsName)
    case .set(let characters, let ranges, let isNegated):
      guard character != "/", !(character == "." && startsName) else { return false }
      return (characters.contains(character) || ranges.contains { $0.contains(character) }) != isNegated
    case .run, .deepRun: return false
    }
  }

  /// Parses a set after its opening bracket, or returns `nil` if it has no end or contains a class such as `[:alpha:]`.
  private static func parseSet(_ unparsedText: inout Substring.UnicodeScalarView) -> Part? {
    let isNegated = unparsedText.first == "!" || unparsedText.first == "^"
    if isNegated { unparsedText = unparsedText.dropFirst() }
    var characters: [Unicode.Scalar] = []
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var isFirst = true
    while let character = unparsedText.popFirst() {
      // A bracket directly after the opening one is a member of the set.
      if character == "]", !isFirst { return .set(characters: characters, ranges: ranges, isNegated: isNegated) }
      isFirst = false
      if character == "[", unparsedText.first == ":" { return nil }
      if unparsedText.first == "-", let last = unparsedText.dropFirst().first, last != "]" {
        guard character <= last else { return nil }
        ranges.append(character...last)
        unparsedText = unparsedText.dropFirst(2)
      } else {
        characters.append(character)
      }
    }
    return nil
  }
}
