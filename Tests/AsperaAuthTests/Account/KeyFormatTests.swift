// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageCrypto
import XCTest

/// Tests keys in every format that `ssh-keygen` and OpenSSL write.
final class KeyFormatTests: XCTestCase {
  /// A committed key with the properties that its report must contain.
  struct Sample: Sendable {
    let name: String
    let format: PrivateKeyReport.Format
    let kind: PrivateKeyReport.Kind
    let cipher: String?
    let publicKey: String

    init(
      _ name: String, _ format: PrivateKeyReport.Format, _ kind: PrivateKeyReport.Kind, _ cipher: String? = nil,
      _ publicKey: String
    ) {
      self.name = name
      self.format = format
      self.kind = kind
      self.cipher = cipher
      self.publicKey = publicKey
    }
  }

  static let samples: [Sample] = [
    Sample("rsa", .traditional, .rsa(bits: 2_048), nil, "rsa.pub"),
    Sample("rsa-aes128", .traditional, .rsa(bits: 2_048), "AES-128-CBC", "rsa.pub"),
    Sample("rsa-des3", .traditional, .rsa(bits: 2_048), "DES-EDE3-CBC", "rsa.pub"),
    Sample("rsa-pkcs8", .pkcs8, .rsa(bits: 2_048), nil, "rsa.pub"),
    Sample("rsa-pkcs8-pbkdf2", .pkcs8, .rsa(bits: 2_048), "AES-256-CBC", "rsa.pub"),
    Sample("rsa-pkcs8-pbkdf2-sha1", .pkcs8, .rsa(bits: 2_048), "AES-128-CBC", "rsa.pub"),
    Sample("rsa-pkcs8-scrypt", .pkcs8, .rsa(bits: 2_048), "AES-256-CBC", "rsa.pub"),
    Sample("rsa-pkcs8-pbes1", .pkcs8, .rsa(bits: 2_048), "DES-EDE3-CBC with SHA-1", "rsa.pub"),
    Sample("rsa-openssh", .openSSH, .rsa(bits: 2_048), nil, "rsa.pub"),
    Sample("rsa-openssh-ctr", .openSSH, .rsa(bits: 2_048), "aes256-ctr", "rsa.pub"),
    Sample("rsa-openssh-gcm", .openSSH, .rsa(bits: 2_048), "aes256-gcm@openssh.com", "rsa.pub"),
    Sample("rsa-openssh-chacha", .openSSH, .rsa(bits: 2_048), "chacha20-poly1305@openssh.com", "rsa.pub"),
    Sample("ecdsa-256", .traditional, .ecdsa(curve: "nistp256"), nil, "ecdsa-256.pub"),
    Sample("ecdsa-256-aes128", .traditional, .ecdsa(curve: "nistp256"), "AES-128-CBC", "ecdsa-256.pub"),
    Sample("ecdsa-256-pkcs8", .pkcs8, .ecdsa(curve: "nistp256"), nil, "ecdsa-256.pub"),
    Sample("ecdsa-256-pkcs8-pbkdf2", .pkcs8, .ecdsa(curve: "nistp256"), "AES-256-CBC", "ecdsa-256.pub"),
    Sample("ecdsa-256-openssh", .openSSH, .ecdsa(curve: "nistp256"), nil, "ecdsa-256.pub"),
    Sample("ecdsa-256-openssh-ctr", .openSSH, .ecdsa(curve: "nistp256"), "aes256-ctr", "ecdsa-256.pub"),
    Sample("ecdsa-384", .traditional, .ecdsa(curve: "nistp384"), nil, "ecdsa-384.pub"),
    Sample("ecdsa-384-openssh", .openSSH, .ecdsa(curve: "nistp384"), nil, "ecdsa-384.pub"),
    Sample("ecdsa-521", .traditional, .ecdsa(curve: "nistp521"), nil, "ecdsa-521.pub"),
    Sample("ecdsa-521-openssh", .openSSH, .ecdsa(curve: "nistp521"), nil, "ecdsa-521.pub"),
    Sample("ed25519-openssh", .openSSH, .ed25519, nil, "ed25519.pub"),
    Sample("ed25519-openssh-ctr", .openSSH, .ed25519, "aes256-ctr", "ed25519.pub"),
    Sample("ed25519-pkcs8", .pkcs8, .ed25519, nil, "ed25519.pub"),
    Sample("ed25519-pkcs8-pbkdf2", .pkcs8, .ed25519, "AES-256-CBC", "ed25519.pub"),
  ]

