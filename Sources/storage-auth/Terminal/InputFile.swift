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
  ///
  /// - Throws: The status of a wrong call if it cannot be read; why is printed.
  func text() throws -> String {
    if path == "-" { return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Self.unusable("\(path) cannot be read. Name a file that is there and that you may read.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Prints what is wrong with a file.
  static func unusable(_ message: String) -> ExitCode {
    Terminal.note("Error: \(message)")
    return .validationFailure
  }
}
