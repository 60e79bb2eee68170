// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A private key as its text encodes and possibly encrypts it: traditional PEM or PKCS #8, or OpenSSH's own format.
enum EncodedPrivateKey {
  case pem(PEMBlock)
  case openSSH(OpenSSHKey)

  /// Finds the only private key in the text of a key file, which may contain other text and certificates, too.
  init(_ fileText: [UInt8], at location: KeyLocation) throws(AsperaError) {
    let text = fileText.withoutByteOrderMark
    let blocks = PEMBlock.blocks(in: text)
    let keyBlocks = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
    guard let block = keyBlocks.first else {
      throw Self.missingKeyError(for: text, label: blocks.first?.label, at: location)
    }
    guard keyBlocks.count == 1 else {
      throw location.error(.unsupportedKey, "holds \(keyBlocks.count) private keys", remedy: "Give only one of them.")
    }
    guard let contents = block.contents else {
      guard !text.hasEscapedLineBreaks else { throw location.escapedLineBreakError }
      throw location.error(
        .malformedKey, "begins like a private key and is damaged or truncated",
        remedy: "Copy the key again, with its first and its last line.")
    }
    switch block.label {
    case OpenSSHKey.pemLabel:
      guard block.isFirst else {
        throw location.error(
          .malformedKey, "has other text before the key, which OpenSSH's own format does not allow",
          remedy: "Remove the text before the line BEGIN OPENSSH PRIVATE KEY.")
      }
      self = .openSSH(try OpenSSHKey(pemContents: contents, at: location))
    case "DSA PRIVATE KEY": throw location.dsaError
    case "RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY": self = .pem(block)
    case "ENCRYPTED PRIVATE KEY":
      try Self.checkPKCS8Encryption(of: contents, at: location)
      self = .pem(block)
    // A label of more than 40 characters is not a kind, and may be any text, so it is not shown.
    default: throw location.error(forKind: block.label.count <= 40 ? block.label : "an unknown kind")
    }
  }

  /// Checks that the decryption of a key has a limited cost, which the key itself determines.
  private static func checkPKCS8Encryption(of contents: [UInt8], at location: KeyLocation) throws(AsperaError) {
    guard let encryption = PKCS8Encryption(der: contents) else {
      throw location.error(
        .malformedKey, "is encrypted in PKCS #8, in a form that cannot be read", remedy: KeyLocation.reencryptionRemedy)
    }
    let cost = encryption.derivationCost
    let limit = PKCS8Encryption.derivationCostLimit
    guard cost <= limit else {
      throw location.error(
        .unsupportedKey, "requires a key derivation of cost \(cost), more than the limit of \(limit)",
        remedy: KeyLocation.reencryptionRemedy)
    }
  }

  /// Returns the error for a text without a private key, which says what the text is instead, as far as is known.
  private static func missingKeyError(for bytes: [UInt8], label: String?, at location: KeyLocation) -> AsperaError {
    guard !bytes.isUTF16 else { return location.utf16Error }
    let text = String(decoding: bytes.prefix(1 << 12), as: UTF8.self)
    let firstWord = text.prefix { !$0.isWhitespace }
    let isPublicLine = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].contains { firstWord.hasPrefix($0) }
    if text.hasPrefix("PuTTY-User-Key-File-") {
      return location.error(
        .unsupportedKey, "is a key of PuTTY, which neither ascp nor the system's SSH client reads",
        remedy: "Convert it: puttygen KEY.ppk -O private-openssh -o KEY.")
    } else if text.hasPrefix("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY") {
      return location.error(
        .unsupportedKey, "is a private key in the format of SSH.COM",
        remedy: "Convert it: ssh-keygen -i -f KEY prints it in PEM.")
    } else if isPublicLine || label?.hasSuffix("PUBLIC KEY") == true || text.hasPrefix("---- BEGIN SSH2 PUBLIC KEY") {
      return location.error(
        .malformedKey, "holds a public key",
        remedy: "Give the private key; its file often has the same name without .pub.")
    } else if label?.hasSuffix("CERTIFICATE") == true {
      return location.error(
        .malformedKey, "holds a certificate", remedy: "Give the private key that the account was set up with.")
    } else if bytes.isDERSequence {
      return location.error(
        .malformedKey, "is binary and could be a key in DER", remedy: "Convert it to PEM: openssl pkey -inform DER.")
    } else if text.contains("-----BEGIN "), bytes.hasEscapedLineBreaks {
      return location.escapedLineBreakError
    }
    return location.error(
      .malformedKey, bytes.isEmpty ? "is empty" : "holds no private key in PEM or in OpenSSH's format",
      remedy: "Give a private key as ssh-keygen or openssl writes it.")
  }
}

extension [UInt8] {
  /// Whether the text has a backslash and an n, as in a file of variables, where a key has a line break.
  fileprivate var hasEscapedLineBreaks: Bool {
    zip(self, dropFirst()).contains { $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "n") }
  }

  fileprivate var isDERSequence: Bool {
    var document = DERReader(self)
    return document.sequence() != nil && document.nextTag == nil
  }

  /// Whether the text is in UTF-16, as far as a byte order mark or its first two characters show.
  var isUTF16: Bool {
    if starts(with: [0xff, 0xfe]) || starts(with: [0xfe, 0xff]) { return true }
    let zeros = prefix(4).map { $0 == 0 }
    return zeros == [true, false, true, false] || zeros == [false, true, false, true]
  }
}
