// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// The standard streams, through which all output of the program passes.
///
/// Object names, paths and messages from services are untrusted. Therefore control characters in them are escaped
/// before they reach a terminal or a log.
enum Terminal {
  /// Prints one line of a command's result to standard output, without buffering even if standard output is a pipe.
  static func line(_ text: String) {
    write(DisplayText(text), to: .standardOutput)
  }

  /// Prints several lines of a command's result to standard output.
  static func lines(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardOutput)
  }

  /// Prints a line that other programs need byte for byte to standard output.
  ///
  /// The line is escaped only if standard output is a terminal.
  static func exactLine(_ text: String) {
    guard isatty(FileHandle.standardOutput.fileDescriptor) == 1 else {
      FileHandle.standardOutput.write(Data((text + "\n").utf8))
      return
    }
    line(text)
  }

  /// Prints a line of JSON to standard output, with unsafe characters escaped so that the JSON's meaning does not
  /// change.
  static func json(_ document: String) {
    FileHandle.standardOutput.write(Data((DisplayText.escapingInsideJSON(document) + "\n").utf8))
  }

  /// Prints a line for the user, which is not part of a command's result, to standard error.
  static func note(_ text: String) {
    write(DisplayText(text), to: .standardError)
  }

  /// Prints several lines for the user, which are not part of a command's result, to standard error.
  static func notes(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardError)
  }

  /// Replaces the last line on standard error, without ending the line.
  static func overwrite(_ text: String) {
    FileHandle.standardError.write(Data("\r\u{1B}[K\(DisplayText(text))".utf8))
  }

  /// Whether standard error is a terminal.
  static var isWatched: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  private static func write(_ text: DisplayText, to file: FileHandle) {
    file.write(Data("\(text)\n".utf8))
  }
}
