// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import StorageClient

/// A file with passwords, tokens or secrets, which is rejected if another user could have written it.
struct SecretFile {
  struct Problem: Error, CustomStringConvertible { let description: String }

  enum Content {
    /// Lines with names and passwords, tokens or secrets.
    case secrets
    case privateKey
    /// Certificates, which are not secret.
    case certificates

    fileprivate var format: String {
      switch self {
      case .secrets: "Use one line for each name and secret."
      case .privateKey, .certificates: "Use the PEM format."
      }
    }
  }

  private static let byteLimit = 1 << 20
  let text: String

  /// Reads a file, or standard input for `-`, and prints a warning if other users can read its secrets.
  init(_ path: String, containing content: Content = .secrets) throws {
    if path == "-" {
      text = try InputFile.text(path)
      return
    }
    let contents = try Self.contents(of: path)
    if content != .certificates { Self.warnIfReadableByOthers(contents, at: path) }
    guard let text = String(utf8: contents.bytes) else {
      throw Problem(description: "\(path) is not UTF-8 text. \(content.format)")
    }
    self.text = text
  }

  /// Reads a file that no other user could have written; the purpose completes the sentence that it cannot be read.
  static func contents(of path: String, as purpose: String = "") throws(Problem) -> FileContents {
    let contents: FileContents
    do throws(FileReadError) {
      contents = try SystemFiles().read(path, limit: byteLimit)
    } catch {
      let reason =
        switch error {
        case .notFound: "there is no such file"
        case .tooLarge: "it is larger than \(byteLimit) bytes"
        case .unreadable(let reason): reason
        }
      throw Problem(description: "\(path) cannot be read\(purpose): \(reason).")
    }
    guard let weakness = contents.weakness else { return contents }
    throw Problem(
      description: "\(path) is rejected because others could have written it: \(weakness.reason). \(weakness.remedy)")
  }

  static func warnIfReadableByOthers(_ contents: FileContents, at path: String) {
    guard contents.isReadableByOthers else { return }
    Terminal.printWarning("\(path) contains secrets and is readable by other users. Run chmod 600 \(path).")
  }
}

/// Files and standard input, as arguments name them.
enum InputFile {
  /// Returns the whole file, or for `-` standard input, with invalid UTF-8 replaced; prints the reason of a failure.
  static func text(_ path: String) throws -> String {
    if path == "-" {
      // The other functions that read a whole handle trap if standard input is closed, or a folder.
      guard let data = try? FileHandle.standardInput.readToEnd() ?? Data() else {
        throw exitCode(forUnreadable: path)
      }
      return String(decoding: data, as: UTF8.self)
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw exitCode(forUnreadable: path)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The bytes of standard input, in the pieces in which they arrive.
  static var standardInput: ByteStream {
    ByteStream {
      {
        // The read blocks a thread, which must not be one of those that send the bytes.
        try await withCheckedThrowingContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(with: Result(catching: readInputPiece)) }
        }
      }
    }
  }

  private static func readInputPiece() throws -> [UInt8]? {
    guard let data = try? FileHandle.standardInput.read(upToCount: 1 << 20) ?? Data() else {
      throw StorageError(
        .unusableFile, "Standard input cannot be read.", remedy: "Pipe the bytes of the object into the command.")
    }
    return data.isEmpty ? nil : Array(data)
  }

  /// Prints that a file, or for `-` standard input, cannot be read, and returns the exit status for usage errors.
  static func exitCode(forUnreadable path: String) -> ExitCode {
    exitCode(
      afterPrinting: path == "-"
        ? "Standard input cannot be read. Pass a file, or write to the input of this command."
        : "\(path) cannot be read. Pass a file that exists and that you can read.")
  }

  static func exitCode(afterPrinting message: String) -> ExitCode {
    Terminal.printError(message)
    return .validationFailure
  }
}
