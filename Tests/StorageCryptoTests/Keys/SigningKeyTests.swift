// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// RSA signatures: signing, verification and unsupported keys.
final class SigningKeyTests: XCTestCase {
  func testSignatureVerifies() throws {
    let key = try PrivateKey.generateRSA(bits: 2_048)
    let message = Array("payload".utf8)
    let signature = try key.sign(rsaSHA512: message)
    XCTAssertEqual(signature.count, 256)
    let pem = try XCTUnwrap(key.publicKey.pem)
    let publicKey = try PublicKey(pem: pem)
    XCTAssertEqual(publicKey.kind, .rsa(bits: 2_048))
    XCTAssertEqual(publicKey.pem, pem)
    XCTAssertTrue(publicKey.verify(rsaSHA512: signature, of: message))
    XCTAssertFalse(publicKey.verify(rsaSHA512: signature, of: message + [0]))
    XCTAssertFalse(publicKey.verify(rsaSHA512: Array(signature.dropLast()), of: message))
    XCTAssertFalse(publicKey.verify(rsaSHA512: [], of: message))
    XCTAssertFalse(try PrivateKey.generateRSA(bits: 2_048).publicKey.verify(rsaSHA512: signature, of: message))
  }

  func testOnlyRSAKeysSign() throws {
    let key = try PrivateKey.generateECDSA(.nistp256)
    XCTAssertThrowsError(try key.sign(rsaSHA512: [1])) { XCTAssertEqual($0 as? KeyError, .unsupportedKind) }
    XCTAssertFalse(key.publicKey.verify(rsaSHA512: [1], of: [1]))
  }

  func testKeyTooShortForTheHashIsRejected() throws {
    let key = try PrivateKey.generateRSA(bits: 512)
    XCTAssertThrowsError(try key.sign(rsaSHA512: [1])) { XCTAssertEqual($0 as? KeyError, .failed) }
  }
}
