// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// The texts of keys, which every backend reads and writes as OpenSSL does.
final class KeyTextTests: XCTestCase {
  func testKeysAreWrittenAsOpenSSLWritesThem() throws {
    for (name, text, pkcs8, publicText) in [
      ("RSA", Self.rsa, Self.rsaPKCS8, Self.rsaPublic), ("ECDSA", Self.ecdsa, Self.ecdsaPKCS8, Self.ecdsaPublic),
    ] {
      for source in [text, pkcs8] {
        let key = try PrivateKey(pem: source)
        XCTAssertTrue(key.isConsistent, name)
        XCTAssertEqual(try string(key.traditionalPEM), text, name)
        XCTAssertEqual(try string(key.pkcs8PEM), pkcs8, name)
        XCTAssertEqual(key.publicKey.pem, publicText, name)
      }
      XCTAssertEqual(try PublicKey(pem: publicText).pem, publicText, name)
    }
    let key = try PrivateKey(pem: Self.ed25519)
    XCTAssertTrue(key.isConsistent)
    XCTAssertNil(key.traditionalPEM)
    XCTAssertEqual(try string(key.pkcs8PEM), Self.ed25519)
    XCTAssertEqual(key.publicKey.pem, Self.ed25519Public)
    XCTAssertEqual(try PublicKey(pem: Self.ed25519Public).sshBlob, key.publicKey.sshBlob)
  }

  func testOtherFormsOfAPublicKeyAreTheSameKey() throws {
    XCTAssertEqual(try PublicKey(pem: Self.rsaPublicPKCS1).sshBlob, try PublicKey(pem: Self.rsaPublic).sshBlob)
    XCTAssertEqual(try PublicKey(pem: Self.ecdsaCompressed).sshBlob, try PublicKey(pem: Self.ecdsaPublic).sshBlob)
  }

  func testTextAroundAKeyAndAByteOrderMarkAreSkipped() throws {
    let key = try PrivateKey(pem: Self.ecdsa).publicKey.sshBlob
    for prefix in ["\u{feff}", "a comment\n", Self.ecdsaPublic] {
      XCTAssertEqual(try PrivateKey(pem: prefix + Self.ecdsa + "more text\n").publicKey.sshBlob, key, prefix)
    }
  }

  func testEncryptedKeysAreDecrypted() throws {
    let blob = try PrivateKey(pem: Self.ecdsa).publicKey.sshBlob
    for (name, text) in Self.encrypted {
      XCTAssertEqual(try PrivateKey(pem: text, passphrase: "open-sesame").publicKey.sshBlob, blob, name)
      assertRefused(text, "open sesame", .wrongPassphrase, name)
      assertRefused(text, nil, .passphraseMissing, name)
    }
  }

  func testDamagedEncryptionIsRefused() throws {
    let text = try XCTUnwrap(Self.encrypted["dek-aes256"])
    let unknown = text.replacing("AES-256-CBC", with: "NONE-128-CBC")
    assertRefused(unknown, nil, .passphraseMissing, "unknown cipher", .malformed)
    assertRefused(unknown, "open-sesame", .unsupportedEncryption, "unknown cipher", .malformed)
    for header in ["AES-256-CBC", "AES-256-CBC,", "AES-256-CBC,00", "AES-256-CBC,zz"] {
      assertRefused(text.replacing(#/AES-256-CBC,.*/#, with: header), "open-sesame", .malformed, header)
    }
  }

  func testKeyLengthOfScryptMustBeThatOfTheCipher() throws {
    XCTAssertEqual(try PrivateKey(pem: Self.ed25519WithScryptLength, passphrase: "secret").kind, .ed25519)
    let shorter = Self.ed25519WithScryptLength.replacing("AQIBIDAd", with: "AQIBEDAd")
    XCTAssertNotEqual(shorter, Self.ed25519WithScryptLength)
    assertRefused(shorter, "secret", .unsupportedEncryption, "length 16 for AES-256", .wrongPassphrase)
  }

  /// A backend that accepts the key, as libcrypto need not, must write it, too, with lengths of three bytes.
  func testKeyOfMoreThan65535BytesIsWritten() throws {
    func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
      [tag, 0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: contents.count >> $0) } + contents
    }
    let modulus = value(0x02, [0] + [UInt8](repeating: 0xff, count: 70_000))
    let base64 = Array(value(0x30, modulus + [0x02, 0x03, 0x01, 0x00, 0x01]).base64)
    let lines = stride(from: 0, to: base64.count, by: 64).map { String(base64[$0..<min($0 + 64, base64.count)]) }
    let text = (["-----BEGIN RSA PUBLIC KEY-----"] + lines + ["-----END RSA PUBLIC KEY-----", ""])
      .joined(separator: "\n")
    guard let key = try? PublicKey(pem: text) else {
      throw XCTSkip("libcrypto refuses the key, which swift-crypto's backend reads")
    }
    XCTAssertEqual(key.kind, .rsa(bits: 560_000))
    XCTAssertEqual(try PublicKey(pem: try XCTUnwrap(key.pem)).kind, key.kind)
  }

