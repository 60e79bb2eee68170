// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// Generation, PEM encoding and parsing of private and public keys.
final class KeyReadingTests: XCTestCase {
  private func text(_ bytes: SecretBytes?) throws -> String {
    let bytes = try XCTUnwrap(bytes)
    return String(writing: { writer in bytes.withBytes { writer.append($0) } })
  }

  func testEncodedKeysAreParsedBack() throws {
    for (key, kind) in [
      (try PrivateKey.generateRSA(bits: 1_024), KeyKind.rsa(bits: 1_024)),
      (try PrivateKey.generateECDSA(.nistp256), .ecdsa(.nistp256)),
      (try PrivateKey.generateECDSA(.nistp384), .ecdsa(.nistp384)),
      (try PrivateKey.generateECDSA(.nistp521), .ecdsa(.nistp521)), (try PrivateKey.generateEd25519(), .ed25519),
    ] {
      XCTAssertEqual(key.kind, kind)
      XCTAssertTrue(key.isConsistent)
      let read = try PrivateKey(pem: text(key.pkcs8PEM))
      XCTAssertEqual(read.kind, kind)
      XCTAssertEqual(read.publicKey.sshBlob, key.publicKey.sshBlob)
      XCTAssertEqual(try PublicKey(pem: XCTUnwrap(key.publicKey.pem)).sshBlob, key.publicKey.sshBlob)
      guard kind != .ed25519 else {
        XCTAssertNil(key.traditionalPEM)
        continue
      }
      XCTAssertEqual(try PrivateKey(pem: text(key.traditionalPEM)).publicKey.sshBlob, key.publicKey.sshBlob)
    }
  }

  func testPrivateAndPublicKeysAreNotInterchangeable() throws {
    let key = try PrivateKey.generateECDSA(.nistp256)
    XCTAssertThrowsError(try PublicKey(pem: text(key.pkcs8PEM))) { XCTAssertEqual($0 as? KeyError, .malformed) }
    XCTAssertThrowsError(try PrivateKey(pem: XCTUnwrap(key.publicKey.pem))) {
      XCTAssertEqual($0 as? KeyError, .malformed)
    }
    for text in ["", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
      XCTAssertThrowsError(try PrivateKey(pem: text)) { XCTAssertEqual($0 as? KeyError, .malformed) }
      XCTAssertThrowsError(try PublicKey(pem: text)) { XCTAssertEqual($0 as? KeyError, .malformed) }
    }
  }

  func testInconsistentKeyComponentsAreRejected() throws {
    let zeros = [UInt8](repeating: 0, count: 32)
    let parts: [PrivateKeyParts] = [
      .ed25519(point: zeros, seed: zeros), .ed25519(point: [], seed: []),
      .ecdsa(.nistp256, point: [4] + zeros + zeros, scalar: [1]), .ecdsa(.nistp256, point: [], scalar: []),
      .ecdsa(.nistp256, point: [4] + zeros + zeros, scalar: [UInt8](repeating: 1, count: 40)),
      .rsa(modulus: [], publicExponent: [], privateExponent: [], coefficient: [], primes: [[], []]),
      .rsa(modulus: [15], publicExponent: [3], privateExponent: [3], coefficient: [2], primes: [[5], [3]]),
      .rsa(modulus: [5], publicExponent: [3], privateExponent: [3], coefficient: [2], primes: [[5], [1]]),
      .rsa(modulus: [0], publicExponent: [3], privateExponent: [3], coefficient: [2], primes: [[0], [0]]),
      .rsa(modulus: [5], publicExponent: [3], privateExponent: [3], coefficient: [2], primes: [[5]]),
      .rsa(
        modulus: [UInt8](repeating: 1, count: 5_000), publicExponent: [3], privateExponent: [3], coefficient: [2],
        primes: [[1], [UInt8](repeating: 1, count: 5_000)]),
    ]
    for parts in parts {
      XCTAssertThrowsError(try PrivateKey(parts)) { XCTAssertEqual($0 as? KeyError, .malformed) }
      XCTAssertFalse("\(parts)".contains("["))
    }
  }

  func testOneKeySignsInConcurrentTasks() async throws {
    let key = try PrivateKey.generateRSA(bits: 1_024)
    let publicKey = key.publicKey
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          let message = [UInt8(index)]
          let signature = try key.sign(message, with: .rsaPKCS1(.sha512))
          return publicKey.verify(signature, of: message, with: .rsaPKCS1(.sha512))
        }
      }
      for try await isValid in group { XCTAssertTrue(isValid) }
    }
  }

  func testUnsupportedKeyLengthsAreRejected() {
    for bits in [-1, 0, 256, 100_000] {
      XCTAssertThrowsError(try PrivateKey.generateRSA(bits: bits)) {
        XCTAssertEqual($0 as? KeyError, .unsupportedKind)
      }
    }
  }
}
