// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// A file, or standard input, that is read completely.
struct InputFile {
  private let path: String

  /// Creates a reference to an input file.
  ///
  /// - Parameter path: The file's path, or `-` for standard input.
  init(_ path: String) {
    self.path = path
  }

  /// Returns the content of the file as text, with invalid UTF-8 replaced.
  ///
  /// - Throws: The exit status for usage errors if the file cannot be read. The reason is printed first.
  func text() throws -> String {
    if path == "-" {
      // The other functions that read a whole handle trap if standard input is closed, or a folder.
      guard let data = try? FileHandle.standardInput.readToEnd() ?? Data() else {
        throw Self.unusable("Standard input cannot be read. Pass a file, or write to the input of this command.")
      }
      return String(decoding: data, as: UTF8.self)
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Self.unusable("\(path) cannot be read. Pass a file that exists and that you can read.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Prints an error message about a file and returns the exit status for usage errors.
  static func unusable(_ message: String) -> ExitCode {
    Terminal.error(message)
    return .validationFailure
  }
}