  /// The memory that libcrypto allows for scrypt is 32 MiB, which N = 32,768 and r = 8 exceed by a few blocks.
  func testMemoryOfScryptIsThatOfLibcrypto() {
    assertRefused(
      Self.ed25519WithExpensiveScrypt, "secret", .unsupportedEncryption, "more than 32 MiB", .wrongPassphrase)
  }

  private func assertRefused(
    _ text: String, _ passphrase: String?, _ error: KeyError, _ name: String, _ other: KeyError? = nil,
    line: UInt = #line
  ) {
    XCTAssertThrowsError(try PrivateKey(pem: text, passphrase: passphrase), name, line: line) {
      XCTAssertTrue($0 as? KeyError == error || $0 as? KeyError == other, "\(name): \($0)", line: line)
    }
  }

  /// No damage makes a reader trap, and no damaged key that is read is taken for the whole key.
  func testDamagedKeysAreNotTakenForOthers() throws {
    let texts = [
      ("RSA PRIVATE KEY", Self.rsa), ("PRIVATE KEY", Self.rsaPKCS8), ("EC PRIVATE KEY", Self.ecdsa),
      ("PRIVATE KEY", Self.ecdsaPKCS8), ("PRIVATE KEY", Self.ed25519), ("PUBLIC KEY", Self.rsaPublic),
      ("RSA PUBLIC KEY", Self.rsaPublicPKCS1), ("PUBLIC KEY", Self.ecdsaPublic), ("PUBLIC KEY", Self.ed25519Public),
    ]
    for (label, text) in texts {
      let lines = text.split(separator: "\n").dropFirst().dropLast()
      let der = try XCTUnwrap([UInt8](base64: lines.joined()))
      for index in der.indices {
        read(label, Array(der[..<index]))
        // The structure is in the first bytes; most others are digits of long numbers, whose check takes milliseconds.
        let values = [der[index] ^ 1, der[index] ^ 0x80, 0, 0x7f, 0x84, 0xff]
        for value in index < 64 || index.isMultiple(of: 8) ? values : [values[index % values.count]] {
          var damaged = der
          damaged[index] = value
          read(label, damaged)
        }
      }
    }
  }

