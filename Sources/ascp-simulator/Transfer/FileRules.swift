internal import AsperaAuth
internal import StorageAuth

/// Which files go, which ones are replaced, and what happens to their sources.
struct FileRules: Sendable {
  /// What is known of a file before its bytes are compared.
  struct Standing: Sendable {
    let byteCount: Int64
    /// When it was modified, in seconds since 1970.
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
  /// What is compared (`-k`): nothing, attributes, sparse or full checksums.
  private let comparison: Int
  private let newest: Int64?
  private let oldest: Int64?
  private let session: (index: Int, count: Int)

  init(_ line: CommandLineReader, _ mode: Invocation.Mode, at date: Timestamp = .now) throws(Failure) {
    try Self.refuse(line)
    overwrite = try Self.word(line, .overwrite) ?? .different
    let links: SymbolicLinkPolicy = try Self.word(line, .symbolicLinks) ?? .follow
    guard links == .follow || links == .skip else {
      throw .usage("The simulator transfers no symbolic links as links")
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
      throw .usage("The simulator keeps the times of downloads only")
    }
  }

  /// Whether a file is among those that go, by its time.
  func includes(_ file: Standing) -> Bool {
    newest.map { file.modified <= $0 } ?? true && oldest.map { file.modified >= $0 } ?? true
  }

  /// Whether a file of a session's list is this session's: several sessions share the files.
  func isOwn(_ number: Int) -> Bool { number % session.count == session.index - 1 }

  /// Whether it makes no difference what is at the destination.
  var replacesEverything: Bool { overwrite == .always || overwrite == .different && comparison == 0 }

  /// Whether a file goes in the place of the one that may be there.
  ///
  /// Attributes are sizes, as for ascp. Two files of one size may differ: where checksums are to be compared, the file is
  /// transferred again instead.
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

  /// Refuses what the simulator would have to leave out.
  private static func refuse(_ line: CommandLineReader) throws(Failure) {
    for option in [Option.contentProtection, .proxy] where line[option] != nil {
      throw .usage("The simulator does not do what \(option.rawValue) asks for")
    }
    for option in [Option.manifest, .checksum] where line[option] ?? "none" != "none" {
      throw .usage("The simulator does not do what \(option.rawValue) asks for")
    }
  }

  private static func word<Word: RawRepresentable<String>>(
    _ line: CommandLineReader, _ option: Option
  ) throws(Failure) -> Word? {
    guard let text = line[option] else { return nil }
    guard let word = Word(rawValue: text) else {
      throw .usage("The value of \(option.rawValue) is not one of its words")
    }
    return word
  }

  private static func number(
    _ line: CommandLineReader, _ option: Option, in range: ClosedRange<Int>
  ) throws(Failure) -> Int? {
    guard let text = line[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .usage("The value of \(option.rawValue) is not a number that it can have")
    }
    return number
  }

  /// A time: seconds since 1970, seconds before now if negative, or ISO 8601.
  private static func time(
    _ line: CommandLineReader, _ option: Option, _ date: Timestamp
  ) throws(Failure) -> Int64? {
    guard let text = line[option] else { return nil }
    if let seconds = Int64(text) {
      let (sum, isTooLarge) = date.unixSeconds.addingReportingOverflow(min(seconds, 0))
      guard !isTooLarge else { throw .usage("The value of \(option.rawValue) is no time") }
      return seconds < 0 ? sum : seconds
    }
    guard let time = Timestamp(iso8601: text) else { throw .usage("The value of \(option.rawValue) is no time") }
    return time.unixSeconds
  }

  /// Which session of several this is: `2:3`.
  private static func session(_ text: String?) throws(Failure) -> (index: Int, count: Int) {
    guard let text else { return (1, 1) }
    let numbers = text.split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2, (1...128).contains(numbers[1]), (1...numbers[1]).contains(numbers[0]) else {
      throw .usage("The value of -C is not the number of a session and how many there are")
    }
    return (numbers[0], numbers[1])
  }
}