  /// The samples that this system's cryptography decrypts: with swift-crypto, none that is encrypted with DES.
  private func readable() async throws -> [Sample] {
    let key = AsperaPrivateKey.pem(Secret(bytes: try KeyFolder.text("rsa-des3")), passphrase: KeyFolder.passphrase)
    let readsDES = (try? await key.check(on: .forKeys())) != nil
    return Self.samples.filter { readsDES || $0.cipher?.hasPrefix("DES") != true }
  }

  func testKeyThatThisSystemCannotDecryptIsRejectedByItsCipher() async throws {
    let names = try await readable().map(\.name)
    for sample in Self.samples where !names.contains(sample.name) {
      let text = Secret(bytes: try KeyFolder.text(sample.name))
      let error = await asperaError {
        try await AsperaPrivateKey.pem(text, passphrase: KeyFolder.passphrase).check(on: .forKeys())
      }
      XCTAssertEqual(error?.code, .unsupportedKey, sample.name)
      XCTAssertTrue(error?.message.contains(sample.cipher ?? "") == true, sample.name)
    }
  }

  private func publicKey(_ sample: Sample) throws -> String {
    String(decoding: try KeyFolder.text(sample.publicKey), as: UTF8.self).split(separator: " ").prefix(2)
      .joined(separator: " ").trimmingCharacters(in: .newlines)
  }

  func testEveryFormatIsReadFromAFileAndFromMemory() async throws {
    let folder = try KeyFolder()
    let machine = ProviderContext.forKeys()
    for sample in try await readable() {
      let passphrase = sample.cipher == nil ? nil : KeyFolder.passphrase
      let file = AsperaPrivateKey.file(try folder.file(sample.name), passphrase: passphrase)
      let report = try await file.check(on: machine)
      XCTAssertEqual(report.format, sample.format, sample.name)
      XCTAssertEqual(report.kind, sample.kind, sample.name)
      XCTAssertEqual(report.cipher, sample.cipher, sample.name)
      XCTAssertEqual(report.passphrase, sample.cipher == nil ? .none : .correct, sample.name)
      XCTAssertEqual(report.publicKey, try publicKey(sample), sample.name)
      let text = Secret(bytes: try KeyFolder.text(sample.name))
      let inMemory = try await AsperaPrivateKey.pem(text, passphrase: passphrase).check(on: machine)
      XCTAssertEqual(inMemory, report, sample.name)
    }
  }

  // matrix: Aspera transfer (key): bad input
  func testWrongPassphraseIsRejectedForEveryFormat() async throws {
    let machine = ProviderContext.forKeys()
    for sample in try await readable() where sample.cipher != nil {
      let text = Secret(bytes: try KeyFolder.text(sample.name))
      let long = String(repeating: "x", count: 900)
      for wrong in sample.format == .openSSH ? ["wrong horse"] : ["wrong horse", "correct horse ", long] {
        let error = await asperaError {
          try await AsperaPrivateKey.pem(text, passphrase: Secret(wrong)).check(on: machine)
        }
        XCTAssertEqual(error?.code, .wrongPassphrase, sample.name)
        XCTAssertEqual(error?.message, "The key in memory is not opened by its passphrase.", sample.name)
      }
    }
  }

