// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A parser that splits the simulator's command line into options with their values and other arguments.
struct CommandLineReader {
  private static let sessionLimit = 128

  private(set) var options: [(option: AscpOption, value: String)] = []
  private(set) var arguments: [String] = []
  /// The first problem, which does not end the parsing because the management port must report it.
  private(set) var problem: Failure?

  init(_ commandLine: [String]) {
    let hasFileList = commandLine.contains { word in
      [AscpOption.fileList, .filePairList].contains { word == $0.rawValue || word.hasBytePrefix("\($0.rawValue)=") }
    }
    var unreadWords = commandLine[...]
    while let word = unreadWords.popFirst() {
      if word.beginsWithByte("-"), word.utf8.count > 1 {
        readOption(word, &unreadWords, hasFileList: hasFileList)
      } else {
        arguments.append(word)
      }
    }
  }

  private mutating func readOption(_ word: String, _ unreadWords: inout ArraySlice<String>, hasFileList: Bool) {
    let parts = word.parts(between: "=", maxSplits: 1).map(String.init)
    if let option = AscpOption(rawValue: parts[0]), parts.count == 1 || !option.isFlag && !option.isShort {
      if option.isFlag {
        readFlag(option, &unreadWords, hasFileList: hasFileList)
      } else if let value = parts.count == 2 ? parts[1] : unreadWords.popFirst() {
        options.append((option, value))
      } else {
        recordProblem("The option \(option.rawValue) has no value")
      }
    } else if let option = AscpOption(rawValue: String(word.unicodeScalars.prefix(2))), option.isShort, !option.isFlag {
      // The value follows a short option directly.
      options.append((option, String(word.unicodeScalars.dropFirst(2))))
    } else {
      recordProblem("The option \(parts[0]) is not one that the simulator knows")
    }
  }

  private mutating func readFlag(_ flag: AscpOption, _ unreadWords: inout ArraySlice<String>, hasFileList: Bool) {
    // aspera-cli passes preserve_times with its value. The word is no source, because a file list has them all.
    if flag == .preserveTimes, hasFileList, let value = unreadWords.first, ["true", "false"].contains(value) {
      unreadWords = unreadWords.dropFirst()
      if value == "false" { return }
    }
    options.append((flag, ""))
  }

  /// The value of an option, of which the last one on the command line counts, or `nil` without the option.
  subscript(option: AscpOption) -> String? { options.last { $0.option == option }?.value }

  func choice<Choice: RawRepresentable<String>>(_ option: AscpOption) throws(Failure) -> Choice? {
    guard let text = self[option] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw .usage("The value of \(option.rawValue) is not one of the permitted words")
    }
    return choice
  }

  func number(
    _ option: AscpOption, in range: ClosedRange<Int>, _ kind: String = "an integer in the permitted range"
  ) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .usage("The value of \(option.rawValue) is not \(kind)")
    }
    return number
  }

  func port(_ option: AscpOption) throws(Failure) -> Int? { try number(option, in: 1...65_535, "a port") }

  /// Returns a time in seconds since 1970 (UTC), written as such, as a negative offset from `date`, or in ISO 8601.
  func time(_ option: AscpOption, at date: Timestamp) throws(Failure) -> Int64? {
    guard let text = self[option] else { return nil }
    let time =
      if let seconds = Int64(signedDigits: text) {
        seconds < 0 ? date.unixSeconds.checkedAdding(seconds) : seconds
      } else { Timestamp(iso8601: text)?.unixSeconds }
    guard let time else { throw .usage("The value of \(option.rawValue) is not a time") }
    return time
  }

  /// Returns the number of this session and the count of sessions, such as `2:3`.
  func session() throws(Failure) -> (number: Int, count: Int) {
    guard let text = self[.multiSession] else { return (1, 1) }
    let numbers = text.words(between: ":").compactMap { Int(digits: $0) }
    guard numbers.count == 2, (1...Self.sessionLimit).contains(numbers[1]), (1...numbers[1]).contains(numbers[0]) else {
      throw .usage("The value of -C is not the number of a session and the count of sessions, such as 2:3")
    }
    return (numbers[0], numbers[1])
  }

  func requireSupportedOptions() throws(Failure) {
    for (option, value) in options {
      guard let reason = option.rejection(of: value) else { continue }
      throw .usage("The simulator does not support the option \(option.rawValue): \(reason)")
    }
  }

  func allValues(of option: AscpOption) -> [String] { options.filter { $0.option == option }.map(\.value) }
  private mutating func recordProblem(_ text: String) { problem = problem ?? .usage(text) }
}

