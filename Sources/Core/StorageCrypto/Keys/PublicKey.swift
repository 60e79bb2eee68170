// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto) || canImport(CryptoExtras)
  /// A public key that verifies signatures, and that can be written for SSH or in PEM.
  package struct PublicKey: Sendable {
    let handle: KeyHandle
    init(_ handle: KeyHandle) { self.handle = handle }

    /// Creates a public key from SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`) or the older `BEGIN RSA PUBLIC KEY`.
    package init(pem: String) throws(KeyError) {
      guard let handle = KeyHandle.parse(publicPEM: pem) else { throw .malformed }
      self.handle = handle
    }

    package var kind: KeyKind { handle.kind }

    package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
      algorithm.supports(kind) && handle.verify(signature, of: message, with: algorithm)
    }

    package var sshBlob: [UInt8]? { handle.sshBlob }
    package var pem: String? { handle.publicPEM }
  }

  extension KeyHandle {
    /// The SSH key blob (RFC 4253, section 6.6; RFC 5656; RFC 8709), or `nil` if SSH does not support the key's kind.
    var sshBlob: [UInt8]? {
      var blob = SSHFields()
      switch kind {
      case .rsa:
        guard let exponent = number(.publicExponent), let modulus = number(.modulus) else { return nil }
        blob.append("ssh-rsa")
        blob.append(number: exponent)
        blob.append(number: modulus)
      case .ecdsa(let curve):
        guard let point = point(on: curve) else { return nil }
        blob.append("ecdsa-sha2-\(curve.rawValue)")
        blob.append(curve.rawValue)
        blob.append(point)
      case .ed25519:
        guard let point = ed25519Point else { return nil }
        blob.append("ssh-ed25519")
        blob.append(point)
      case .dsa, .other: return nil
      }
      return blob.bytes
    }
  }

  /// An encoder of consecutive fields in the data types of SSH (RFC 4251, section 5).
  struct SSHFields {
    private(set) var bytes: [UInt8] = []

    /// Appends a 32-bit integer as an SSH `uint32`.
    mutating func append(_ value: UInt32) {
      for shift in stride(from: 24, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
      }
    }

    /// Appends bytes as an SSH `string`.
    mutating func append(_ string: [UInt8]) {
      append(UInt32(truncatingIfNeeded: string.count))
      bytes += string
    }

    mutating func append(_ text: String) { append(Array(text.utf8)) }

    /// Appends a non-negative integer, given as big-endian bytes, as an SSH `mpint`.
    mutating func append(number: [UInt8]) {
      let digits = number.drop { $0 == 0 }
      // A first bit that is set would make the integer negative.
      let needsZero = (digits.first ?? 0) >= 0x80
      append(UInt32(truncatingIfNeeded: digits.count + (needsZero ? 1 : 0)))
      if needsZero { bytes.append(0) }
      bytes += digits
    }

    mutating func append(raw: [UInt8]) { bytes += raw }
    mutating func wipeBytes() { wipe(&bytes) }
  }
#endif
