/// Reads small files, such as configuration and tokens.
public protocol FileReader: Sendable {
  /// Reads a file as a whole; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - path: The absolute path.
  ///   - limit: The greatest number of bytes that are taken.
  /// - Returns: The bytes, and who may do what with the file that they were read from.
  /// - Throws: A ``FileReadError``.
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents
}

/// What was read from a file.
public struct FileContents: Sendable, CustomStringConvertible, CustomReflectable {
  /// The bytes.
  public let bytes: [UInt8]

  /// The permission bits (`0o600`); `nil` where files have none.
  public let permissions: UInt16?

  /// A reason why another user could have written the file; `nil` if there is none, or if it is not known.
  public let weakness: FileWeakness?

  /// Puts contents together.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - permissions: The permission bits.
  ///   - weakness: A reason why another user could have written the file.
  public init(_ bytes: [UInt8], permissions: UInt16? = nil, weakness: FileWeakness? = nil) {
    self.bytes = bytes
    self.permissions = permissions
    self.weakness = weakness
  }

  /// How much it is; never the bytes, which may be secret.
  public var description: String { "FileContents(\(bytes.count) bytes)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a file could not be read.
public enum FileReadError: Error, Sendable, Hashable {
  /// There is no such file.
  case notFound
  /// It is larger than was asked for.
  case tooLarge
  /// It is there and cannot be read; why, in a few words such as `permission denied`.
  case unreadable(String)
}
