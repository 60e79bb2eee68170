// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The SHA-1 of a server's public host key, as in the field `sshfp` of a transfer specification.
///
/// ascp compares strings and accepts only 40 lower-case hexadecimal digits. This type normalizes upper case and colons,
/// and rejects everything that is not 20 bytes: an error is better than a check that is skipped silently.
public struct HostKeyFingerprint: Sendable, Hashable, CustomStringConvertible {
  /// The fingerprint as 40 lower-case hexadecimal digits.
  public let description: String

  /// Parses a fingerprint.
  ///
  /// - Parameter text: 40 hexadecimal digits in either case, with or without colons between the bytes.
  /// - Throws: An ``AsperaError`` with the code `invalidHostKey` if the text has another form, such as the SHA-256 form
  ///   of OpenSSH.
  public init(_ text: String) throws(AsperaError) {
    let digits = text.contains(":") ? text.split(separator: ":", omittingEmptySubsequences: false) : [text[...]]
    let isGrouped = digits.count == 1 || digits.allSatisfy { $0.utf8.count == 2 }
    let hex = digits.joined().lowercased()
    guard isGrouped, hex.utf8.count == 40, hex.utf8.allSatisfy({ Self.isHex($0) }) else {
      throw AsperaError(
        .invalidHostKey,
        text.hasPrefix("SHA256:")
          ? "The fingerprint of the host key is a SHA-256, which Aspera does not support."
          : "The fingerprint of the host key is not 40 hex digits.",
        remedy: "Take the SHA-1 of the key: ssh-keygen -l -E sha1 prints it in Base64, the server's Node API in hex.")
    }
    description = hex
  }

  /// Calculates the fingerprint of a public key.
  ///
  /// - Parameter blob: The key in the encoding of SSH, which the second field of a `.pub` line contains in Base64.
  public init(ofKey blob: [UInt8]) {
    description = SHA1.hash(blob).hex
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
