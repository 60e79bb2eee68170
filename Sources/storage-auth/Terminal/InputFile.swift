internal import Foundation

/// A file that is read whole, or standard input.
struct InputFile {
  /// Why a file cannot be read.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

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
      throw Problem(description: "\(path) cannot be read. Name a file that is there and that you may read.")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
