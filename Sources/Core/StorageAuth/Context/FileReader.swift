// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A reader of small files, such as configuration files and token files.
public protocol FileReader: Sendable {
  /// Reads a whole file, following symbolic links.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the file.
  ///   - limit: The maximum size of the file, in bytes.
  /// - Returns: The content of the file and its permissions.
  /// - Throws: A ``FileReadError`` if the file does not exist, is too large or cannot be read.
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents
}

/// The content and the permissions of a file.
public struct FileContents: Sendable, CustomStringConvertible, CustomReflectable {
  /// The bytes of the file.
  public let bytes: [UInt8]
  /// The file's permission bits, such as `0o600`, or `nil` if the file system has no permissions.
  public let permissions: UInt16?
  /// A reason why another user could have written the file, or `nil` if no reason is known.
  public let weakness: FileWeakness?
  /// Whether the file belongs to root and the program runs as another user.
  package var isGrantedByRoot = false
  /// The location that determines who can read the file, or `nil` if its permissions do.
  package var place: FixedPlace?

  /// Creates the content of a file, for implementations of ``FileReader``; the parameters are the properties.
  public init(_ bytes: [UInt8], permissions: UInt16? = nil, weakness: FileWeakness? = nil) {
    self.bytes = bytes
    self.permissions = permissions
    self.weakness = weakness
  }

  /// A description that contains the number of bytes but not the bytes themselves, which may be secret.
  public var description: String { "FileContents(\(bytes.count) bytes)" }
  /// A mirror without children, because the bytes may be secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A reason why a file could not be read.
public enum FileReadError: Error, Sendable, Hashable {
  /// The file does not exist.
  case notFound
  /// The file is larger than the maximum size.
  case tooLarge
  /// The file exists but cannot be read, for a short reason such as `permission denied`.
  case unreadable(String)
}

/// A reason why a user other than the current user or root could have written a file.
///
/// The rule is OpenSSH's rule for files on which a login depends: the file, every folder above it and every symbolic
/// link on the path must belong to the user or to root, and neither the group nor other users may write to them. A
/// folder with the sticky bit, such as `/tmp`, may be writable, because others cannot replace files in it.
public struct FileWeakness: Sendable, Hashable, CustomStringConvertible {
  /// The reason as a clause without a period, such as `the group may write the folder /srv/keys`.
  public let reason: String
  /// The way to remove the weakness, as a sentence.
  public let remedy: String

  /// Creates a weakness, for implementations of ``FileReader``; the parameters are the properties.
  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The reason and the remedy on one line.
  public var description: String { "\(reason). \(remedy)" }

  /// Creates the weakness of a file that others may write according to its permissions, or returns `nil`.
  ///
  /// - Parameter name: The object of a sentence, such as `the file` or `the folder /srv`.
  package init?(permissions: UInt16, of name: String, at path: String) {
    guard permissions & 0o022 != 0 else { return nil }
    let writers = permissions & 0o002 != 0 ? "any user" : "the group"
    self.init("\(writers) may write \(name)", remedy: "Run chmod go-w \(path), and check its contents.")
  }
}
