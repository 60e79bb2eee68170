/// The version of ascp, and what follows from it.
public struct AscpVersion: Sendable, Hashable, CustomStringConvertible {
  /// The version as ascp writes it, such as `4.4.5.1646`.
  public let description: String

  /// Reads what `ascp -A` prints.
  ///
  /// - Parameter output: The text; the line that begins with `ascp version` counts, wherever it stands.
  init?(output: String) {
    let prefix = "ascp version "
    let line = output.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(prefix) }
    guard let text = line?.dropFirst(prefix.count).split(separator: " ").first, text.first?.isNumber == true else {
      return nil
    }
    description = String(text)
  }

  /// The first number of the version.
  public var major: Int { description.split(separator: ".").first.flatMap { Int($0) } ?? 0 }

  /// What to know before using this version with servers of today, in sentences; nothing to know gives none.
  public var notes: [String] {
    guard major < 4 else { return [] }
    return [
      """
      ascp \(description) knows only RSA and DSA host keys with SHA-1: a fingerprint of another key of the server \
      never matches, and a server that has switched SHA-1 off ends in code 19.
      """,
      "ascp \(description) reads no ECDSA or Ed25519 keys, and none in the format of OpenSSH: code 19 as well.",
    ]
  }
}
