internal import StorageCrypto

/// The SHA-1 of a server's public host key, as Aspera's `sshfp` names it.
///
/// ascp compares text: it takes 40 lower-case hex digits and nothing else. Upper case and colons are normalised here;
/// whatever is not 20 bytes is refused, because a check that is dropped in silence is worse than none.
public struct HostKeyFingerprint: Sendable, Hashable, CustomStringConvertible {
  /// 40 lower-case hex digits.
  public let description: String

  /// Reads a fingerprint.
  ///
  /// - Parameter text: 40 hex digits in either case, with or without colons between the bytes.
  /// - Throws: An ``AsperaError`` if it is something else, such as the SHA-256 form of OpenSSH.
  public init(_ text: String) throws(AsperaError) {
    let digits = text.contains(":") ? text.split(separator: ":", omittingEmptySubsequences: false) : [text[...]]
    let isGrouped = digits.count == 1 || digits.allSatisfy { $0.utf8.count == 2 }
    let hex = digits.joined().lowercased()
    guard isGrouped, hex.utf8.count == 40, hex.utf8.allSatisfy({ Self.isHex($0) }) else {
      throw AsperaError(
        .invalidHostKey,
        text.hasPrefix("SHA256:")
          ? "The fingerprint of the host key is a SHA-256, which Aspera does not compare."
          : "The fingerprint of the host key is not 40 hex digits.",
        remedy: "Take the SHA-1 of the key: ssh-keygen -l -E sha1 prints it in Base64, the server's Node API in hex.")
    }
    description = hex
  }

  /// The fingerprint of a public key.
  ///
  /// - Parameter blob: The key as SSH sends it, which is what the second field of a `.pub` line holds in Base64.
  public init(ofKey blob: [UInt8]) {
    description = SHA1.hash(blob).hex
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
