package import StorageAuth
internal import StorageJSON

/// What ascp is started with: arguments, environment, and the list of files, all of which follow from a signed
/// specification.
///
/// Secrets are in the environment alone: every user of a machine can read the arguments of a process. Nothing is written
/// and nothing is started here.
///
/// Three things are stricter than in other clients. A field of the specification that ascp gets no option for is refused,
/// unless it changes nothing about the transfer or ``AscpOptions/ignoredFields`` names it: what happens to files is never
/// another thing than the specification says. A pinned host key is never given up for a web socket, which cannot
/// check it, unless ``AscpOptions/givesUpHostKey`` says so. And the key of the token account is used only where there is a
/// token and no other credential.
///
/// ```swift
/// let command = try AscpCommand(signed, managementPort: port)
/// ```
package struct AscpCommand: Sendable, Equatable {
  /// The variables to set, by name; no other variable of ascp's may be inherited.
  package let environment: [String: Secret]

  /// The list of files that ascp reads, where it reads one.
  package let list: FileList?

  private let front: [String]
  private let back: [String]

  init(front: [String], back: [String] = [], list: FileList? = nil, environment: [String: Secret]) {
    self.front = front
    self.back = back
    self.list = list
    self.environment = environment
  }

  /// The arguments, without a secret.
  ///
  /// - Parameter path: Where the ``list`` was written; it is left out for a command without one.
  package func arguments(listPath path: String? = nil) -> [String] {
    front + (list.flatMap { list in path.map { ["\(list.option)=\($0)"] } } ?? []) + back
  }

  /// The files of a transfer, as ascp reads them from a file.
  package struct FileList: Sendable, Equatable {
    /// The option that names the file: `--file-list`, or `--file-pair-list` where each file has a destination.
    package let option: String

    /// The lines: a source each, or a source and its destination by turns.
    package let lines: [String]

    /// What is in the file: the lines in UTF-8, LF between them.
    package var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
  }
}

extension AscpCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The arguments, the names of the variables, and how many lines the list has.
  package var description: String {
    let variables = environment.keys.sorted().joined(separator: ", ")
    let lines = list.map { ", list: \($0.lines.count) lines" } ?? ""
    return "AscpCommand(\(arguments().joined(separator: " ")), environment: [\(variables)]\(lines))"
  }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// A mirror with the arguments and the names of the variables.
  package var customMirror: Mirror {
    Mirror(self, children: ["arguments": arguments(), "environment": environment.keys.sorted()])
  }
}