  private func read(_ label: String, _ der: [UInt8]) {
    let base64 = String(writing: { $0.append(base64: der) })
    let pem = "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    if label.hasSuffix("PRIVATE KEY") {
      guard let key = try? PrivateKey(pem: pem) else { return }
      _ = (key.isConsistent, key.kind, key.publicKey.sshBlob, key.openSSHPEM(), key.pkcs8PEM)
    } else if let key = try? PublicKey(pem: pem) {
      _ = (key.kind, key.sshBlob, key.pem, key.verify([1], of: [1], with: .rsaPKCS1(.sha256)))
    }
  }

  func testEncryptionParametersDoNotTrap() throws {
    for name in ["aes256-sha512", "aes128-sha224"] {
      let lines = try XCTUnwrap(Self.encrypted[name]).split(separator: "\n").dropFirst().dropLast()
      let der = try XCTUnwrap([UInt8](base64: lines.joined()))
      // The parameters; what follows is encrypted.
      for index in 0..<min(der.count, 110) where !Self.isRoundCount(der, index) {
        for value in [der[index] ^ 1, 0, 0x7f, 0x84, 0xff] {
          var damaged = der
          damaged[index] = value
          let base64 = String(writing: { $0.append(base64: damaged) })
          let pem = "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(base64)\n-----END ENCRYPTED PRIVATE KEY-----\n"
          _ = try? PrivateKey(pem: pem, passphrase: "open-sesame")
        }
      }
    }
  }

  /// Whether a byte belongs to the number of rounds, of which too many take minutes.
  private static func isRoundCount(_ der: [UInt8], _ index: Int) -> Bool {
    guard let start = der.indices.first(where: { der[$0...].starts(with: [0x02, 0x02, 0x08, 0x00]) }) else {
      return false
    }
    return (start..<start + 4).contains(index)
  }

  private func string(_ bytes: SecretBytes?) throws -> String {
    let bytes = try XCTUnwrap(bytes)
    return String(writing: { writer in bytes.withBytes { writer.append($0) } })
  }

  /// A disposable RSA key in PKCS #1, in PKCS #8, and its public key.
  private static let rsa = """
    -----BEGIN RSA PRIVATE KEY-----
    MIICXQIBAAKBgQC/uGptEaBrCWswdaGOB6zAAf/Zaom3x1WCk8wtr/2yrALHsjhl
    hQqzkIaSGfnUga1mwVVsLwtMqciaQcdDinIl/EjUOYQxGFqBnUdzbAyFSEjJ4CuX
    QjSgIgLngqSX5gACNPIQVz/0zm0Oouv5ax/2huR5gT2pWWMTroYkEMb1EwIDAQAB
    AoGAPCSPBl4kM8/Fl3MfVh3kPGukJkE8qLFYitjwkViHPpilWp33ASnmPIRXItgR
    Pm/bxMNbl89+PPN6IaIG75Ir0mG8bFIYBKv/uA75c9UBjpNASddeRtQfsfGmLTga
    6+CCliguYwiZofEByxThSQfLTJCLKMucDO6Twu7N86ZxzRkCQQDfmD3nIn3rOy9f
    +M9xTT0WorWRXx+tcl5Ll73JrsS42eAHkYwnMZIlJh0fTWwWzntpOdvtba1CnW6C
    LEKWingNAkEA24GUj0R9kgDZvuBBmm0nb2mGNdGOuWxgB4C03qaOT8Wo6RI6aPQR
    USho+31n8pQk8BIf4K4rv00BEvzlcdm5nwJBAMtyy2C0kb6oa8L3skl17k/aXTuZ
    Qkmf9wzxVU9eJsHL/XzlgpFnGYOT2ovQ9rkJyGFGtEaltTEX7qWjgDNaa0ECQBQy
    Ugb0mFEsvtwvKhoZXP2FShH9nBI3hIZsMzghPwrb9vSq9rDddBJxk2dAXKYXN2bX
    ZBN6MxBA945Vso7NJ6UCQQCF5jo3hilzn3ruLnTM7bSeblvZYYbrONR5MlwL1Du9
    iQi3cCdAzhqmFUpApqMTSXr1PTQjhunwn2bTLEMaaLnC
    -----END RSA PRIVATE KEY-----

    """

  private static let rsaPKCS8 = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAL+4am0RoGsJazB1
    oY4HrMAB/9lqibfHVYKTzC2v/bKsAseyOGWFCrOQhpIZ+dSBrWbBVWwvC0ypyJpB
    x0OKciX8SNQ5hDEYWoGdR3NsDIVISMngK5dCNKAiAueCpJfmAAI08hBXP/TObQ6i
    6/lrH/aG5HmBPalZYxOuhiQQxvUTAgMBAAECgYA8JI8GXiQzz8WXcx9WHeQ8a6Qm
    QTyosViK2PCRWIc+mKVanfcBKeY8hFci2BE+b9vEw1uXz34883ohogbvkivSYbxs
    UhgEq/+4Dvlz1QGOk0BJ115G1B+x8aYtOBrr4IKWKC5jCJmh8QHLFOFJB8tMkIso
    y5wM7pPC7s3zpnHNGQJBAN+YPecifes7L1/4z3FNPRaitZFfH61yXkuXvcmuxLjZ
    4AeRjCcxkiUmHR9NbBbOe2k52+1trUKdboIsQpaKeA0CQQDbgZSPRH2SANm+4EGa
    bSdvaYY10Y65bGAHgLTepo5PxajpEjpo9BFRKGj7fWfylCTwEh/griu/TQES/OVx
    2bmfAkEAy3LLYLSRvqhrwveySXXuT9pdO5lCSZ/3DPFVT14mwcv9fOWCkWcZg5Pa
    i9D2uQnIYUa0RqW1MRfupaOAM1prQQJAFDJSBvSYUSy+3C8qGhlc/YVKEf2cEjeE
    hmwzOCE/Ctv29Kr2sN10EnGTZ0Bcphc3ZtdkE3ozEED3jlWyjs0npQJBAIXmOjeG
    KXOfeu4udMzttJ5uW9lhhus41HkyXAvUO72JCLdwJ0DOGqYVSkCmoxNJevU9NCOG
    6fCfZtMsQxpoucI=
    -----END PRIVATE KEY-----

    """

  private static let rsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/uGptEaBrCWswdaGOB6zAAf/Z
    aom3x1WCk8wtr/2yrALHsjhlhQqzkIaSGfnUga1mwVVsLwtMqciaQcdDinIl/EjU
    OYQxGFqBnUdzbAyFSEjJ4CuXQjSgIgLngqSX5gACNPIQVz/0zm0Oouv5ax/2huR5
    gT2pWWMTroYkEMb1EwIDAQAB
    -----END PUBLIC KEY-----

    """

  private static let rsaPublicPKCS1 = """
    -----BEGIN RSA PUBLIC KEY-----
    MIGJAoGBAL+4am0RoGsJazB1oY4HrMAB/9lqibfHVYKTzC2v/bKsAseyOGWFCrOQ
    hpIZ+dSBrWbBVWwvC0ypyJpBx0OKciX8SNQ5hDEYWoGdR3NsDIVISMngK5dCNKAi
    AueCpJfmAAI08hBXP/TObQ6i6/lrH/aG5HmBPalZYxOuhiQQxvUTAgMBAAE=
    -----END RSA PUBLIC KEY-----

    """

  /// A disposable ECDSA key in SEC 1, in PKCS #8, and its public key with the whole and the compressed point.
  private static let ecdsa = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIIre9VdPlOV7PI6j75AOIMR3Xj4nACtuKErMEcOzIxbcoAoGCCqGSM49
    AwEHoUQDQgAEGR3iL+mG6WOtQ3TBmK56kgwuYC8EutvK0UCBHCzXzNH7OSnh9AfN
    fIx/NfHqcIChOpOFNxVJ8Ko1IEg8Ti5OBQ==
    -----END EC PRIVATE KEY-----

    """

  private static let ecdsaPKCS8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgit71V0+U5Xs8jqPv
    kA4gxHdePicAK24oSswRw7MjFtyhRANCAAQZHeIv6YbpY61DdMGYrnqSDC5gLwS6
    28rRQIEcLNfM0fs5KeH0B818jH818epwgKE6k4U3FUnwqjUgSDxOLk4F
    -----END PRIVATE KEY-----

    """

  private static let ecdsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGR3iL+mG6WOtQ3TBmK56kgwuYC8E
    utvK0UCBHCzXzNH7OSnh9AfNfIx/NfHqcIChOpOFNxVJ8Ko1IEg8Ti5OBQ==
    -----END PUBLIC KEY-----

    """

  private static let ecdsaCompressed = """
    -----BEGIN PUBLIC KEY-----
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADGR3iL+mG6WOtQ3TBmK56kgwuYC8E
    utvK0UCBHCzXzNE=
    -----END PUBLIC KEY-----

    """

  /// A disposable Ed25519 key in PKCS #8, and its public key.
  private static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIDDrY12Auuv48zV4epLlmE/WR7oWraZiCKprOQowt8a0
    -----END PRIVATE KEY-----

    """

  private static let ed25519Public = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAf44nVyV4wg1Sbo6DGjj/xAEf6HFCU05BB1cixrPscZg=
    -----END PUBLIC KEY-----

    """

  /// A disposable Ed25519 key, encrypted with the passphrase `secret`, with the optional length of scrypt's key: 32.
  private static let ed25519WithScryptLength = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGVMFEGCSqGSIb3DQEFDTBEMCMGCSsGAQQB2kcECzAWBAjuYVyje3Ec+AIBEAIB
    CAIBAQIBIDAdBglghkgBZQMEASoEEG4kgYkStAL32gHSPfBWeecEQL2iuY9Y9W4w
    Lae355GYbTK7vNFnjFP+lE3R6kcbl+NHZ/GFy6Ecjf9JRb5SOMvVDMQlm17lew0e
    oyXKo2nEv2Y=
    -----END ENCRYPTED PRIVATE KEY-----

    """

  /// The same key, encrypted with the same passphrase, with N = 32,768, r = 8 and p = 1.
  private static let ed25519WithExpensiveScrypt = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGUMFAGCSqGSIb3DQEFDTBDMCIGCSsGAQQB2kcECzAVBAgAAQIDBAUGBwIDAIAA
    AgEIAgEBMB0GCWCGSAFlAwQBKgQQAAECAwQFBgcICQoLDA0ODwRADD8dNymCaYwG
    4BkUBL9FvocPX+CcJ43rDpRIIV0Rjcsswqbp99QFXYqgOWxIla+322dld88/CZ8Z
    D5DRwjjMlQ==
    -----END ENCRYPTED PRIVATE KEY-----

    """

  /// The ECDSA key, encrypted with the passphrase `open-sesame`.
  private static let encrypted = [
    "aes192-sha384": """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgv5FHRB8uDKgICCAAw
    DAYIKoZIhvcNAgoFADAdBglghkgBZQMEARYEEL7PouzOcUKn5L7ux86GlxsEgZCj
    nHpHx0TYmKz3gSGIp5bNTFYJqLwATJnzg2Bt/sn1OF2kjQXAi0ijO0SUfIbS+7Y7
    LvrbsFi4XyZfsepdOcyq58LNSSMPeucZfJoai7yBWzlAyvhNJUIcnOMTm0UpIwNn
    M8UO03lA3n9Mv4S6fRM8JyDBhwhqxLpVOEyGPo4cQLf0NvmEZDeWOOfHuWDAd/A=
    -----END ENCRYPTED PRIVATE KEY-----

    """,
    "aes256-sha512": """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgkcuN9jklaaAICCAAw
    DAYIKoZIhvcNAgsFADAdBglghkgBZQMEASoEEMepG5IFaDJ0n53+huPC4loEgZAx
    UAssFLJO7uORZQJqHOiSJQ2xIh3KVDP/CaVBtuoNW04Nvj3y1um8sEg+osytbkXp
    46FEPvi7VNCxrSwJHhY/iXRcmVT6HkepBd9QJiUXUY2oAqiGsoO7hE0QDKXTHFY/
    XsnZBo+MK3cPbFBsUGOmwvAu8oFKhaKXHDayur48IMRfB/mu3HbG3m6QxY4uHUs=
    -----END ENCRYPTED PRIVATE KEY-----

    """,
    "aes128-sha224": """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi8yJZByWU7bwICCAAw
    DAYIKoZIhvcNAggFADAdBglghkgBZQMEAQIEEJJnA+hw86cO/cyLeoiuYSwEgZCH
    CATTirMLAyE6q0YQC32YMSlt3ciJSsZp3VwrISrI8uFKQ/UbLoYkV1FnvKRGifwl
    Hguc7anyJQsR/2cEcPFIbkRZoHNnW2b8nKvJN+U2MqWM49DYdLp8mDxDSE+NM/hq
    C4xjpELg09QvBMYysyQLJ/WGsAQovrZVV9DE8xB1e0gRkaI8PUVfAF66XqVsuTk=
    -----END ENCRYPTED PRIVATE KEY-----

    """,
    "dek-aes256": """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-256-CBC,853294B1BD0231531E1A14A060313560

    HDkN99k+RlFmOtGe6JzLEAP3xKBY5uIKUw4OZkerK6bHC0mOS7u6SilooCX9opRA
    LVLn4IC82Z6WJvVWdPJJCIqkN33WYFopHMzQDkV3qDMsG+TFM6GzgybHAkXdcaNN
    wHkKaa1cTk9JDbkIVCpM6qjRitnNyZnFOl68hTPNNes=
    -----END EC PRIVATE KEY-----

    """,
    "dek-aes192": """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-192-CBC,B54FD7DB294077E445A994FBE296D574

    3OtFPN2+xza1Fhag+9ifxvO19bin6mbadRAybU1ycM1zRWEYDY48uv/ZKKZA4GkA
    xW0Hqcz2gj3yM1dgNiMQDt7KX/TF/VJMxClce/xng6Vo1GGSgolH9iCVjd2SbyVb
    m7EzQL64tK/zNKrRnwO4K3wLbzVfOhfT97mvQqDKLHQ=
    -----END EC PRIVATE KEY-----

    """,
  ]
}
