internal import ArgumentParser
internal import Foundation

/// A file that is read whole, or standard input.
struct InputFile {
  private let path: String

  /// Names a file.
  ///
  /// - Parameter path: Its path; `-` is standard input.
  init(_ path: String) {
    self.path = path
  }

  /// The text in it, without what is not UTF-8.
  func text() throws -> String {
    if path == "-" { return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ValidationError("\(path) cannot be read.")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
