// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Masking of secrets in texts that are logged or shown.
final class SecretMaskTests: XCTestCase {
  private func masked(_ text: String, _ secrets: String...) -> String {
    SecretMask(secrets.map { Secret($0) }).applied(to: text)
  }

  func testSecretIsMaskedInEveryEncoding() {
    let secret = "a/b+c=="
    let spellings = [
      secret, "a%2Fb%2Bc%3D%3D", "a%2fb%2bc%3d%3d", "a%252Fb%252Bc%253D%253D", "a%252fb%252bc%253d%253d",
    ]
    for spelling in spellings {
      XCTAssertEqual(masked("x\(spelling)y\(spelling)", secret), "x\(Secret.mask)y\(Secret.mask)", spelling)
    }
    XCTAssertEqual(masked("a/b+c=", secret), "a/b+c=")
    XCTAssertEqual(masked("\u{E9}\(secret)\u{301}", secret), "\u{E9}\(Secret.mask)\u{301}")
  }

  func testMaskIsNotMaskedAgain() {
    XCTAssertEqual(masked("tokentoken", "token", "redacted", Secret.mask, "dact"), "\(Secret.mask)\(Secret.mask)")
    var text = "token"
    for _ in 0..<100 { text = masked(text, "token", "redacted") }
    XCTAssertLessThan(text.utf8.count, 1000, "repeated masking keeps the length bounded")
  }

  func testOverlappingSecretsAreMaskedTogether() {
    XCTAssertEqual(masked("xabcdefy", "abcd", "cdef"), "x\(Secret.mask)y")
    XCTAssertEqual(masked("xabcdefy", "abcdef", "bcde"), "x\(Secret.mask)y")
    XCTAssertEqual(masked("xaaaaaaay", "aaaa"), "x\(Secret.mask)y")
    XCTAssertEqual(masked("abcdefgh", "abcd", "efgh"), "\(Secret.mask)\(Secret.mask)")
    XCTAssertEqual(masked("abcXabcdXcde", "abcd", "abcX", "dXcd"), "\(Secret.mask)\(Secret.mask)e")
  }

  func testTooShortSecretsAreIgnored() {
    XCTAssertEqual(SecretMask.minimumByteCount, 4)
    XCTAssertEqual(masked("GET /e/abc", "e", "", "abc", " ab "), "GET /e/abc")
    XCTAssertEqual(masked("GET /abcd", "abcd"), "GET /\(Secret.mask)")
  }

  func testLinesOfASecretAreMaskedWithoutWhiteSpaceAndScheme() {
    XCTAssertEqual(masked("one: first2", "first1\nfirst2\r\n\n"), "one: \(Secret.mask)")
    XCTAssertEqual(masked("[token]", " \ttoken  "), "[\(Secret.mask)]")
    XCTAssertEqual(masked("got dXNlcg==", "Basic dXNlcg=="), "got \(Secret.mask)")
    XCTAssertEqual(masked("got dXNlcg==", "bearer  dXNlcg=="), "got \(Secret.mask)")
  }

  func testMaskingAgreesWithAnExhaustiveSearch() {
    // Every text of eight letters over a two-letter alphabet, against every set of two secrets of four letters.
    let letters = ["a", "b"]
    func words(_ count: Int) -> [String] {
      (0..<count).reduce([""]) { words, _ in words.flatMap { word in letters.map { word + $0 } } }
    }
    let secrets = words(4)
    for text in words(8) {
      let bytes = Array(text)
      for (first, second) in zip(secrets, secrets.dropFirst(3)) {
        var hidden = Array(repeating: false, count: 8)
        for secret in [first, second] {
          for start in 0...4 where bytes[start..<start + 4].elementsEqual(secret) {
            for index in start..<start + 4 { hidden[index] = true }
          }
        }
        let shown = masked(text, first, second).replacing(Secret.mask, with: "")
        XCTAssertEqual(shown, String(zip(bytes, hidden).filter { !$1 }.map(\.0)), "\(text) \(first) \(second)")
      }
    }
  }

