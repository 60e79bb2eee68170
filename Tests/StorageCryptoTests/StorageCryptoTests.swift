// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// The cryptographic primitives against the published answers of their standards.
final class StorageCryptoTests: XCTestCase {
  func testHashesMatchTheirStandards() {
    let abc = Array("abc".utf8)
    XCTAssertEqual(SHA1.hash(abc).hex, "a9993e364706816aba3e25717850c26c9cd0d89d")
    XCTAssertEqual(SHA256.hash(abc).hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    XCTAssertEqual(
      SHA512.hash(abc).hex,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    XCTAssertEqual(
      SHA384.hash(abc).hex,
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    XCTAssertEqual(MD5.hash(abc).hex, "900150983cd24fb0d6963f7d28e17f72")
    XCTAssertEqual(SHA256.hash([]).hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    XCTAssertEqual(SHA1.hash(million).hex, "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
  }

  func testIncrementalHashingGivesTheSameDigest() {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = SHA256.hash(bytes).hex
    for size in [1, 63, 64, 65, 1023, 1024, 1025] {
      let written = SHA256.hash(writing: { writer in
        for start in stride(from: 0, to: bytes.count, by: size) {
          writer.append(Array(bytes[start..<min(start + size, bytes.count)]))
        }
      })
      XCTAssertEqual(written.hex, whole, "pieces of \(size)")
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.update(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      XCTAssertEqual(hash.finalize().hex, whole, "updates of \(size)")
    }
  }

  /// RFC 2202, section 3.
  func testHMACMatchesRFC2202() {
    let cases: [(key: [UInt8], data: [UInt8], expected: String)] = [
      ([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
      (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
      (
        [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
        "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
      ),
      (Array(1...25), [UInt8](repeating: 0xcd, count: 50), "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
      (
        [UInt8](repeating: 0x0c, count: 20), Array("Test With Truncation".utf8),
        "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"
      ),
      (
        [UInt8](repeating: 0xaa, count: 80), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "aa4ae5e15272d00e95705637ce8a3b55ed402112"
      ),
      (
        [UInt8](repeating: 0xaa, count: 80),
        Array("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data".utf8),
        "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"
      ),
    ]
    for (index, test) in cases.enumerated() {
      let key = HMACKey<SHA1>(test.key)
      XCTAssertEqual(key.authenticationCode(for: test.data).hex, test.expected, "case \(index + 1)")
      XCTAssertEqual(
        key.authenticationCode(for: test.data).hex, test.expected, "case \(index + 1), key used again")
      assertStarts(key, test.data, test.expected)
    }
  }

  /// Checks a key that has hashed the start of a message, for every start, and twice for the end.
  private func assertStarts<Hash>(_ key: HMACKey<Hash>, _ message: [UInt8], _ expected: String) {
    for count in 0...message.count {
      let started = key.startingMessages { $0.append(Array(message[..<count])) }
      for _ in 0..<2 {
        XCTAssertEqual(started.authenticationCode(for: Array(message[count...])).hex, expected, "\(count) bytes")
      }
    }
  }

  /// RFC 4231, section 4.
  func testHMACMatchesRFC4231() {
    let cases: [(key: [UInt8], data: [UInt8], expected: String)] = [
      (
        [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        Array(1...25), [UInt8](repeating: 0xcd, count: 50),
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131),
        Array(
          "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
            .utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
      ),
    ]
    for (index, test) in cases.enumerated() {
      let key = HMACKey<SHA256>(test.key)
      XCTAssertEqual(key.authenticationCode(for: test.data).hex, test.expected, "case \(index + 1)")
      assertStarts(key, test.data, test.expected)
    }
  }

  /// The check values of the [catalogue](https://reveng.sourceforge.io/crc-catalogue/all.htm), and S3's base64 form.
  func testCRCsMatchTheirCatalogue() {
    let expected: [(CRC.Algorithm, UInt64, String)] = [
      (.crc32, 0xCBF4_3926, "y/Q5Jg=="), (.crc32c, 0xE306_9283, "4waSgw=="),
      (.crc64ECMA, 0x995D_C9BB_DF19_39FA, "mV3Ju98ZOfo="), (.crc64NVME, 0xAE8B_1486_0A79_9888, "rosUhgp5mIg="),
    ]
    XCTAssertEqual(Set(expected.map(\.0)), Set(CRC.Algorithm.allCases))
    for (algorithm, checksum, base64) in expected {
      var crc = CRC(algorithm)
      crc.update(Array("123456789".utf8))
      XCTAssertEqual(crc.checksum, checksum, "\(algorithm)")
      XCTAssertEqual(String(writing: { $0.append(base64: crc.bytes) }), base64, "\(algorithm)")
      XCTAssertEqual(CRC(algorithm).checksum, 0, "\(algorithm)")
    }
  }

  func testIncrementalAndCombinedCRCsAreEqual() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    for algorithm in CRC.Algorithm.allCases {
      var whole = CRC(algorithm)
      whole.update(bytes)
      for cut in [0, 1, 7, 8, 9, 500, 999, 1000] {
        let (head, tail) = (Array(bytes[..<cut]), Array(bytes[cut...]))
        var pieces = CRC(algorithm)
        pieces.update(head)
        let first = pieces.checksum
        var second = CRC(algorithm)
        second.update(tail)
        pieces.update(tail)
        XCTAssertEqual(pieces.checksum, whole.checksum, "\(algorithm) split at \(cut)")
        XCTAssertEqual(
          CRC.combine(first, second.checksum, byteCount: UInt64(tail.count), algorithm), whole.checksum,
          "\(algorithm) combined at \(cut)")
      }
    }
  }

  func testHexAndBase64MatchRFC4648() {
    let cases = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
    ]
    for (text, encoded) in cases {
      let bytes = Array(text.utf8)
      XCTAssertEqual(String(writing: { $0.append(base64: bytes) }), encoded)
      XCTAssertEqual([UInt8](base64: encoded), bytes)
    }
    for malformed in ["Zg", "Zg=", "Zh==", "Z===", "Zg==Zg==", "Zm9v\n", "Zm-_"] {
      XCTAssertNil([UInt8](base64: malformed), malformed)
    }
    XCTAssertEqual([UInt8](hex: "00fFa0"), [0, 255, 160])
    XCTAssertNil([UInt8](hex: "0"))
    XCTAssertNil([UInt8](hex: "0g"))
    XCTAssertEqual(String(writing: { $0.append(hex: [UInt8]([0, 255, 160])) }), "00ffa0")
  }

  func testConstantTimeComparison() {
    XCTAssertTrue(constantTimeEqual("abc", "abc"))
    XCTAssertFalse(constantTimeEqual("abc", "abd"))
    XCTAssertFalse(constantTimeEqual("abc", "abcd"))
    XCTAssertTrue(constantTimeEqual("", ""))
  }

  func testPercentEncoding() {
    XCTAssertEqual("a b/ü~*'()!+%".percentEncoded(), "a%20b%2F%C3%BC~%2A%27%28%29%21%2B%25")
    XCTAssertEqual("a b/ü".percentEncoded(.path), "a%20b/%C3%BC")
    XCTAssertEqual("a%2fb+c".percentDecodedBytes(), Array("a/b+c".utf8))
    XCTAssertEqual("a+b".percentDecodedBytes(plusIsSpace: true), Array("a b".utf8))
    for broken in ["%", "%2", "%zz", "a%2"] { XCTAssertNil(broken.percentDecodedBytes(), broken) }
  }

  func testSecretBytesAreWipedOnRelease() {
    let observed = Observed()
    SecretBytes.$wipeObserver.withValue({ observed.append($0) }) {
      var secret: SecretBytes? = SecretBytes(Array("correct horse".utf8))
      XCTAssertEqual(secret?.withBytes { $0.count }, 13)
      secret = nil
    }
    XCTAssertEqual(observed.all, [[UInt8](repeating: 0, count: 13)])
  }
}

private final class Observed: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [[UInt8]] = []
  func append(_ value: [UInt8]) { lock.withLock { values.append(value) } }
  var all: [[UInt8]] { lock.withLock { values } }
}
