#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder that only its owner can enter, for files that a program has to be given by name; it goes when it is removed
/// or when the last reference to it goes.
package final class TemporaryFolder: Sendable {
  /// The absolute path.
  package let path: String

  /// Makes a folder.
  ///
  /// - Parameter parent: Where to make it; where this machine has its temporary files, if not given.
  /// - Throws: An ``AsperaError`` if that cannot be.
  package init(in parent: String? = nil) throws(AsperaError) {
    let parent = parent.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? FileManager.default.temporaryDirectory
    let url = parent.appending(path: "storage-auth-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Self.problem("A temporary folder cannot be made in \(parent.path).")
    }
    path = url.path
  }

  deinit {
    remove()
  }

  /// Writes a file that only its owner can read.
  ///
  /// - Parameters:
  ///   - bytes: What is in it.
  ///   - name: Its name in the folder.
  ///   - isExecutable: Whether its owner can also run it.
  /// - Returns: Its absolute path.
  /// - Throws: An ``AsperaError`` if that cannot be.
  package func write(_ bytes: [UInt8], to name: String, isExecutable: Bool = false) throws(AsperaError) -> String {
    let file = path + "/" + name
    let isWritten = FileManager.default.createFile(
      atPath: file, contents: Data(bytes), attributes: [.posixPermissions: isExecutable ? 0o700 : 0o600])
    guard isWritten else { throw Self.problem("A temporary file cannot be written to \(path).") }
    return file
  }

  /// Whether there is a file of this name.
  package func contains(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }

  /// Removes the folder and everything in it; nothing happens if it is gone.
  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func problem(_ message: String) -> AsperaError {
    AsperaError(
      .failed, message, remedy: "See whether there is space left, and whether TMPDIR names a folder to write to.")
  }
}
