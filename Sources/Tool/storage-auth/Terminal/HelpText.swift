// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The help of a command, in which the options of a group with a title are folded, so that it fits on one screen.
struct HelpText {
  private static let width = 100
  /// The titles of groups that are not folded: those that the parser itself gives.
  private static let unfoldedTitles = ["ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"]

  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The help, with the names of the options of all groups at its end.
  var folded: String {
    var (keptLines, foldedNames) = ([Substring](), [Substring]())
    var isFolding = false
    for line in lines {
      if line.hasSuffix(":"), line.allSatisfy({ $0.isUppercase || " ,:".contains($0) }) {
        isFolding = !Self.unfoldedTitles.contains(String(line))
      }
      guard isFolding else {
        keptLines.append(line)
        continue
      }
      guard let option = line.firstMatch(of: /^  (?:-[a-zA-Z], )?(--[a-z0-9-]+)/) else { continue }
      foldedNames.append(option.1)
    }
    guard !foldedNames.isEmpty else { return keptLines.joined(separator: "\n") }
    while keptLines.last?.isEmpty ?? false { keptLines.removeLast() }
    var lastLine = "MORE OPTIONS, which '\(command) --help-hidden' describes:"
    keptLines.append("")
    for name in foldedNames {
      if lastLine.count + name.count < Self.width {
        lastLine += " \(name)"
      } else {
        keptLines.append(Substring(lastLine))
        lastLine = "  \(name)"
      }
    }
    return (keptLines + [Substring(lastLine)]).joined(separator: "\n")
  }

  /// The command in the line with its usage.
  private var command: String {
    let usage = lines.first { $0.hasPrefix("USAGE: ") }?.split(separator: " ").dropFirst() ?? []
    return usage.prefix { !"<[(-".contains($0.first ?? "<") }.joined(separator: " ")
  }
}
