// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A parser that splits the simulator's command line into options with their values and other arguments.
struct CommandLineReader {
  /// The maximum number of sessions that share a transfer.
  private static let sessionLimit = 128

  private(set) var values: [(option: AscpOption, value: String)] = []
  private(set) var arguments: [String] = []

  /// The first problem in the command line, which does not end the parsing because the management port must report it.
  private(set) var problem: Failure?

  init(_ commandLine: [String]) {
    let hasFileList = commandLine.contains { word in
      [AscpOption.fileList, .filePairList].contains { word == $0.rawValue || word.hasBytePrefix("\($0.rawValue)=") }
    }
    var rest = commandLine[...]
    while let word = rest.popFirst() {
      guard word.beginsWithByte("-"), word.utf8.count > 1 else {
        arguments.append(word)
        continue
      }
      let parts = word.parts(between: "=", atMost: 1).map(String.init)
      if let option = AscpOption(rawValue: parts[0]), parts.count == 2 ? !option.isFlag && !option.isShort : true {
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
          recordProblem("The option \(option.rawValue) has no value")
        }
      } else if let option = AscpOption(rawValue: String(word.unicodeScalars.prefix(2))), option.isShort, !option.isFlag
      {
        values.append((option, String(word.unicodeScalars.dropFirst(2))))
      } else {
        recordProblem("The option \(parts[0]) is not one that the simulator knows")
      }
    }
  }

  subscript(option: AscpOption) -> String? { values.last { $0.option == option }?.value }

  func choice<Choice: RawRepresentable<String>>(_ option: AscpOption) throws(Failure) -> Choice? {
    guard let text = self[option] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw .usage("The value of \(option.rawValue) is not one of the permitted words")
    }
    return choice
  }

  func number(_ option: AscpOption, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(digits: text), range.contains(number) else {
      throw .usage("The value of \(option.rawValue) is not an integer in the permitted range")
    }
    return number
  }

  func port(_ option: AscpOption) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let port = Int(digits: text), (1...65_535).contains(port) else {
      throw .usage("The value of \(option.rawValue) is not a port")
    }
    return port
  }

  /// Returns a time in seconds since 1970 (UTC), given as that, as a negative offset from `date`, or in ISO 8601.
  func time(_ option: AscpOption, at date: Timestamp) throws(Failure) -> Int64? {
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
    guard numbers.count == 2, (1...Self.sessionLimit).contains(numbers[1]), (1...numbers[1]).contains(numbers[0]) else {
      throw .usage("The value of -C is not the number of a session and the count of sessions, such as 2:3")
    }
    return (numbers[0], numbers[1])
  }

  func requireSupportedOptions() throws(Failure) {
    for (option, value) in values {
      guard let reason = option.rejection(of: value) else { continue }
      throw .usage("The simulator does not support the option \(option.rawValue): \(reason)")
    }
  }

  func allValues(of option: AscpOption) -> [String] { values.filter { $0.option == option }.map(\.value) }

  private mutating func recordProblem(_ text: String) {
    problem = problem ?? .usage(text)
  }
}
