// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The SHA-1 hash of a server's public host key, as in the field `sshfp` of a transfer specification.
///
/// ascp compares fingerprints as strings, and accepts only 40 lowercase hexadecimal digits. This type normalizes
/// uppercase letters and colons, and rejects texts that do not represent 20 bytes, because an error is better than a
/// silently skipped check.
public struct HostKeyFingerprint: Sendable, Hashable, CustomStringConvertible {
  /// The fingerprint as 40 lowercase hexadecimal digits.
  public let description: String

  /// Parses the fingerprint of a host key.
  ///
  /// - Parameter text: 40 hexadecimal digits in lowercase or uppercase, with or without colons between the bytes.
  /// - Throws: An ``AsperaError`` with the code `invalidHostKey` if the text has another form, such as a SHA-256.
  public init(_ text: String) throws(AsperaError) {
    let digits = text.parts(between: ":")
    let isGrouped = digits.count == 1 || digits.allSatisfy { $0.utf8.count == 2 }
    let hex = digits.joined().lowercased()
    guard isGrouped, hex.utf8.count == 40, hex.utf8.allSatisfy({ hexValue($0) != nil }) else {
      throw AsperaError(
        .invalidHostKey,
        text.hasBytePrefix("SHA256:")
          ? "The fingerprint of the host key is a SHA-256, which Aspera does not support."
          : "The fingerprint of the host key is not 40 hex digits.",
        remedy: "Take the SHA-1 of the key: ssh-keygen -l -E sha1 prints it in Base64, the server's Node API in hex.")
    }
    description = hex
  }

  /// Calculates the fingerprint of a public host key.
  ///
  /// - Parameter blob: The public key in SSH's binary encoding, which a `.pub` file has in its second field in Base64.
  public init(ofKey blob: [UInt8]) { description = SHA1.hash(blob).hex }
}
