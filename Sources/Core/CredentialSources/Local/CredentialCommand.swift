// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A command that prints a credential, consisting of a program and its arguments.
///
/// The command runs without a shell, so that no part of it is expanded, unless it is created with ``shell(_:)``.
///
/// ```swift
/// let command: CredentialCommand = ["/usr/local/bin/vault-key", "--account", "photos"]
/// let piped = CredentialCommand.shell("vault read oss | jq .data")
/// ```
public struct CredentialCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
  let arguments: [String]

  /// Creates a command that runs a program without a shell.
  ///
  /// - Parameter arguments: The program, found through `PATH` unless its name contains a slash, and its arguments.
  public init(_ arguments: [String]) { self.arguments = arguments }

  /// Creates a command that runs a program without a shell.
  ///
  /// - Parameter elements: The program, found through `PATH` unless its name contains a slash, and its arguments.
  public init(arrayLiteral elements: String...) { self.init(elements) }

  /// Returns a command that runs a command line with `/bin/sh`, which expands variables and supports pipes.
  ///
  /// Use it only for command lines that an attacker cannot influence.
  ///
  /// - Parameter line: The command line to run.
  public static func shell(_ line: String) -> CredentialCommand { CredentialCommand(["/bin/sh", "-c", line]) }

  /// Splits a command line into a program and its arguments without running a shell.
  ///
  /// Whitespace separates arguments unless it is quoted or escaped with a backslash, and variables and patterns are not
  /// expanded. Returns `nil` if the line is empty, has an unclosed quotation mark or ends with a backslash.
  package init?(splitting line: String) {
    var arguments: [String] = []
    // The argument that is being read, or `nil` between two arguments; `""` begins one, too.
    var argument: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var characters = line.unicodeScalars.makeIterator()
    while let character = characters.next() {
      switch (quote, character) {
      case ("'"?, "'"), ("\""?, "\""): quote = nil
      case (nil, "'"), (nil, "\""):
        quote = character
        argument = argument ?? .init()
      case (nil, "\\"), ("\""?, "\\"):
        guard let next = characters.next() else { return nil }
        if quote != nil && !"\"\\$`".unicodeScalars.contains(next) { argument?.append(character) }
        if argument?.append(next) == nil { argument = .init([next]) }
      case (nil, _) where character.properties.isWhitespace:
        if let argument { arguments.append(String(argument)) }
        argument = nil
      default:
        if argument?.append(character) == nil { argument = .init([character]) }
      }
    }
    guard quote == nil else { return nil }
    if let argument { arguments.append(String(argument)) }
    guard let program = arguments.first, !program.isEmpty else { return nil }
    self.init(arguments)
  }
}

extension CredentialCommand: Redacted {
  /// A description that contains the program but not its arguments, which may contain secrets.
  public var description: String {
    guard let program = arguments.first else { return "no command" }
    return arguments.count == 1 ? program : "\(program) with \(arguments.count - 1) argument(s)"
  }
}
