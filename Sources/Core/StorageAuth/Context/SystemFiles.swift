// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A reader of the files in this machine's file system.
public struct SystemFiles: FileReader {
  /// Creates a reader of this machine's files.
  public init() {}

  /// Reads a whole regular file, following symbolic links.
  ///
  /// A relative path starts in the current directory. The permissions are read from the descriptor through which the
  /// content is read, so that both belong to the same file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum size of the file, in bytes.
  /// - Returns: The content of the file, its permissions and, if another user could have written the file, the reason
  ///   for that.
  /// - Throws: A ``FileReadError`` if the file does not exist, is too large or cannot be read.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    let absolute = try absolutePath(path)
    let file = try OpenedFile(absolute)
    var contents = FileContents(
      try file.bytes(limit: limit), permissions: file.status.permissions,
      weakness: FilePathWalk.weakness(of: absolute, opened: file.status))
    contents.isGrantedByRoot = file.status.isGrantedByRoot
    return contents
  }

  private func absolutePath(_ path: String) throws(FileReadError) -> String {
    if path.hasBytePrefix("/") { return path }
    guard let folder = CurrentProcess.folder else { throw .unreadable("the current folder cannot be determined") }
    return "\(folder)/\(path)"
  }
}
