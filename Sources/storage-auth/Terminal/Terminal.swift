internal import Foundation

/// What the tool writes to and reads from.
enum Terminal {
  /// Writes a line of the result, at once, also into a pipe.
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Writes a line that is for people and not part of the result.
  static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Writes over the last line that is for people.
  static func overwrite(_ text: String) {
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  /// Whether somebody is looking at what is written for people.
  static var isWatched: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }
}
