// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A command that is ready to run, with its file list written to a file.
///
/// The file is in a folder that only its owner can enter. The folder is removed by ``removeFiles()`` or when the last
/// copy of this value is released.
package struct AscpInvocation: Sendable {
  /// The arguments, which contain no secret.
  package let arguments: [String]

  /// The environment variables to set, by name.
  package let environment: [String: Secret]

  private let folder: TemporaryFolder?

  /// Writes the file list of a command, if it has one.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - parent: The folder to create the list's folder in; the system's temporary directory if `nil`.
  /// - Throws: An ``AsperaError`` if the list cannot be written; no file remains in this case.
  package init(_ command: AscpCommand, in parent: String? = nil) throws(AsperaError) {
    environment = command.environment
    guard let list = command.list else {
      arguments = command.arguments()
      folder = nil
      return
    }
    let folder = try TemporaryFolder(in: parent)
    arguments = command.arguments(listPath: try folder.write(list.bytes, to: "files"))
    self.folder = folder
  }

  /// Removes the written files; files that no longer exist are no error.
  package func removeFiles() { folder?.remove() }
}
