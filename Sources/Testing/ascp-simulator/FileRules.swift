// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth
internal import StorageCrypto

/// The rules for which files are transferred, which existing files are replaced, and what happens to the sources.
struct FileRules: Sendable {
  /// The size and the modification time of a file, by which files are selected and compared.
  struct Standing: Sendable, Equatable {
    let byteCount: Int64
    /// The modification time in seconds since 1970 (UTC).
    let modified: Int64
  }

  enum SourceFate: Sendable, Equatable {
    case keep
    case remove
    /// The file is moved into an archive folder on the same side.
    case move(to: String)
  }

  let links: SymbolicLinkPolicy
  let skipsSpecialFiles: Bool
  let sourceFate: SourceFate
  let removesSkipped: Bool
  let removesEmptyFolders: Bool
  let removesEmptySource: Bool
  let deletesBefore: Bool
  let savesExisting: Bool
  let keepsModificationTime: Bool
  let announcesSize: Bool
  let checksum: FileChecksum.Kind?
  let filter: NameFilter

  /// The folder for a manifest of all transferred files, empty for the default folder, or `nil` for no manifest.
  let manifestFolder: String?

  private let overwrite: OverwritePolicy
  /// The level of comparison with existing files (`-k`): none, attributes, sparse checksums or full checksums.
  private let comparison: Int
  private let newest: Int64?
  private let oldest: Int64?
  private let session: (index: Int, count: Int)

  private enum Manifest: String {
    case none, text
  }

  init(_ line: CommandLineReader, at date: Timestamp = .now) throws(Failure) {
    try line.checkRejections()
    overwrite = try line.word(.overwrite) ?? .different
    links = try line.word(.symbolicLinks) ?? .follow
    comparison = try line.number(.resume, in: 0...3) ?? 0
    newest = try line.time(.excludeNewer, date)
    oldest = try line.time(.excludeOlder, date)
    session = try line.session()
    skipsSpecialFiles = line[.skipSpecialFiles] != nil
    if let archive = line[.moveSources] {
      guard line[.removeSources] == nil else {
        throw .usage("Sources can be moved or removed, but not both")
      }
      sourceFate = .move(to: archive)
    } else {
      sourceFate = line[.removeSources] == nil ? .keep : .remove
    }
    removesSkipped = line[.removeSkipped] != nil
    guard !removesSkipped || sourceFate == .remove else {
      throw .usage("\(Option.removeSkipped.rawValue) requires \(Option.removeSources.rawValue)")
    }
    removesEmptyFolders = line[.removeEmptyFolders] != nil
    removesEmptySource = line[.removeEmptySource] != nil
    deletesBefore = line[.deleteBefore] != nil
    savesExisting = line[.saveBeforeOverwrite] != nil
    keepsModificationTime = line[.preserveTimes] != nil || line[.preserveModificationTime] != nil
    announcesSize = line[.noPrecalculation] == nil
    checksum = line[.checksum] == "none" ? nil : try line.word(.checksum)
    filter = try NameFilter(line)
    guard !deletesBefore || filter.isEmpty && newest == nil && oldest == nil else {
      throw .usage("\(Option.deleteBefore.rawValue) cannot be combined with options that exclude files")
    }
    let manifest: Manifest = try line.word(.manifest) ?? .none
    manifestFolder = manifest == .none ? nil : line[.manifestFolder] ?? ""
  }

  func includes(_ file: Standing) -> Bool {
    newest.map { file.modified <= $0 } ?? true && oldest.map { file.modified >= $0 } ?? true
  }

  /// Returns whether this session transfers the file at an index: the sessions of a transfer share its files.
  func isOwn(_ number: Int) -> Bool { number % session.count == session.index - 1 }

  var copiesLinks: Bool { links == .copy || links == .copyAndReplace }

  /// Whether an interrupted file is resumed if its size and time are unchanged: no checksums are compared.
  var resumes: Bool { comparison == 1 }

  /// Whether every file is transferred, regardless of an existing file at the destination.
  var replacesEverything: Bool { overwrite == .always || overwrite == .different && comparison == 0 }

  /// Returns whether a file replaces the existing file at its destination, which is `nil` if there is no such file.
  ///
  /// The size is the only attribute that is compared, as in ascp. Files of the same size can differ. Instead of
  /// comparing checksums, the simulator transfers such files again.
  func replaces(_ existing: Standing?, with file: Standing) -> Bool {
    guard let existing else { return true }
    let isOlder = existing.modified < file.modified
    let differs = comparison != 1 || existing.byteCount != file.byteCount
    return switch overwrite {
    case .never: false
    case .always: true
    case .different: differs
    case .older: isOlder
    case .differentAndOlder: differs && isOlder
    }
  }
}

/// A checksum of a file that is computed during its transfer (`--file-checksum`).
struct FileChecksum {
  enum Kind: String, Sendable {
    case sha512 = "sha-512"
    case sha384 = "sha-384"
    case sha256 = "sha-256"
    case sha1
    case md5
  }

  let kind: Kind
  private var hash: any HashFunction