  func testValuesOfSecretHeadersAndParametersAreMasked() {
    let cases = [
      ("x-cos-security-token:e\nx:y", "x-cos-security-token:*\nx:y"),
      ("GET\n/b/k?acl&security-token=a:b/c&uploads", "GET\n/b/k?acl&security-token=*&uploads"),
      ("X-Oss-Security-Token:a&b=c\n", "X-Oss-Security-Token:*\n"),
      ("x-oss-meta-security-token:t", "x-oss-meta-security-token:*"), ("a=b&x-tc-token=t", "a=b&x-tc-token=*"),
      ("x%2doss%2Dsecurity-token=t&u=v", "x%2doss%2Dsecurity-token=*&u=v"),
      ("authorization:OSS a:b\nc", "authorization:*\nc"),
      ("q-signature=abc", "q-signature=*"), ("x-cos-security-token=", "x-cos-security-token="),
      ("x-cos-security-token:\nhost:h", "x-cos-security-token:\nhost:h"), ("count:5", "count:5"), ("", ""),
      ("security-token", "security-token"), ("\(String(repeating: "n", count: 500))-security-token:t\nz", nil),
    ]
    for (text, expected) in cases {
      let shown = SecretMask.namedValues.applied(to: text)
      let wanted = expected ?? text.replacing(":t", with: ":*")
      XCTAssertEqual(shown, wanted.replacing("*", with: Secret.mask), text)
    }
    let unknown = [
      "X-Acme-Session-Token", "x-amz-security-token", "X-Amz-Signature", "x-acme-secret-key", "userpassword",
      "x-acme-credentials", "proxy-authorization", "x-obs-security-token", "signature", "sign", "SIGN", "q-signature",
      "x-amz-server-side-encryption-customer-key", "X-Cos-Server-Side-Encryption-Customer-Key",
      "x-amz-copy-source-server-side-encryption-customer-key",
    ]
    for name in unknown {
      XCTAssertTrue(SecretName.isSecret(name), name)
      XCTAssertEqual(SecretMask.namedValues.applied(to: "\(name):v\nw"), "\(name):\(Secret.mask)\nw", name)
    }
    let shown = [
      "x-oss-signature-version", "SignatureMethod", "signaturenonce", "continuation-token", "X-Amz-Credential",
      "x-amz-signedheaders", "q-sign-algorithm", "key", "x-acme-pin", "x-cos-server-side-encryption-customer-key-md5",
      "x-amz-server-side-encryption-customer-algorithm",
    ]
    for name in shown { XCTAssertEqual(SecretMask.namedValues.applied(to: "\(name):v"), "\(name):v", name) }
    SecretName.declare("X-Acme-Declared")
    XCTAssertEqual(SecretMask.namedValues.applied(to: "x-acme-declared=v"), "x-acme-declared=\(Secret.mask)")
    let both = SecretMask([Secret("abcdef")], masksNamedValues: true)
    XCTAssertEqual(
      both.applied(to: "x-security-token:abcdefg\nm:abcdef"), "x-security-token:\(Secret.mask)\nm:\(Secret.mask)")
  }

  func testTextIsTruncatedAtACharacterBoundary() {
    XCTAssertEqual("abc".shortened(to: 3), "abc")
    XCTAssertEqual("abcd".shortened(to: 3), "abc… (4 bytes)")
    XCTAssertEqual("a\u{E9}\u{E9}".shortened(to: 2), "a… (5 bytes)")
    XCTAssertEqual("\u{1F600}".shortened(to: 3), "… (4 bytes)")
  }

  func testSubstringIsFoundByItsBytes() {
    for (text, part, isThere) in [
      ("aabaabaaa", "aabaaa", true), ("abab", "abb", false), ("", "a", false), ("a", "", true), ("aaab", "aab", true),
      ("e\u{301}", "\u{E9}", false), ("*\u{301}", "*", true), ("abcabcabd", "abcabd", true), ("ab", "abc", false),
    ] {
      XCTAssertEqual(text.containsBytes(of: part), isThere, "\(text) \(part)")
    }
  }
}
