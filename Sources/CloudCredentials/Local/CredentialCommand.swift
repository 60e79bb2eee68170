/// A command that prints a credential.
///
/// It is run without a shell unless a shell is asked for, so that nothing in it is expanded.
///
/// ```swift
/// let command: CredentialCommand = ["/usr/local/bin/vault-key", "--account", "photos"]
/// let piped = CredentialCommand.shell("vault read oss | jq .data")
/// ```
public struct CredentialCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The program and its arguments.
  let arguments: [String]

  /// Runs a program without a shell.
  ///
  /// - Parameter arguments: The program, found through `PATH` unless it has a slash, and its arguments.
  public init(_ arguments: [String]) {
    self.arguments = arguments
  }

  /// Runs a program without a shell.
  public init(arrayLiteral elements: String...) {
    self.init(elements)
  }

  /// Runs a line with `/bin/sh`, which expands and pipes what is in it; only for lines that nobody else can write.
  public static func shell(_ line: String) -> CredentialCommand {
    CredentialCommand(["/bin/sh", "-c", line])
  }

  /// Splits a line into program and arguments as a shell would, without running one: blanks separate, quotation marks
  /// and backslashes keep them together, nothing is expanded.
  ///
  /// - Returns: Nothing for an empty line, a quotation mark that is not closed and a backslash at the end.
  init?(splitting line: String) {
    var arguments: [String] = []
    var current: String?
    var quote: Character?
    var characters = line.makeIterator()
    while let character = characters.next() {
      switch (quote, character) {
      case ("'"?, "'"), ("\""?, "\""): quote = nil
      case ("\""?, "\\"):
        guard let next = characters.next() else { return nil }
        current = (current ?? "") + ("\"\\$`".contains(next) ? "\(next)" : "\\\(next)")
      case (.some, _): current = (current ?? "") + "\(character)"
      case (nil, "'"), (nil, "\""):
        quote = character
        current = current ?? ""
      case (nil, "\\"):
        guard let next = characters.next() else { return nil }
        current = (current ?? "") + "\(next)"
      case (nil, _) where character.isWhitespace:
        if let argument = current { arguments.append(argument) }
        current = nil
      case (nil, _): current = (current ?? "") + "\(character)"
      }
    }
    guard quote == nil else { return nil }
    if let argument = current { arguments.append(argument) }
    guard let program = arguments.first, !program.isEmpty else { return nil }
    self.init(arguments)
  }
}

extension CredentialCommand: CustomStringConvertible, CustomReflectable {
  /// The program, without its arguments: they may hold secrets.
  public var description: String {
    guard let program = arguments.first else { return "no command" }
    return arguments.count == 1 ? program : "\(program) with \(arguments.count - 1) argument(s)"
  }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
