package import StorageAuth

/// A command whose list of files is written: ready to be run.
///
/// The list is in a folder that only its owner can enter. The folder goes with ``removeFiles()``, and at the latest with
/// the last copy of this.
package struct AscpInvocation: Sendable {
  /// The arguments, without a secret.
  package let arguments: [String]

  /// The variables to set, by name.
  package let environment: [String: Secret]

  private let folder: TemporaryFolder?

  /// Writes the list of a command, where it has one.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - parent: Where to make the folder; where this machine has its temporary files, if not given.
  /// - Throws: An ``AsperaError`` if the list cannot be written; nothing is left then.
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

  /// Removes what was written; nothing happens if it is gone.
  package func removeFiles() { folder?.remove() }
}