  func testMissingPassphraseErrorNamesTheCipher() async throws {
    let machine = ProviderContext.forKeys()
    for sample in Self.samples {
      guard let cipher = sample.cipher else { continue }
      let text = Secret(bytes: try KeyFolder.text(sample.name))
      for passphrase in [nil, Secret(""), Secret(" \n")] {
        let error = await asperaError {
          try await AsperaPrivateKey.pem(text, passphrase: passphrase).check(on: machine)
        }
        XCTAssertEqual(error?.code, .wrongPassphrase, sample.name)
        XCTAssertEqual(
          error?.message, "The key in memory is encrypted (\(cipher)) and no passphrase is given.", sample.name)
      }
    }
  }

  func testPassphraseForAnUnencryptedKeyIsRejected() async throws {
    let machine = ProviderContext.forKeys()
    for sample in Self.samples where sample.cipher == nil {
      let text = Secret(bytes: try KeyFolder.text(sample.name))
      let error = await asperaError {
        try await AsperaPrivateKey.pem(text, passphrase: KeyFolder.passphrase).check(on: machine)
      }
      XCTAssertEqual(error?.code, .ambiguousCredential, sample.name)
    }
  }

  func testTruncatedKeyIsRejected() async throws {
    let machine = ProviderContext.forKeys(commands: nil)
    for sample in Self.samples where sample.cipher == nil {
      let text = try KeyFolder.text(sample.name)
      let cut = Secret(bytes: Array(text.prefix(text.count * 2 / 3)))
      let error = await asperaError { try await AsperaPrivateKey.pem(cut).check(on: machine) }
      XCTAssertEqual(error?.code, .malformedKey, sample.name)
    }
  }

  func testDamagedKeyIsDetected() async throws {
    let machine = ProviderContext.forKeys(commands: nil)
    for (name, label, step) in [
      ("rsa", "RSA PRIVATE KEY", 9), ("rsa-pkcs8", "PRIVATE KEY", 9), ("ecdsa-256", "EC PRIVATE KEY", 1),
      ("ecdsa-256-pkcs8", "PRIVATE KEY", 1),
    ] {
      let lines = String(decoding: try KeyFolder.text(name), as: UTF8.self).split(separator: "\n")
      let begin = try XCTUnwrap(lines.firstIndex { $0 == "-----BEGIN \(label)-----" })
      let der = try XCTUnwrap([UInt8](base64: lines[(begin + 1)..<(lines.count - 1)].joined()))
      let publicKey = try await AsperaPrivateKey.pem(Secret(bytes: KeyFolder.text(name))).check(on: machine).publicKey
      for index in stride(from: 0, to: der.count, by: step) {
        var damaged = der
        damaged[index] ^= 0x11
        let base64 = String(writing: { $0.append(base64: damaged) })
        let key = AsperaPrivateKey.pem(Secret("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"))
        do throws(AsperaError) {
          // Redundant parts, such as the exponents that speed RSA up, may be wrong; the key itself must be right.
          let report = try await key.check(on: machine)
          XCTAssertEqual(report.publicKey, publicKey, "\(name), byte \(index)")
        } catch {
          XCTAssertTrue([.malformedKey, .unsupportedKey].contains(error.code), "\(name), byte \(index): \(error)")
        }
      }
    }
  }

  func testFingerprintEqualsTheOneThatOpenSSHPrints() async throws {
    let machine = ProviderContext.forKeys()
    let key = AsperaPrivateKey.pem(Secret(bytes: try KeyFolder.text("rsa")))
    let report = try await key.check(on: machine)
    let folder = try KeyFolder()
    let file = try folder.file("rsa.pub")
    let printed = try await ProcessRunner().run(
      ["ssh-keygen", "-l", "-f", file], environment: [:], timeout: .seconds(60), outputLimit: 1_000)
    XCTAssertTrue(String(decoding: printed.standardOutput, as: UTF8.self).contains(" \(report.fingerprint) "))
  }
}
