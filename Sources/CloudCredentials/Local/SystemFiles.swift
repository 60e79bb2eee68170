#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The files of this machine.
public struct SystemFiles: FileReader {
  /// Makes a reader; all of them are the same.
  public init() {}

  /// Reads a regular file as a whole, with what the descriptor that it is read from says about it.
  ///
  /// Symbolic links are followed. A relative path starts in the current directory.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let file = try OpenedFile(absolute)
    return FileContents(
      try file.bytes(limit: limit), permissions: file.status.permissions,
      weakness: FilePathWalk.weakness(of: absolute, opened: file.status))
  }
}
