// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Parsing of bucket, key and parameters from a request.
final class RequestTargetTests: XCTestCase {
  private func target(_ host: String, _ path: String, style: AddressingStyle? = nil) throws -> RequestTarget {
    try RequestTarget(
      of: HTTPRequest(method: .get, scheme: "https", authority: host, path: path), style: style,
      hosts: ServiceHosts(label: "store", otherLabel: "shelf", domain: ".acme.example", labelCount: 3))
  }

  func testBucketAndKeyAreParsedByAddressingStyle() throws {
    let cases: [(String, String, AddressingStyle?, String?, String?)] = [
      ("photos.x.acme.example", "/a/b", nil, "photos", "a/b"), ("x.acme.example", "/", nil, nil, nil),
      ("X.Acme.Example:443", "/", nil, nil, nil), ("photos.x.acme.example", "/", nil, "photos", nil),
      ("store.x.acme.example", "/", nil, "store", nil), ("a.b.x.acme.example", "/", nil, "a", nil),
      ("acme.example", "/", nil, "acme", nil), ("photos-1.store.example.com", "/a", nil, "photos-1", "a"),
      ("Store.example.com", "/", nil, nil, nil), ("shelf.example.com", "/", nil, nil, nil),
      ("shelf", "/", nil, nil, nil),
      ("127.0.0.1:9000", "/photos/a/b", nil, "photos", "a/b"), ("127.0.0.1", "/photos", nil, "photos", nil),
      ("127.0.0.1", "/photos/", nil, "photos", nil), ("localhost", "/", nil, nil, nil),
      ("[::1]:1", "/photos//a", nil, "photos", "/a"),
      ("127.0.0.1", "/photos%2Fa", nil, "photos", "a"), ("127.0.0.1", "/ph%6ftos/a", nil, "photos", "a"),
      ("photos.localhost:9000", "/a", nil, "photos", "a"),
      ("img.example.com", "/a", .customDomain, "img.example.com", "a"),
      ("example.com", "/photos/a", .path, "photos", "a"),
      ("photos.example.com", "/%E4%B8%AD%2B+%20", nil, "photos", "中++ "),
    ]
    for (host, path, style, bucket, key) in cases {
      let target = try target(host, path, style: style)
      XCTAssertEqual(target.bucket?.string, bucket, "\(host)\(path)")
      XCTAssertEqual(target.key?.string, key, "\(host)\(path)")
    }
  }

  func testParametersKeepTheirOrder() throws {
    let parameters = try target("a.b.c", "/?b=1&a&c=&d=x=y&&e=%26+%2B&b=2&%61=3").parameters
    let expected: [(String, String?)] = [
      ("b", "1"), ("a", nil), ("c", ""), ("d", "x=y"), ("e", "& +"), ("b", "2"), ("a", "3"),
    ]
    XCTAssertEqual(parameters, expected.map { RequestTarget.Parameter(name: $0.0, value: $0.1) })
    let target = RequestTarget(bucket: nil, key: nil, parameters: parameters)
    XCTAssertEqual(target["b"], "1")
    XCTAssertEqual(target["a"], "")
    XCTAssertNil(target["z"])
    XCTAssertTrue(target.contains("c"))
    XCTAssertFalse(target.contains("C"))
  }

  func testAmbiguousRequestIsRejected() throws {
    for path in [
      "", "a", "*", "/%", "/%4", "/%zz", "/\u{e9}", "/a b", "/a#b", "/%ff", "/?%ff=1", "/?a=%ff", "/\u{7f}a",
    ] {
      XCTAssertThrowsError(try target("a.b.c", path), path)
    }
    XCTAssertThrowsError(try RequestTarget(of: HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")))
  }

  func testDescriptionsMaskTokensAndSignatures() {
    for name in ["security-token", "X-OSS-Security-Token", "x-cos-security-token", "Signature", "q-signature", "sign"] {
      let target = RequestTarget(bucket: "a", key: "b", parameters: [.init(name: name, value: "marker")])
      var dumped = ""
      dump(target, to: &dumped)
      for text in ["\(target)", "\(target.parameters)", String(reflecting: target), dumped] {
        XCTAssertFalse(text.contains("marker"), text)
      }
      XCTAssertEqual(target[ByteExactString(name)], "marker")
    }
    XCTAssertEqual("\(RequestTarget.Parameter(name: "acl", value: nil))", "acl")
    XCTAssertEqual("\(RequestTarget.Parameter(name: "prefix", value: "a/"))", "prefix=a/")
  }
}
