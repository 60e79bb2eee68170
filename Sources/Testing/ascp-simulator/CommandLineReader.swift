// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A parser that splits the simulator's command line into options with their values and other arguments.
struct CommandLineReader {
  private(set) var values: [(option: Option, value: String)] = []
  private(set) var arguments: [String] = []

  /// The first problem in the command line, which does not end the parsing because the management port must report it.
  private(set) var problem: Failure?

  init(_ words: [String]) {
    let hasFileList = words.contains { word in
      [Option.list, .pairList].contains { word == $0.rawValue || word.hasBytePrefix("\($0.rawValue)=") }
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.beginsWithByte("-"), word.utf8.count > 1 else {
        arguments.append(word)
        continue
      }
      let parts = word.parts(between: "=", atMost: 1).map(String.init)
      if let option = Option(rawValue: parts[0]), parts.count == 2 ? !option.isFlag && !option.isShort : true {
        if option.isFlag {
          if option == .preserveTimes, hasFileList, let value = rest.first, ["true", "false"].contains(value) {
            // aspera-cli passes preserve_times with its value. The word is no source, because a file list has them all.
            rest = rest.dropFirst()
            if value == "false" { continue }
          }
          values.append((option, ""))
        } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
          values.append((option, value))
        } else {
          note("The option \(option.rawValue) has no value")
        }
      } else if let option = Option(rawValue: String(word.unicodeScalars.prefix(2))), option.isShort, !option.isFlag {
        values.append((option, String(word.unicodeScalars.dropFirst(2))))
      } else {
        note("The option \(parts[0]) is not one that the simulator knows")
      }
    }
  }

  subscript(option: Option) -> String? { values.last { $0.option == option }?.value }

  func word<Word: RawRepresentable<String>>(_ option: Option) throws(Failure) -> Word? {
    guard let text = self[option] else { return nil }
    guard let word = Word(rawValue: text) else {
      throw .usage("The value of \(option.rawValue) is not one of the permitted words")
    }
    return word
  }

  func number(_ option: Option, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .usage("The value of \(option.rawValue) is not an integer in the permitted range")
    }
    return number
  }

  func port(_ option: Option) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let port = Int(digits: text), (1...65_535).contains(port) else {
      throw .usage("The value of \(option.rawValue) is not a port")
    }
    return port
  }

  /// Returns a time in seconds since 1970 (UTC), given as that, as a negative offset from `date`, or in ISO 8601.
  func time(_ option: Option, _ date: Timestamp) throws(Failure) -> Int64? {
    guard let text = self[option] else { return nil }
    if let seconds = Int64(signedDigits: text) {
      let (sum, isTooLarge) = date.unixSeconds.addingReportingOverflow(min(seconds, 0))
      guard !isTooLarge else { throw .usage("The value of \(option.rawValue) is not a time") }
      return seconds < 0 ? sum : seconds
    }
    guard let time = Timestamp(iso8601: text) else { throw .usage("The value of \(option.rawValue) is not a time") }
    return time.unixSeconds
  }

  /// Returns the number of this session and the number of all sessions, such as `2:3`; one session by default.
  func session() throws(Failure) -> (index: Int, count: Int) {
    guard let text = self[.multiSession] else { return (1, 1) }
    let numbers = text.words(between: ":").compactMap { Int(digits: $0) }
    guard numbers.count == 2, (1...128).contains(numbers[1]), (1...numbers[1]).contains(numbers[0]) else {
      throw .usage("The value of -C is not the number of a session and the count of sessions, such as 2:3")
    }
    return (numbers[0], numbers[1])
  }

  func checkRejections() throws(Failure) {
    for (option, value) in values {
      guard let reason = option.rejection(of: value) else { continue }
      throw .usage("The simulator does not support the option \(option.rawValue): \(reason)")
    }
  }

  func all(_ option: Option) -> [String] { values.filter { $0.option == option }.map(\.value) }

  private mutating func note(_ text: String) {
    problem = problem ?? .usage(text)
  }
}