  init(_ kind: Kind) {
    self.kind = kind
    hash =
      switch kind {
      case .sha512: SHA512()
      case .sha384: SHA384()
      case .sha256: SHA256()
      case .sha1: SHA1()
      case .md5: MD5()
      }
  }

  mutating func update(_ bytes: [UInt8]) { hash.update(bytes) }

  var hex: String { hash.finalize().hex }
}

/// A text file that lists what a session transferred (`--file-manifest=text`).
///
/// Its name is that of ascp, `aspera-transfer-ID-manifest.txt`. Its lines are the simulator's own: the path at the
/// destination as a JSON string, the size in bytes, and the checksum if one was requested.
struct Manifest {
  struct Entry: Sendable {
    let path: String
    let byteCount: Int64
    let checksum: String?
  }

  /// Writes the manifest of a session to a folder, which is created if it is missing.
  static func write(_ entries: [Entry], of session: String, in folder: String) throws(Failure) {
    let lines = entries.map { entry in
      let path = String(decoding: JSONValue.string(entry.path).serialized, as: UTF8.self)
      return "\(path) \(entry.byteCount)\(entry.checksum.map { " \($0)" } ?? "")\n"
    }
    try ReceivedFile.makeFolder(folder)
    let path = SourceNaming.joined(folder, "aspera-transfer-\(session)-manifest.txt")
    do {
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw Failure(36, "The manifest cannot be written: \(path)")
    }
  }
}

/// The rules that include (`-N`) and exclude (`-E`) files and folders by their names.
///
/// The first rule whose pattern matches decides. A file or folder that no pattern matches is included. The contents of
/// an excluded folder are excluded too. See
/// [Using filters to include and exclude files](https://www.ibm.com/docs/en/ahts/4.4.x?topic=linux-using-filters-include-exclude-files).
struct NameFilter: Sendable {
  private let rules: [(isIncluded: Bool, pattern: NamePattern)]

  var isEmpty: Bool { rules.isEmpty }

  init(_ line: CommandLineReader) throws(Failure) {
    var rules: [(isIncluded: Bool, pattern: NamePattern)] = []
    for (option, value) in line.values where option == .include || option == .exclude {
      guard let pattern = NamePattern(value) else {
        throw .usage("The value of \(option.rawValue) is not a pattern: \(value)")
      }
      rules.append((option == .include, pattern))
    }
    self.rules = rules
  }

  /// Whether the rules include a path from the root of the transfer set, such as `folder/file`.
  private func includes(_ path: String, isFolder: Bool) -> Bool {
    rules.first { $0.pattern.matches(path, isFolder: isFolder) }?.isIncluded ?? true
  }

  /// Returns the items that the rules include, without the contents of excluded folders; each folder comes first.
  func included(_ items: [Item]) -> [Item] {
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

  private static let longest = 1024

  private let parts: [Part]
  private let isAnchored: Bool
  private let matchesFiles: Bool
  private let matchesFolders: Bool

  /// Parses a pattern; the result is `nil` if the pattern is empty, is too long, or has a bracket without an end.
  init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.longest else { return nil }
    var rest = text.unicodeScalars[...]
    matchesFolders = rest.last == "/" || rest.last == "*"
    matchesFiles = rest.last != "/"
    if rest.last == "/" { rest = rest.dropLast() }
    isAnchored = text.beginsWithByte("/")
    var parts: [Part] = []
    while let character = rest.first {
      if rest.starts(with: "/**".unicodeScalars) {
        parts.append(.deepRun)
        rest = rest.dropFirst(3)
        continue
      }
      rest = rest.dropFirst()
      switch character {
      case "\\":
        guard let quoted = rest.popFirst() else { return nil }
        parts.append(.character(quoted))
      case "*":
        if parts.last != .run { parts.append(.run) }
      case "?": parts.append(.anyCharacter)
      case "[":
        guard let set = Self.set(&rest) else { return nil }
        parts.append(set)
      default: parts.append(.character(character))
      }
    }
    self.parts = isAnchored ? parts : [.character("/")] + parts
  }

  /// Returns whether the pattern matches a path from the root of the transfer set.
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
      reached = Self.step(part, isLast: index == parts.count - 1, path, reached)
    }
    return reached[path.count]
  }

  private static func step(_ part: Part, isLast: Bool, _ path: [Unicode.Scalar], _ reached: [Bool]) -> [Bool] {
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

  /// Parses a set of characters after its opening bracket.
  private static func set(_ rest: inout Substring.UnicodeScalarView) -> Part? {
    let isNegated = rest.first == "!" || rest.first == "^"
    if isNegated { rest = rest.dropFirst() }
    var characters: [Unicode.Scalar] = []
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var isFirst = true
    while let character = rest.popFirst() {
      if character == "]", !isFirst { return .set(characters: characters, ranges: ranges, isNegated: isNegated) }
      isFirst = false
      if character == "[", rest.first == ":" { return nil }
      if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
        guard character <= end else { return nil }
        ranges.append(character...end)
        rest = rest.dropFirst(2)
      } else {
        characters.append(character)
      }
    }
    return nil
  }
}
