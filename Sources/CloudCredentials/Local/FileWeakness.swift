// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A reason why a user other than the current user or root could have written a file.
///
/// The rule is that of OpenSSH for files that a login depends on: the file, every directory above it and every symbolic
/// link on the path must belong to the user or to root, and neither the group nor others may write to them. A directory
/// with the sticky bit, such as `/tmp`, may be writable by others because they cannot replace files in it.
public struct FileWeakness: Sendable, Hashable, CustomStringConvertible {
  /// The weakness as a clause: `the group may write the folder /srv/keys`.
  public let reason: String

  /// The remedy, as a sentence.
  public let remedy: String

  /// Creates a weakness, for implementations of ``FileReader``.
  ///
  /// - Parameters:
  ///   - reason: The weakness as a clause.
  ///   - remedy: The remedy, as a sentence.
  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The reason and the remedy.
  public var description: String { "\(reason). \(remedy)" }

  /// Creates the weakness that follows from a file's permissions, or returns `nil` if there is none.
  ///
  /// - Parameters:
  ///   - permissions: The permission bits.
  ///   - subject: The file or the folder: `the file`, `the folder /srv`.
  ///   - path: The path, for the remedy.
  init?(permissions: UInt16, of subject: String, at path: String) {
    let writers: String
    switch (permissions & 0o002 != 0, permissions & 0o020 != 0) {
    case (true, _): writers = "any user"
    case (false, true): writers = "the group"
    default: return nil
    }
    self.init("\(writers) may write \(subject)", remedy: "Run chmod go-w \(path), and check its contents.")
  }
}
