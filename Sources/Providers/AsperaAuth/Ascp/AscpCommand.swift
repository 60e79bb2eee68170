// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageJSON

/// An ascp command, derived from a signed transfer specification: the arguments, the environment and the file list.
///
/// Secrets are only in the environment, because every user of the machine can read the arguments of a process. Creating
/// a command neither writes files nor starts a process. The options are those in IBM's ["Ascp command
/// reference"](https://www.ibm.com/docs/en/SSL85S_4.4/hsts_admin_linux/ascp_usage.html). aspera-cli derives options
/// from a specification in the same way.
///
/// Three rules are stricter than the rules of other clients:
///
/// - A field for which ascp has no option is rejected, so that files are always handled as the specification says. The
///   exceptions are fields that do not affect the transfer, and fields in ``AscpOptions/ignoredFields``.
/// - A pinned host key is not ignored in favor of a WebSocket, which cannot check the host key, unless
///   ``AscpOptions/givesUpHostKey`` is set.
/// - The key of the token account is used only if there is a token and no other credential.
///
/// ```swift
/// let command = try AscpCommand(signed, managementPort: port)
/// ```
package struct AscpCommand: Sendable, Equatable {
  /// The environment variables that the command sets, by name.
  ///
  /// The ascp process must not inherit any other variable that ascp reads.
  package let environment: [String: Secret]

  /// The list of files that ascp reads from a file, or `nil` if the paths are arguments.
  package let list: FileList?

  private let front: [String]
  private let back: [String]

  init(front: [String], back: [String] = [], list: FileList? = nil, environment: [String: Secret]) {
    self.front = front
    self.back = back
    self.list = list
    self.environment = environment
  }

  /// Returns the command's arguments, which contain no secret.
  ///
  /// - Parameter path: The path of the file that contains ``list``, or `nil` to omit the option for the list.
  package func arguments(listPath path: String? = nil) -> [String] {
    front + (list.flatMap { list in path.map { ["\(list.option)=\($0)"] } } ?? []) + back
  }

  /// The list of the files to transfer, which ascp reads from a file.
  package struct FileList: Sendable, Equatable {
    /// The ascp option that specifies the file: `--file-list`, or `--file-pair-list` if each source has a destination.
    package let option: String

    /// The lines of the file: one source per line, or alternately a source and its destination.
    package let lines: [String]

    /// The contents of the file: the lines in UTF-8, separated by line feeds.
    package var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
  }
}

extension AscpCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description that contains the arguments, the names of the environment variables, and the number of lines in the
  /// list.
  package var description: String {
    let variables = environment.keys.sorted().joined(separator: ", ")
    let lines = list.map { ", list: \($0.lines.count) lines" } ?? ""
    return "AscpCommand(\(arguments().joined(separator: " ")), environment: [\(variables)]\(lines))"
  }

  /// The same text as ``description``.
  package var debugDescription: String { description }

  /// A mirror that contains the arguments and the names of the environment variables.
  package var customMirror: Mirror {
    Mirror(self, children: ["arguments": arguments(), "environment": environment.keys.sorted()])
  }
}
