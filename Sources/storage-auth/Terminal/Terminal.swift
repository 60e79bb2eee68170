// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// The standard streams of the tool, through which all of its output goes.
///
/// Object names, paths and messages of services are untrusted, so control characters in them are escaped before they
/// reach a terminal or a log.
enum Terminal {
  /// Writes a line of the result, unbuffered even if standard output is a pipe.
  static func line(_ text: String) {
    write(DisplayText(text), to: .standardOutput)
  }

  /// Writes a result with several lines.
  static func lines(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardOutput)
  }

  /// Writes a result that programs need byte for byte; it is escaped only if standard output is a terminal.
  static func exactLine(_ text: String) {
    guard isatty(FileHandle.standardOutput.fileDescriptor) == 1 else {
      FileHandle.standardOutput.write(Data((text + "\n").utf8))
      return
    }
    line(text)
  }

  /// Writes a line of JSON; unsafe characters are escaped in a way that keeps the document's meaning.
  static func json(_ document: String) {
    FileHandle.standardOutput.write(Data((DisplayText.escapingInsideJSON(document) + "\n").utf8))
  }

  /// Writes a line for the user, which is not part of the result, to standard error.
  static func note(_ text: String) {
    write(DisplayText(text), to: .standardError)
  }

  /// Writes several lines for the user to standard error.
  static func notes(_ text: String) {
    write(DisplayText(text, keepingLines: true), to: .standardError)
  }

  /// Replaces the last line on standard error.
  static func overwrite(_ text: String) {
    FileHandle.standardError.write(Data("\r\u{1B}[K\(DisplayText(text))".utf8))
  }

  /// Whether standard error is a terminal.
  static var isWatched: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  private static func write(_ text: DisplayText, to file: FileHandle) {
    file.write(Data("\(text)\n".utf8))
  }
}
