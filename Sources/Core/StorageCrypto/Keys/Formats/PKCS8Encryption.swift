// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The encryption parameters of a PKCS #8 private key (RFC 5958, RFC 8018, RFC 7914).
package struct PKCS8Encryption: Equatable {
  /// The usual cipher name, or the cipher's object identifier if its name is unknown.
  package let cipher: String
  /// The cost of the key derivation: the iteration count, or for scrypt the product of its three cost parameters.
  package let derivationCost: Int

  /// The maximum cost of a key derivation for which a key is accepted, which corresponds to a few seconds.
  package static let derivationCostLimit = 10_000_000

  /// Parses the beginning of an EncryptedPrivateKeyInfo in DER, or returns `nil` if the data are malformed.
  package init?(der: [UInt8]) {
    var document = DERReader(der)
    guard var info = document.sequence(), var algorithm = info.sequence(), info.octets() != nil,
      let scheme = algorithm.identifier(), var parameters = algorithm.sequence()
    else { return nil }
    // The older schemes (PBES1, and those of PKCS #12) name a cipher, a hash function and a derivation at once.
    guard scheme == ObjectID.pbes2 else {
      guard parameters.octets() != nil, let rounds = parameters.integer() else { return nil }
      cipher = Self.cipherNames[scheme] ?? scheme
      derivationCost = rounds
      return
    }
    guard var derivation = parameters.sequence(), let function = derivation.identifier(),
      var settings = derivation.sequence(), settings.octets() != nil, let rounds = settings.integer(),
      var encryption = parameters.sequence(), let name = encryption.identifier()
    else { return nil }
    cipher = Self.cipherNames[name] ?? name
    switch function {
    case ObjectID.pbkdf2: derivationCost = rounds
    case ObjectID.scrypt:
      guard let blockSize = settings.integer(), let parallelism = settings.integer() else { return nil }
      let blocks = rounds.multipliedReportingOverflow(by: blockSize)
      let product = blocks.partialValue.multipliedReportingOverflow(by: parallelism)
      derivationCost = blocks.overflow || product.overflow ? .max : product.partialValue
    default: return nil
    }
  }

  private static let cipherNames = [
    ObjectID.aes128CBC: "AES-128-CBC", ObjectID.aes192CBC: "AES-192-CBC", ObjectID.aes256CBC: "AES-256-CBC",
    "1.2.840.113549.3.7": "DES-EDE3-CBC", "1.3.14.3.2.7": "DES-CBC", "1.2.840.113549.1.5.3": "DES-CBC with MD5",
    "1.2.840.113549.1.5.10": "DES-CBC with SHA-1", "1.2.840.113549.1.12.1.1": "RC4-128",
    "1.2.840.113549.1.12.1.3": "DES-EDE3-CBC with SHA-1", "1.2.840.113549.1.12.1.6": "RC2-40-CBC",
  ]
}

/// The object identifiers of the algorithms (RFC 8018, appendix A and B; RFC 7914, section 7).
enum ObjectID {
  static let pbes2 = "1.2.840.113549.1.5.13"
  static let pbkdf2 = "1.2.840.113549.1.5.12"
  static let scrypt = "1.3.6.1.4.1.11591.4.11"
  static let aes128CBC = "2.16.840.1.101.3.4.1.2"
  static let aes192CBC = "2.16.840.1.101.3.4.1.22"
  static let aes256CBC = "2.16.840.1.101.3.4.1.42"
  static let hmacSHA1 = "1.2.840.113549.2.7"
  static let hmacSHA224 = "1.2.840.113549.2.8"
  static let hmacSHA256 = "1.2.840.113549.2.9"
  static let hmacSHA384 = "1.2.840.113549.2.10"
  static let hmacSHA512 = "1.2.840.113549.2.11"
}
