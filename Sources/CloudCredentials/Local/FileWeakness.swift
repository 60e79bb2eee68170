/// A reason why a user other than the one who runs this program, or root, could have written a file.
///
/// The rule is that of OpenSSH for files that a login depends on: the file, every folder above it and every symbolic link
/// on the way belong to the user or to root, and neither the group nor others may write them. A folder with the sticky
/// bit, such as `/tmp`, may be written by others, since nothing in it can be replaced by them.
public struct FileWeakness: Sendable, Hashable, CustomStringConvertible {
  /// What is weak, as a clause: `the group may write the folder /srv/keys`.
  public let reason: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes a weakness; for readers of files.
  ///
  /// - Parameters:
  ///   - reason: What is weak, as a clause.
  ///   - remedy: What to do about it, in a sentence.
  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The reason and the remedy.
  public var description: String { "\(reason). \(remedy)" }

  /// Looks for a weakness in the permissions of a file.
  ///
  /// - Parameters:
  ///   - permissions: The permission bits.
  ///   - subject: The file or the folder: `the file`, `the folder /srv`.
  ///   - path: Its path, for the remedy.
  init?(permissions: UInt16, of subject: String, at path: String) {
    let writers: String
    switch (permissions & 0o002 != 0, permissions & 0o020 != 0) {
    case (true, _): writers = "anyone"
    case (false, true): writers = "the group"
    default: return nil
    }
    self.init("\(writers) may write \(subject)", remedy: "Run chmod go-w \(path), and see what was written to it.")
  }
}
