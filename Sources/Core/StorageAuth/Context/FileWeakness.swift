// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A reason why a user other than the current user or root could have written a file.
///
/// The rule is OpenSSH's rule for files on which a login depends: the file, every directory above it and every symbolic
/// link on the path must belong to the user or to root, and neither the group nor other users may write to them. A
/// directory with the sticky bit, such as `/tmp`, may be writable by other users, because they cannot replace files in
/// it.
public struct FileWeakness: Sendable, Hashable, CustomStringConvertible {
  /// The reason as a clause without a period, such as `the group may write the folder /srv/keys`.
  public let reason: String

  /// The way to remove the weakness, as a sentence.
  public let remedy: String

  /// Creates a weakness, for implementations of ``FileReader``.
  ///
  /// - Parameters:
  ///   - reason: The reason as a clause without a period.
  ///   - remedy: The way to remove the weakness, as a sentence.
  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The reason and the remedy on one line.
  public var description: String { "\(reason). \(remedy)" }

  /// Creates the weakness of a file that other users may write according to its permissions.
  ///
  /// Returns `nil` if neither the group nor other users may write the file.
  ///
  /// - Parameters:
  ///   - permissions: The file's permission bits.
  ///   - subject: The file or the folder as the object of a sentence, such as `the file` or `the folder /srv`.
  ///   - path: The file's path, for the remedy.
  package init?(permissions: UInt16, of subject: String, at path: String) {
    let writers: String
    switch (permissions & 0o002 != 0, permissions & 0o020 != 0) {
    case (true, _): writers = "any user"
    case (false, true): writers = "the group"
    default: return nil
    }
    self.init("\(writers) may write \(subject)", remedy: "Run chmod go-w \(path), and check its contents.")
  }
}
