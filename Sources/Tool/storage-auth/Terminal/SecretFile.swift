// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A file with passwords, tokens or secrets, which is rejected if another user could have written it.
struct SecretFile {
  /// The reason why a file with secrets is rejected.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// The kind of a file's content.
  enum Content {
    /// Lines with names and passwords, tokens or secrets.
    case secrets
    /// A private key in PEM format.
    case privateKey
    /// Certificates in PEM format, which are not secret.
    case certificates

    fileprivate var format: String {
      switch self {
      case .secrets: "Use one line for each name and secret."
      case .privateKey, .certificates: "Use the PEM format."
      }
    }
  }

  private static let sizeLimit = 1 << 20

  /// The content of the file.
  let text: String

  /// Reads a file with secrets, and prints a warning if other users can read the file.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `-` for standard input.
  ///   - content: The kind of the file's content.
  /// - Throws: A ``Problem`` if the file cannot be read or another user could have written the file.
  init(_ path: String, containing content: Content = .secrets) throws {
    if path == "-" {
      text = try InputFile(path).text()
      return
    }
    let contents: FileContents
    do {
      contents = try SystemFiles().read(path, limit: Self.sizeLimit)
    } catch {
      throw Problem(description: "\(path) cannot be read: \(Self.reason(error)).")
    }
    if let weakness = contents.weakness {
      throw Problem(
        description: "\(path) is rejected because others could have written it: \(weakness.reason). \(weakness.remedy)"
      )
    }
    if content != .certificates, contents.isReadableByOthers {
      Terminal.warning("\(path) contains secrets and is readable by other users. Run chmod 600 \(path).")
    }
    guard let text = String(validating: contents.bytes, as: UTF8.self) else {
      throw Problem(description: "\(path) is not UTF-8 text. \(content.format)")
    }
    self.text = text
  }

  /// Returns the reason why a file cannot be read, as a part of a sentence.
  static func reason(_ error: FileReadError) -> String {
    switch error {
    case .notFound: "there is no such file"
    case .tooLarge: "it is larger than \(sizeLimit) bytes"
    case .unreadable(let reason): reason
    }
  }
}