/// A command-line option that the simulator accepts, which Aspera's own tools pass to ascp.
///
/// An option that affects files is implemented (see ``FileRules``), or rejected with a reason (see ``rejection(of:)``).
/// An option that affects only the connection or the speed, such as a rate or a log folder, has no effect on purpose.
/// Documentation/Internals/LocalCloud.md lists all of them.
enum AscpOption: String, CaseIterable {
  // Flags
  case quiet = "-q", version = "-A", createFolder = "-d", useSystemSSH = "-SSH", encodedDestination = "--dest64"
  case webSocket = "--ws-connect", persistent = "--keepalive", passwordPrompt = "--allow-password-prompt"
  case ignoreHostKey = "--ignore-host-key", removeSources = "--remove-after-transfer"
  case removeEmptyFolders = "--remove-empty-directories", removeEmptySource = "--remove-empty-source-directory"
  case skipSpecialFiles = "--skip-special-files", preserveTimes = "-p"
  case preserveModificationTime = "--preserve-modification-time", preserveCreationTime = "--preserve-creation-time"
  case preserveAccessTime = "--preserve-access-time", preserveSourceAccessTime = "--preserve-source-access-time"
  case preserveOwner = "--preserve-file-owner-uid", preserveGroup = "--preserve-file-owner-gid"
  case removeSkipped = "--remove-skipped", deleteBefore = "--delete-before-transfer"
  case saveBeforeOverwrite = "--save-before-overwrite", skipDuplicates = "--skip-dir-traversal-dupes"
  case applyLocalDocroot = "--apply-local-docroot", failBadPassphrase = "--fail-bad-filepass"
  case precalculate = "--precalculate-job-size", noPrecalculation = "--precalculate-disable"

  // Options with a value
  case overwrite = "--overwrite", symbolicLinks = "--symbolic-links", excludeNewer = "--exclude-newer-than"
  case excludeOlder = "--exclude-older-than", checksum = "--file-checksum", moveSources = "--move-after-transfer"
  case exclude = "-E", include = "-N", preserveACLs = "--preserve-acls", preserveAttributes = "--preserve-xattrs"
  case preserveRemoteACLs = "--remote-preserve-acls", preserveRemoteAttributes = "--remote-preserve-xattrs"
  case multiSessionThreshold = "--multi-session-threshold", datagramSize = "-Z", key = "-i", sshPort = "-P"
  case udpPort = "-O", token = "-W", management = "-M", logFolder = "-L", debug = "-D", configuration = "-f"
  case remoteProgram = "-S", cipher = "-c", targetRate = "-l", minimumRate = "-m", resume = "-k", fallback = "-y"
  case fallbackCertificate = "-I", fallbackKey = "-Y", fallbackPort = "-t", multiSession = "-C", user = "--user"
  case host = "--host", mode = "--mode", fingerprint = "--check-sshfp", tags = "--tags", encodedTags = "--tags64"
  case sshArgument = "--ssh-arg", manifest = "--file-manifest", manifestFolder = "--file-manifest-path"
  case fileList = "--file-list", filePairList = "--file-pair-list", encodedSourcePrefix = "--source-prefix64"
  case encodedSourceBase = "--src-base64", policy = "--policy", proxy = "--proxy", contentProtection = "--file-crypt"

  /// The options above the first one with a value.
  private static let flags = Set(allCases.prefix { $0 != .overwrite })
  var isFlag: Bool { Self.flags.contains(self) }
  /// Whether a value can follow the option directly, as in `-P33001`.
  var isShort: Bool { !rawValue.hasPrefix("--") && self != .useSystemSSH }

  /// Returns why the simulator rejects the option with a value, or `nil` if it accepts the option.
  func rejection(of value: String) -> String? {
    switch self {
    case .contentProtection, .failBadPassphrase: "it does not encrypt files"
    case .proxy: "it would connect without the proxy"
    case .applyLocalDocroot: "it has no docroot on this machine"
    case .preserveAccessTime, .preserveSourceAccessTime: "the node keeps no access times"
    case .preserveOwner, .preserveGroup: "the node keeps no owners"
    case .preserveACLs, .preserveAttributes, .preserveRemoteACLs, .preserveRemoteAttributes:
      value == "none" ? nil : "the node keeps neither access control lists nor extended attributes"
    default: nil
    }
  }
}
