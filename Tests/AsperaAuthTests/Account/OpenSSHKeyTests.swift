// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests damaged keys in OpenSSH's own format.
final class OpenSSHKeyTests: XCTestCase {
  private func container(_ name: String) throws -> [UInt8] {
    let lines = String(decoding: try KeyFolder.text(name), as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
    return try XCTUnwrap([UInt8](base64: lines.joined()))
  }

  private func key(_ container: [UInt8], passphrase: Secret? = nil) -> AsperaPrivateKey {
    let base64 = String(writing: { $0.append(base64: container) })
    return .pem(
      Secret("-----BEGIN OPENSSH PRIVATE KEY-----\n\(base64)\n-----END OPENSSH PRIVATE KEY-----\n"),
      passphrase: passphrase)
  }

  /// The SSH encoding of a string.
  private func string(_ bytes: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
  }

  private func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }

  private func container(
    cipher: String = "none", derivation: String = "none", options: [UInt8] = [], count: UInt8 = 1, blob: [UInt8],
    section: [UInt8], tail: [UInt8] = []
  ) -> [UInt8] {
    Array("openssh-key-v1\0".utf8) + string(cipher) + string(derivation) + string(options) + [0, 0, 0, count]
      + string(blob) + string(section) + tail
  }

  private func assertRefused(
    _ container: [UInt8], _ code: AsperaError.Code, _ word: String, passphrase: Secret? = nil, line: UInt = #line
  ) async {
    let error = await asperaError {
      try await self.key(container, passphrase: passphrase).check(on: .forKeys(commands: nil))
    }
    XCTAssertEqual(error?.code, code, line: line)
    XCTAssertTrue(error?.message.contains(word) == true, "\(String(describing: error))", line: line)
  }

  private let seed = [UInt8](repeating: 7, count: 32)
  private let blob: [UInt8] = {
    let point: [UInt8] = (0..<32).map { $0 }
    return [0, 0, 0, 11] + Array("ssh-ed25519".utf8) + [0, 0, 0, 32] + point
  }()

  func testEveryChangedByteIsDetected() async throws {
    for (name, step) in [("ed25519-openssh", 1), ("ecdsa-256-openssh", 1), ("rsa-openssh", 11)] {
      let whole = try container(name)
      let publicKey = try await key(whole).check(on: .forKeys(commands: nil)).publicKey
      var passed = 0
      for index in stride(from: 0, to: whole.count, by: step) {
        var damaged = whole
        damaged[index] ^= 0x41
        do throws(AsperaError) {
          let report = try await key(damaged).check(on: .forKeys(commands: nil))
          passed += 1
          XCTAssertEqual(report.publicKey, publicKey, "\(name), byte \(index)")
        } catch {
          XCTAssertTrue([.malformedKey, .unsupportedKey, .wrongPassphrase].contains(error.code), "\(error)")
        }
      }
      // The comment is free text, and the coefficient of an RSA key is not used.
      XCTAssertLessThan(passed, name == "rsa-openssh" ? 20 : 12, name)
    }
  }

  func testTruncatedOrExtendedKeyIsRejected() async throws {
    let whole = try container("ed25519-openssh")
    for length in 0..<whole.count {
      await assertRefused(Array(whole.prefix(length)), .malformedKey, "damaged")
    }
    await assertRefused(whole + [0], .malformedKey, "damaged")
  }

  func testLengthsBeyondTheEndAreRejected() async throws {
    let magic = Array("openssh-key-v1\0".utf8)
    for length: [UInt8] in [[0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 1]] {
      await assertRefused(magic + length, .malformedKey, "damaged")
      await assertRefused(magic + string("none") + string("none") + length, .malformedKey, "damaged")
    }
  }

  func testErrorNamesTheNumberOfKeys() async {
    await assertRefused(container(count: 2, blob: blob, section: seed), .unsupportedKey, "2 keys")
    await assertRefused(container(count: 0, blob: blob, section: seed), .unsupportedKey, "0 keys")
  }

  func testCipherAndKeyDerivationMustAgree() async {
    await assertRefused(container(cipher: "aes256-ctr", blob: blob, section: seed), .malformedKey, "damaged")
    await assertRefused(container(derivation: "bcrypt", blob: blob, section: seed), .malformedKey, "damaged")
    await assertRefused(container(options: [1], blob: blob, section: seed), .malformedKey, "damaged")
  }

  func testUnknownCipherIsNamed() async {
    let bytes = container(cipher: "rot13-cbc", derivation: "bcrypt", options: [1], blob: blob, section: seed)
    await assertRefused(bytes, .wrongPassphrase, "is encrypted (rot13-cbc)")
  }

  func testAuthenticationTagMustMatchTheCipher() async {
    for (cipher, tail) in [("aes256-gcm@openssh.com", 0), ("aes256-gcm@openssh.com", 15), ("aes256-ctr", 16)] {
      let bytes = container(
        cipher: cipher, derivation: "bcrypt", options: [1], blob: blob, section: seed,
        tail: [UInt8](repeating: 0, count: tail))
      await assertRefused(bytes, .malformedKey, "damaged", passphrase: KeyFolder.passphrase)
    }
  }

  func testCheckIntegersMustBeEqual() async throws {
    var bytes = try container("ed25519-openssh")
    let section = bytes.count - Int(bytes[97])
    XCTAssertEqual(Array(bytes[section..<(section + 4)]), Array(bytes[(section + 4)..<(section + 8)]))
    bytes[section] ^= 1
    await assertRefused(bytes, .malformedKey, "damaged")
  }

  func testPrivateKeyOfAnotherPublicKeyIsRejected() async throws {
    var bytes = try container("ed25519-openssh")
    let blobPoint = 15 + 8 + 8 + 4 + 4 + 4 + 15 + 4
    bytes[blobPoint] ^= 1
    await assertRefused(bytes, .malformedKey, "does not belong to the public key")
  }

  func testHardwareSecurityKeysAreRejectedByName() async {
    for type in ["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"] {
      await assertRefused(
        container(blob: string(type) + string([1, 2, 3]), section: seed), .unsupportedKey,
        "a hardware security key (\(type))")
    }
    await assertRefused(
      container(blob: string("ssh-ed448") + string([1]), section: seed), .unsupportedKey, "ssh-ed448")
  }

  func testRandomInputIsRejectedWithoutACrash() async throws {
    var random = SeededGenerator(seed: 4)
    let names = ["ed25519-openssh", "rsa-openssh-gcm", "ecdsa-256", "rsa-pkcs8-pbkdf2", "rsa-aes128", "dsa"]
    for round in 0..<1_500 {
      var text = try KeyFolder.text(names[round % names.count])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        text[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if round.isMultiple(of: 3) { text.removeLast(Int.random(in: 0..<text.count, using: &random)) }
      _ = try? AsperaPrivateKey.pem(Secret(bytes: text)).converted(for: .ascp, on: .forKeys(commands: nil))
      _ = try? await AsperaPrivateKey.pem(Secret(bytes: text)).check(on: .forKeys(commands: nil))
    }
  }
}
