// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// Signatures of RSA and ECDSA keys: signing, verification and unsupported keys.
final class SigningKeyTests: XCTestCase {
  func testSignatureVerifies() throws {
    let key = try PrivateKey.generateRSA(bits: 2_048)
    let message = Array("payload".utf8)
    let signature = try key.sign(message, with: .rsaPKCS1(.sha512))
    XCTAssertEqual(signature.count, 256)
    let pem = try XCTUnwrap(key.publicKey.pem)
    let publicKey = try PublicKey(pem: pem)
    XCTAssertEqual(publicKey.kind, .rsa(bits: 2_048))
    XCTAssertEqual(publicKey.pem, pem)
    XCTAssertTrue(publicKey.verify(signature, of: message, with: .rsaPKCS1(.sha512)))
    XCTAssertFalse(publicKey.verify(signature, of: message + [0], with: .rsaPKCS1(.sha512)))
    XCTAssertFalse(publicKey.verify(Array(signature.dropLast()), of: message, with: .rsaPKCS1(.sha512)))
    XCTAssertFalse(publicKey.verify([], of: message, with: .rsaPKCS1(.sha512)))
    let other = try PrivateKey.generateRSA(bits: 2_048).publicKey
    XCTAssertFalse(other.verify(signature, of: message, with: .rsaPKCS1(.sha512)))
  }

  func testKeyOfAnotherKindDoesNotSign() throws {
    let key = try PrivateKey.generateECDSA(.nistp256)
    for algorithm: SignatureAlgorithm in [.rsaPKCS1(.sha512), .rsaPSS(.sha256), .ecdsa(.nistp384, .sha384)] {
      XCTAssertThrowsError(try key.sign([1], with: algorithm)) { XCTAssertEqual($0 as? KeyError, .unsupportedKind) }
    }
    XCTAssertFalse(key.publicKey.verify([1], of: [1], with: .rsaPKCS1(.sha512)))
  }

  /// The public key of OSS, which is published at <https://gosspublic.alicdn.com/callback_pub_key_v1.pem>, and the example
  /// of the page "Callback", <https://www.alibabacloud.com/help/en/oss/developer-reference/callback>.
  func testSignatureOfOSSVerifies() throws {
    let key = try PublicKey(
      pem: """
        -----BEGIN PUBLIC KEY-----
        MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKs/JBGzwUB2aVht4crBx3oIPBLNsjGs
        C0fTXv+nvlmklvkcolvpvXLTjaxUHR3W9LXxQ2EHXAJfCB+6H2YF1k8CAwEAAQ==
        -----END PUBLIC KEY-----
        """)
    XCTAssertEqual(key.kind, .rsa(bits: 512))
    let signature = try XCTUnwrap(
      [UInt8](base64: "kKQeGTRccDKyHB3H9vF+xYMSrmhMZjzzl2/kdD1ktNVgbWEfYTQG0G2SU/RaHBovRCE8OkQDjC3uG33esH2txA=="))
    let message = Array("/index.php?id=1&index=2\nbucket=yonghu-test".utf8)
    XCTAssertTrue(key.verify(signature, of: message, with: .rsaPKCS1MD5))
    XCTAssertFalse(key.verify(signature, of: message + [0], with: .rsaPKCS1MD5))
    XCTAssertFalse(key.verify(signature, of: message, with: .rsaPKCS1(.sha256)))
    for index in [0, 63] {
      var other = signature
      other[index] ^= 1
      XCTAssertFalse(key.verify(other, of: message, with: .rsaPKCS1MD5))
    }
    XCTAssertFalse(key.verify([0] + signature, of: message, with: .rsaPKCS1MD5))
    XCTAssertFalse(key.verify([UInt8](repeating: 0xff, count: 64), of: message, with: .rsaPKCS1MD5))
    XCTAssertFalse(key.verify([UInt8](repeating: 0, count: 64), of: message, with: .rsaPKCS1MD5))
  }

  func testEachAlgorithmVerifiesItsOwnSignaturesOnly() throws {
    let rsa = try PrivateKey.generateRSA(bits: 2_048)
    let message = Array("payload".utf8)
    var cases: [(PrivateKey, SignatureAlgorithm, Int)] = []
    for hash in SignatureHash.allCases {
      cases += [(rsa, .rsaPKCS1(hash), 256), (rsa, .rsaPSS(hash), 256)]
    }
    cases.append((rsa, .rsaPKCS1MD5, 256))
    for (curve, hash) in zip(EllipticCurve.allCases, SignatureHash.allCases) {
      let key = try PrivateKey.generateECDSA(curve)
      cases.append((key, .ecdsa(curve, hash), 2 * curve.coordinateByteCount))
    }
    for (key, algorithm, count) in cases {
      let signature = try key.sign(message, with: algorithm)
      XCTAssertEqual(signature.count, count, "\(algorithm)")
      for (_, other, _) in cases {
        XCTAssertEqual(
          key.publicKey.verify(signature, of: message, with: other), other == algorithm, "\(algorithm) as \(other)")
      }
      XCTAssertFalse(key.publicKey.verify(signature, of: message + [0], with: algorithm), "\(algorithm)")
      XCTAssertFalse(key.publicKey.verify(signature + [0], of: message, with: algorithm), "\(algorithm)")
    }
  }

  /// A disposable key of 512 bits.
  private static let shortKey = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIBOQIBAAJBAM7aHrV+rZJS04OMoKL3oUzmiyR+rro6bSUv/V+SAKq1FEL8tAVw
    ruvXIiYg1+qrvlddtpqjmNhiG/StjWfQ/SMCAwEAAQJAJiS4pvUuIp5dXJOxB3ws
    ZVbZ76fgpnyhpcrcqSPuNYwLs0mc7YAW1fREP9AQIOhyHGFaPaVVeJRX0lvUNJNd
    6QIhAPEmChLIAG2lUXvv4B8WWyE4BUyevXoiIJHECD/OLDldAiEA25db/a5zclBZ
    VFun6DIfnc3SgFUW7Hz6+EPCrCHyKH8CIHun6+ZxlHalHUGWYbDPP++q0FzX0YV9
    VoIoqao+SMMpAiAEikWZoiC67VRbfSWklFy4+4dtpdS6gP8DYQtGWdFS6wIgDwTW
    lbRmXgcRjZh13OQqu/twSK3OmK6ZowZJUNpj9fM=
    -----END RSA PRIVATE KEY-----
    """

  func testKeyTooShortForTheHashIsRejected() throws {
    let key = try PrivateKey(pem: Self.shortKey)
    XCTAssertEqual(key.kind, .rsa(bits: 512))
    XCTAssertThrowsError(try key.sign([1], with: .rsaPKCS1(.sha512))) { XCTAssertEqual($0 as? KeyError, .failed) }
  }
}
