// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The rules that determine which files are transferred, which existing files are replaced, and which sources are
/// removed.
struct FileRules: Sendable {
  /// The size and the modification time of a file, by which files are selected and compared.
  struct Standing: Sendable {
    let byteCount: Int64
    /// The modification time in seconds since 1970 (UTC).
    let modified: Int64
  }

  let skipsLinks: Bool
  let skipsSpecialFiles: Bool
  let removesSources: Bool
  let removesEmptyFolders: Bool
  let removesEmptySource: Bool
  let keepsModificationTime: Bool
  let announcesSize: Bool

  private let overwrite: OverwritePolicy
  /// The level of comparison with existing files (`-k`).
  ///
  /// The levels are 0 for none, 1 for attributes, 2 for sparse checksums and 3 for full checksums.
  private let comparison: Int
  private let newest: Int64?
  private let oldest: Int64?
  private let session: (index: Int, count: Int)

  init(_ line: CommandLineReader, _ mode: Invocation.Mode, at date: Timestamp = .now) throws(Failure) {
    try Self.refuse(line)
    overwrite = try Self.word(line, .overwrite) ?? .different
    let links: SymbolicLinkPolicy = try Self.word(line, .symbolicLinks) ?? .follow
    guard links == .follow || links == .skip else {
      throw .usage("The simulator does not transfer symbolic links as links")
    }
    skipsLinks = links == .skip
    comparison = try Self.number(line, .resume, in: 0...3) ?? 0
    newest = try Self.time(line, .excludeNewer, date)
    oldest = try Self.time(line, .excludeOlder, date)
    session = try Self.session(line[.multiSession])
    skipsSpecialFiles = line[.skipSpecialFiles] != nil
    removesSources = line[.removeSources] != nil
    removesEmptyFolders = line[.removeEmptyFolders] != nil
    removesEmptySource = line[.removeEmptySource] != nil
    keepsModificationTime = line[.preserveTimes] != nil || line[.preserveModificationTime] != nil
    announcesSize = line[.noPrecalculation] == nil
    guard mode != .receive || !(removesSources || removesEmptyFolders || removesEmptySource) else {
      throw .usage("The simulator removes the sources of uploads only")
    }
    guard mode != .send || !keepsModificationTime else {
      throw .usage("The simulator preserves the times of downloads only")
    }
  }

  /// Returns whether the rules include a file with the given modification time.
  func includes(_ file: Standing) -> Bool {
    newest.map { file.modified <= $0 } ?? true && oldest.map { file.modified >= $0 } ?? true
  }

  /// Returns whether this session transfers the file at an index, starting at 0.
  ///
  /// The sessions of a transfer share its files.
  func isOwn(_ number: Int) -> Bool { number % session.count == session.index - 1 }

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

  /// Checks that the command line contains no option that affects files and is not implemented by the simulator.
  private static func refuse(_ line: CommandLineReader) throws(Failure) {
    for option in [Option.contentProtection, .proxy] where line[option] != nil {
      throw .usage("The option \(option.rawValue) is not supported by the simulator")
    }
    for option in [Option.manifest, .checksum] where line[option] ?? "none" != "none" {
      throw .usage("The value of \(option.rawValue) is not supported by the simulator")
    }
  }

  private static func word<Word: RawRepresentable<String>>(
    _ line: CommandLineReader, _ option: Option
  ) throws(Failure) -> Word? {
    guard let text = line[option] else { return nil }
    guard let word = Word(rawValue: text) else {
      throw .usage("The value of \(option.rawValue) is not one of the permitted words")
    }
    return word
  }

  private static func number(
    _ line: CommandLineReader, _ option: Option, in range: ClosedRange<Int>
  ) throws(Failure) -> Int? {
    guard let text = line[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .usage("The value of \(option.rawValue) is not an integer in the permitted range")
    }
    return number
  }

  /// Parses an option's time limit and returns it in seconds since 1970 (UTC), or `nil` if the option is missing.
  ///
  /// The value is a time in seconds since 1970 (UTC), a negative number of seconds before now, or a time in ISO 8601.
  private static func time(
    _ line: CommandLineReader, _ option: Option, _ date: Timestamp
  ) throws(Failure) -> Int64? {
    guard let text = line[option] else { return nil }
    if let seconds = Int64(text) {
      let (sum, isTooLarge) = date.unixSeconds.addingReportingOverflow(min(seconds, 0))
      guard !isTooLarge else { throw .usage("The value of \(option.rawValue) is not a time") }
      return seconds < 0 ? sum : seconds
    }
    guard let time = Timestamp(iso8601: text) else { throw .usage("The value of \(option.rawValue) is not a time") }
    return time.unixSeconds
  }

  /// Parses the number of this session and the number of all sessions, such as `2:3`.
  private static func session(_ text: String?) throws(Failure) -> (index: Int, count: Int) {
    guard let text else { return (1, 1) }
    let numbers = text.split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2, (1...128).contains(numbers[1]), (1...numbers[1]).contains(numbers[0]) else {
      throw .usage("The value of -C is not the number of a session and the count of sessions, such as 2:3")
    }
    return (numbers[0], numbers[1])
  }
}
