internal import Foundation
internal import StorageAuth

/// What the tool writes to and reads from: everything that it prints goes through here.
///
/// Names of objects, the words of services and paths come from others, so that nothing is written to a terminal or a log
/// with a control character in it.
enum Terminal {
  /// Writes a line of the result, at once, also into a pipe.
  static func line(_ text: String) {
    write(DisplayText(text), to: .standardOutput)
  }

  /// Writes a result of several lines.
  static func lines(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardOutput)
  }

  /// Writes a result that a program needs byte for byte; as it is, unless it goes to a terminal.
  static func exactLine(_ text: String) {
    guard isatty(FileHandle.standardOutput.fileDescriptor) == 1 else {
      FileHandle.standardOutput.write(Data((text + "\n").utf8))
      return
    }
    line(text)
  }

  /// Writes a line of JSON, which is the same document afterwards.
  static func json(_ document: String) {
    FileHandle.standardOutput.write(Data((DisplayText.escapingInsideJSON(document) + "\n").utf8))
  }

  /// Writes a line that is for people and not part of the result.
  static func note(_ text: String) {
    write(DisplayText(text), to: .standardError)
  }

  /// Writes several lines that are for people.
  static func notes(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardError)
  }

  /// Writes over the last line that is for people.
  static func overwrite(_ text: String) {
    FileHandle.standardError.write(Data("\r\u{1B}[K\(DisplayText(text))".utf8))
  }

  /// Whether standard error is a terminal.
  static var isWatched: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  private static func write(_ text: DisplayText, to file: FileHandle) {
    file.write(Data("\(text)\n".utf8))
  }
}
