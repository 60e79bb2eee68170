// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// An ascp command that is ready to run, with its file list written to a file.
///
/// The file is in a folder that only its owner can access. The folder is removed by ``removeFiles()`` or when the last
/// copy of this value is released.
package struct AscpInvocation: Sendable {
  /// The arguments for ascp, which contain no secret.
  package let arguments: [String]

  /// The environment variables to set for ascp, by name.
  package let environment: [String: Secret]

  private let folder: TemporaryFolder?

  /// Prepares an ascp command by writing its file list, if the command has a list.
  ///
  /// - Parameters:
  ///   - command: The ascp command.
  ///   - parent: The folder in which the folder for the list is created. If `nil`, the system's temporary directory.
  /// - Throws: An ``AsperaError`` if the list cannot be written. On error, no file remains.
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

  /// Removes the written files, if they still exist.
  package func removeFiles() { folder?.remove() }
}
