// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageJSON

/// The arguments, the environment and the file list of ascp, derived from a signed transfer specification.
///
/// Secrets are only in the environment, because every user of a machine can read the arguments of a process. Creating a
/// command neither writes files nor starts a process. The options are those of IBM's ["Ascp command
/// reference"](https://www.ibm.com/docs/en/SSL85S_4.4/hsts_admin_linux/ascp_usage.html); aspera-cli derives them from a
/// specification in the same way.
///
/// Three rules are stricter than those of other clients:
///
/// - A field that ascp has no option for is refused, unless it does not affect the transfer or
///   ``AscpOptions/ignoredFields`` contains it, so that files are always handled as the specification says.
/// - A pinned host key is not dropped in favor of a WebSocket, which cannot check it, unless
///   ``AscpOptions/givesUpHostKey`` is set.
/// - The key of the token account is used only if there is a token and no other credential.
///
/// ```swift
/// let command = try AscpCommand(signed, managementPort: port)
/// ```
package struct AscpCommand: Sendable, Equatable {
  /// The environment variables to set, by name; the process must not inherit any other variable that ascp reads.
  package let environment: [String: Secret]

  /// The list of files that ascp reads; `nil` if the paths are arguments.
  package let list: FileList?

  private let front: [String]
  private let back: [String]

  init(front: [String], back: [String] = [], list: FileList? = nil, environment: [String: Secret]) {
    self.front = front
    self.back = back
    self.list = list
    self.environment = environment
  }

  /// Returns the arguments, which contain no secret.
  ///
  /// - Parameter path: The path of the file that contains ``list``; `nil` omits the option, as for a command without a
  ///   list.
  package func arguments(listPath path: String? = nil) -> [String] {
    front + (list.flatMap { list in path.map { ["\(list.option)=\($0)"] } } ?? []) + back
  }

  /// The list of the files of a transfer, which ascp reads from a file.
  package struct FileList: Sendable, Equatable {
    /// The option that names the file: `--file-list`, or `--file-pair-list` if each file has a destination.
    package let option: String

    /// The lines of the file: one source each, or alternately a source and its destination.
    package let lines: [String]

    /// The contents of the file: the lines in UTF-8, separated by LF.
    package var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
  }
}

extension AscpCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description with the arguments, the names of the variables, and the number of lines of the list.
  package var description: String {
    let variables = environment.keys.sorted().joined(separator: ", ")
    let lines = list.map { ", list: \($0.lines.count) lines" } ?? ""
    return "AscpCommand(\(arguments().joined(separator: " ")), environment: [\(variables)]\(lines))"
  }

  /// The same text as ``description``.
  package var debugDescription: String { description }

  /// A mirror with the arguments and the names of the variables.
  package var customMirror: Mirror {
    Mirror(self, children: ["arguments": arguments(), "environment": environment.keys.sorted()])
  }
}