/// A command-line option that the simulator accepts, which Aspera's own tools pass to ascp.
///
/// An option that affects files is implemented (see ``FileRules``), or rejected with a reason (see ``rejection(of:)``).
/// An option that affects only the connection or the speed, such as a rate or a log folder, has no effect on purpose.
/// Documentation/Internals/LocalCloud.md lists all of them.
enum Option: String, CaseIterable {
  case quiet = "-q"
  case version = "-A"
  case createFolder = "-d"
  case useSystemSSH = "-SSH"
  case encodedDestination = "--dest64"
  case webSocket = "--ws-connect"
  case persistent = "--keepalive"
  case passwordPrompt = "--allow-password-prompt"
  case ignoreHostKey = "--ignore-host-key"
  case removeSources = "--remove-after-transfer"
  case removeEmptyFolders = "--remove-empty-directories"
  case removeEmptySource = "--remove-empty-source-directory"
  case skipSpecialFiles = "--skip-special-files"
  case preserveTimes = "-p"
  case preserveModificationTime = "--preserve-modification-time"
  case preserveCreationTime = "--preserve-creation-time"
  case preserveAccessTime = "--preserve-access-time"
  case preserveSourceAccessTime = "--preserve-source-access-time"
  case preserveOwner = "--preserve-file-owner-uid"
  case preserveGroup = "--preserve-file-owner-gid"
  case removeSkipped = "--remove-skipped"
  case deleteBefore = "--delete-before-transfer"
  case saveBeforeOverwrite = "--save-before-overwrite"
  case skipDuplicates = "--skip-dir-traversal-dupes"
  case applyLocalDocroot = "--apply-local-docroot"
  case failBadPassphrase = "--fail-bad-filepass"
  case precalculate = "--precalculate-job-size"
  case noPrecalculation = "--precalculate-disable"

  case overwrite = "--overwrite"
  case symbolicLinks = "--symbolic-links"
  case excludeNewer = "--exclude-newer-than"
  case excludeOlder = "--exclude-older-than"
  case checksum = "--file-checksum"
  case moveSources = "--move-after-transfer"
  case exclude = "-E"
  case include = "-N"
  case preserveACLs = "--preserve-acls"
  case preserveAttributes = "--preserve-xattrs"
  case preserveRemoteACLs = "--remote-preserve-acls"
  case preserveRemoteAttributes = "--remote-preserve-xattrs"
  case multiSessionThreshold = "--multi-session-threshold"
  case datagramSize = "-Z"
  case key = "-i"
  case sshPort = "-P"
  case udpPort = "-O"
  case token = "-W"
  case management = "-M"
  case logFolder = "-L"
  case debug = "-D"
  case configuration = "-f"
  case remoteProgram = "-S"
  case cipher = "-c"
  case targetRate = "-l"
  case minimumRate = "-m"
  case resume = "-k"
  case fallback = "-y"
  case fallbackCertificate = "-I"
  case fallbackKey = "-Y"
  case fallbackPort = "-t"
  case multiSession = "-C"
  case user = "--user"
  case host = "--host"
  case mode = "--mode"
  case fingerprint = "--check-sshfp"
  case tags = "--tags"
  case encodedTags = "--tags64"
  case sshArgument = "--ssh-arg"
  case manifest = "--file-manifest"
  case manifestFolder = "--file-manifest-path"
  case list = "--file-list"
  case pairList = "--file-pair-list"
  case encodedSourcePrefix = "--source-prefix64"
  case encodedSourceBase = "--src-base64"
  case policy = "--policy"
  case proxy = "--proxy"
  case contentProtection = "--file-crypt"

  var isFlag: Bool {
    switch self {
    case .quiet, .version, .createFolder, .useSystemSSH, .encodedDestination, .webSocket, .persistent, .passwordPrompt,
      .ignoreHostKey, .removeSources, .removeEmptyFolders, .removeEmptySource, .skipSpecialFiles, .preserveTimes,
      .preserveModificationTime, .preserveCreationTime, .preserveAccessTime, .preserveSourceAccessTime, .preserveOwner,
      .preserveGroup, .removeSkipped, .deleteBefore, .saveBeforeOverwrite, .skipDuplicates, .applyLocalDocroot,
      .failBadPassphrase, .precalculate, .noPrecalculation:
      true
    default: false
    }
  }

  /// Whether a value can follow the option directly, as in `-P33001`.
  var isShort: Bool { !rawValue.hasPrefix("--") && self != .useSystemSSH }

  /// Returns the reason why the simulator rejects the option with a value, or `nil` if it accepts the option.
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
