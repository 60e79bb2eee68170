// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A parser that splits the simulator's command line into options with their values and other arguments.
struct CommandLineReader {
  private(set) var values: [(option: Option, value: String)] = []
  private(set) var arguments: [String] = []

  /// The first problem found in the command line, or `nil` if there is no problem.
  ///
  /// Parsing continues after a problem, because the management port is needed to report the problem.
  private(set) var problem: Failure?

  init(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word.count > 1 else {
        arguments.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if let option = Option(rawValue: parts[0]), parts.count == 2 ? !option.isFlag && !option.isShort : true {
        if option.isFlag {
          values.append((option, ""))
        } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
          values.append((option, value))
        } else {
          note("The option \(option.rawValue) has no value")
        }
      } else if let option = Option(rawValue: String(word.prefix(2))), option.isShort, !option.isFlag {
        values.append((option, String(word.dropFirst(2))))
      } else {
        note("The option \(parts[0]) is not one that the simulator knows")
      }
    }
  }

  /// Returns the last value of an option, or `nil` if the command line does not contain the option.
  subscript(option: Option) -> String? { values.last { $0.option == option }?.value }

  /// Returns all values of an option, in the order of the command line.
  func all(_ option: Option) -> [String] { values.filter { $0.option == option }.map(\.value) }

  private mutating func note(_ text: String) {
    problem = problem ?? .usage(text)
  }
}
