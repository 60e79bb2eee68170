internal import Foundation

/// A file that arrives: under another name next to its place until it is complete.
struct ReceivedFile {
  private let path: String
  private let partial: String
  private let handle: FileHandle

  /// Opens the file, and makes the folders that it is in.
  init(_ path: String) throws(Failure) {
    let place = URL(fileURLWithPath: path)
    if LocalFile(path)?.isFolder == true { throw Failure(7, "Is a directory: \(path)") }
    let folder = place.deletingLastPathComponent()
    try Self.makeFolder(folder.path)
    self.path = place.path
    partial = folder.appendingPathComponent(".\(UUID().uuidString).partial").path
    guard FileManager.default.createFile(atPath: partial, contents: nil),
      let handle = FileHandle(forWritingAtPath: partial)
    else { throw Failure(36, "The file cannot be written: \(path)") }
    self.handle = handle
  }

  /// Adds bytes.
  func append(_ bytes: [UInt8]) throws(Failure) {
    do {
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw Failure(36, "The file cannot be written: \(path)")
    }
  }

  /// Puts the file in its place.
  func commit() throws(Failure) {
    do {
      try handle.close()
      if FileManager.default.fileExists(atPath: path) {
        _ = try FileManager.default.replaceItemAt(URL(fileURLWithPath: path), withItemAt: URL(fileURLWithPath: partial))
      } else {
        try FileManager.default.moveItem(atPath: partial, toPath: path)
      }
    } catch {
      throw Failure(36, "The file cannot be put in its place: \(path)")
    }
  }

  /// Leaves nothing behind.
  func discard() {
    try? handle.close()
    try? FileManager.default.removeItem(atPath: partial)
  }

  /// Makes a folder and those that it is in.
  static func makeFolder(_ path: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(6, "The folder cannot be made: \(path)")
    }
  }
}
