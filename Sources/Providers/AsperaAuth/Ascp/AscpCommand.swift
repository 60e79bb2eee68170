// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An ascp command, derived from a signed transfer specification: the arguments, the environment and the file list.
///
/// Secrets are only in the environment, because every user of the machine can read the arguments of a process. The
/// options are those in IBM's ["Ascp command
/// reference"](https://www.ibm.com/docs/en/SSL85S_4.4/hsts_admin_linux/ascp_usage.html), as derived by aspera-cli.
///
/// Three rules are stricter than the rules of other clients:
///
/// - A field for which ascp has no option is rejected, so that files are always handled as the specification says. The
///   exceptions are fields that do not affect the transfer, and fields in ``AscpOptions/ignoredFields``.
/// - A pinned host key is not ignored in favor of a WebSocket, which cannot check the host key, unless
///   ``AscpOptions/givesUpHostKey`` is set.
/// - The key of the token account is used only if there is a token and no other credential.
package struct AscpCommand: Sendable, Equatable, Redacted {
  /// The variables that the command sets, by name; the process must not inherit any other variable that ascp reads.
  package let environment: [String: Secret]
  /// The list of files that ascp reads from a file, or `nil` if the paths are arguments.
  package let fileList: FileList?

  let leadingArguments, trailingArguments: [String]

  package func arguments(fileListPath path: String? = nil) -> [String] {
    let listOption = fileList.flatMap { list in path.map { "\(list.option)=\($0)" } }
    return leadingArguments + [listOption].compactMap(\.self) + trailingArguments
  }

  package struct FileList: Sendable, Equatable {
    /// The ascp option that specifies the file: `--file-list`, or `--file-pair-list` if each source has a destination.
    package let option: String
    /// The lines of the file: one source per line, or alternately a source and its destination.
    package let lines: [String]

    package var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
  }

  package var description: String {
    let variables = environment.keys.sorted().joined(separator: ", ")
    let lines = fileList.map { ", list: \($0.lines.count) lines" } ?? ""
    return "AscpCommand(\(arguments().joined(separator: " ")), environment: [\(variables)]\(lines))"
  }
}

extension AscpCommand {
  /// Creates the ascp command for a transfer with a signed specification.
  ///
  /// - Throws: An ``AsperaError`` if the specification cannot be carried out, lacks a credential, would reveal a secret
  ///   in the arguments, or contains a field for which ascp has no option.
  package init(
    _ specification: TransferSpec, options: AscpOptions = AscpOptions(), managementPort: Int? = nil
  ) throws(AsperaError) {
    var builder = try AscpCommandBuilder(specification, options)
    self = try builder.transferCommand(managementPort: managementPort)
  }

  /// Creates the command for a login test, in which ascp connects, logs in, and exits with status 0 or 1.
  ///
  /// ascp accesses no files and does not connect to a management port, so the paths and the direction do not matter.
  /// The server does not examine the token in this mode, so the token is not passed to ascp.
  package static func testLogin(
    _ specification: TransferSpec, options: AscpOptions = AscpOptions()
  ) throws(AsperaError) -> AscpCommand {
    var specification = specification
    if specification.direction == nil { specification.direction = .send }
    specification.offersWebSocket = nil
    var builder = try AscpCommandBuilder(specification, options)
    return try builder.loginTestCommand()
  }
}

/// An ascp command with its file list in a folder of its owner, until ``removeFiles()`` or the release of the value.
package struct AscpInvocation: Sendable {
  package let arguments: [String]
  package let environment: [String: Secret]

  private let folder: TemporaryFolder?

  package init(_ command: AscpCommand, in parent: String? = nil) throws(AsperaError) {
    environment = command.environment
    guard let list = command.fileList else {
      arguments = command.arguments()
      folder = nil
      return
    }
    let folder = try TemporaryFolder(in: parent)
    arguments = command.arguments(fileListPath: try folder.write(list.bytes, to: "files"))
    self.folder = folder
  }

  package func removeFiles() { folder?.remove() }
}
