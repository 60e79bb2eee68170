// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// A file that is read completely, or standard input.
struct InputFile {
  private let path: String

  /// Creates a reference to a file.
  ///
  /// - Parameter path: The path; `-` is standard input.
  init(_ path: String) {
    self.path = path
  }

  /// Returns the file's text, with invalid UTF-8 replaced.
  ///
  /// - Throws: The exit status of a usage error if the file cannot be read; the reason is printed.
  func text() throws -> String {
    if path == "-" { return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Self.unusable("\(path) cannot be read. Pass a file that exists and that you can read.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Prints an error about a file and returns the exit status of a usage error.
  static func unusable(_ message: String) -> ExitCode {
    Terminal.note("Error: \(message)")
    return .validationFailure
  }
}
