// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A reader of small files, such as configuration and tokens.
public protocol FileReader: Sendable {
  /// Reads a whole file; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - path: The absolute path.
  ///   - limit: The maximum size in bytes.
  /// - Returns: The content, with the file's permissions.
  /// - Throws: A ``FileReadError``.
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents
}

/// The content and the permissions of a file.
public struct FileContents: Sendable, CustomStringConvertible, CustomReflectable {
  /// The content.
  public let bytes: [UInt8]

  /// The permission bits (`0o600`), or `nil` if the file system has none.
  public let permissions: UInt16?

  /// A reason why another user could have written the file, or `nil` if there is none or it is not known.
  public let weakness: FileWeakness?

  /// Creates the contents of a file.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - permissions: The permission bits, or `nil` if the file system has none.
  ///   - weakness: A reason why another user could have written the file, or `nil` if there is none or it is not known.
  public init(_ bytes: [UInt8], permissions: UInt16? = nil, weakness: FileWeakness? = nil) {
    self.bytes = bytes
    self.permissions = permissions
    self.weakness = weakness
  }

  /// The size of the content, without the bytes, which may be secret.
  public var description: String { "FileContents(\(bytes.count) bytes)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason why a file could not be read.
public enum FileReadError: Error, Sendable, Hashable {
  /// The file does not exist.
  case notFound
  /// The file is larger than the limit.
  case tooLarge
  /// The file exists but cannot be read, with a short reason such as `permission denied`.
  case unreadable(String)
}
