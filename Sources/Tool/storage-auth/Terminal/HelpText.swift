// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The help of a command, in which the options of a group with a title are folded, so that it fits on one screen.
struct HelpText {
  private static let width = 100
  /// The titles that the parser gives itself.
  private static let shown = ["ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"]

  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The help, with the names of the options of all groups at its end.
  var folded: String {
    var (kept, names) = ([Substring](), [Substring]())
    var isFolding = false
    for line in lines {
      if line.hasSuffix(":"), line.allSatisfy({ $0.isUppercase || " ,:".contains($0) }) {
        isFolding = !Self.shown.contains(String(line))
      }
      guard isFolding else {
        kept.append(line)
        continue
      }
      guard let option = line.firstMatch(of: /^  (?:-[a-zA-Z], )?(--[a-z0-9-]+)/) else { continue }
      names.append(option.1)
    }
    guard !names.isEmpty else { return kept.joined(separator: "\n") }
    while kept.last?.isEmpty ?? false { kept.removeLast() }
    var last = "MORE OPTIONS, which '\(command) --help-hidden' describes:"
    kept.append("")
    for name in names {
      if last.count + name.count < Self.width {
        last += " \(name)"
      } else {
        kept.append(Substring(last))
        last = "  \(name)"
      }
    }
    return (kept + [Substring(last)]).joined(separator: "\n")
  }

  /// The command in the line with its usage.
  private var command: String {
    let usage = lines.first { $0.hasPrefix("USAGE: ") }?.split(separator: " ").dropFirst() ?? []
    return usage.prefix { !"<[(-".contains($0.first ?? "<") }.joined(separator: " ")
  }
}
