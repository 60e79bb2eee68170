// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Parsing of service endpoints, and the requests that are built from them.
final class ServiceEndpointTests: XCTestCase {
  private func path(_ key: String) throws -> String? {
    try ServiceEndpoint("https://example.com").request(.get, bucket: "photos", key: key).path
  }

  func testEndpointURLsAreParsed() throws {
    let cases: [(String, String, String, AddressingStyle)] = [
      ("https://oss-cn-hangzhou.aliyuncs.com", "https", "oss-cn-hangzhou.aliyuncs.com", .virtualHosted),
      ("oss-cn-hangzhou.aliyuncs.com", "https", "oss-cn-hangzhou.aliyuncs.com", .virtualHosted),
      ("HTTP://Example.COM/", "http", "example.com", .virtualHosted),
      ("http://127.0.0.1:9000", "http", "127.0.0.1:9000", .path),
      ("http://localhost:9000/", "http", "localhost:9000", .path), ("localhost", "https", "localhost", .path),
      ("http://[::1]:9000", "http", "[::1]:9000", .path), ("https://10.0.0.8", "https", "10.0.0.8", .path),
      ("https://1.2.3.4.example.com", "https", "1.2.3.4.example.com", .virtualHosted),
      ("https://a_b.example.com:65535", "https", "a_b.example.com:65535", .virtualHosted),
    ]
    for (text, scheme, authority, style) in cases {
      let endpoint = try ServiceEndpoint(text)
      XCTAssertEqual(endpoint.scheme, scheme, text)
      XCTAssertEqual(endpoint.authority, authority, text)
      XCTAssertEqual(endpoint.style, style, text)
    }
    XCTAssertEqual(try ServiceEndpoint("http://127.0.0.1", style: .customDomain).style, .customDomain)
  }

  func testMalformedEndpointIsRejectedWithoutRepeatingIt() throws {
    for text in [
      "", "https://", "ftp://example.com", "://example.com", "https://example.com/path", "https://example.com?a=b",
      "https://user:marker@example.com", "https://example.com/?Signature=marker", "https://example.com:",
      "https://example.com:0",
      "https://example.com:65536", "https://example.com:80:80", "https://example.com:x", "https://:80", "https://a b",
      "https://a\nb", "https://é.com", "https://[::1", "https://::1", "https://[]", "https://[g]",
      "https://example.com#a",
      "https://http://example.com", "https://example.com//",
    ] {
      let error = try signingError { () throws(SigningError) in try ServiceEndpoint(text) }
      XCTAssertEqual(error.code, .invalidConfiguration, text)
      XCTAssertFalse("\(error)".contains("marker"), "\(error)")
    }
  }

  func testOnlyLoopbackHostsAreLoopback() throws {
    for host in ["localhost", "localhost.", "a.localhost:80", "127.0.0.1", "127.255.0.3:9000", "[::1]:80"] {
      XCTAssertTrue(try ServiceEndpoint("http://\(host)").isLoopback, host)
    }
    for host in [
      "127.0.0.1.example.com", "localhost.example.com", "notlocalhost", "128.0.0.1", "[::2]", "127.example.com",
      "127.1", "127.0.0.256",
    ] {
      XCTAssertFalse(try ServiceEndpoint("http://\(host)").isLoopback, host)
    }
  }

  func testAddressingStylePlacesTheBucket() throws {
    let cases: [(AddressingStyle, String, String)] = [
      (.virtualHosted, "photos.example.com", "/a/b%20c?x=%2F&acl"), (.path, "example.com", "/photos/a/b%20c?x=%2F&acl"),
      (.customDomain, "example.com", "/a/b%20c?x=%2F&acl"),
    ]
    for (style, host, path) in cases {
      let endpoint = try ServiceEndpoint("https://example.com", style: style)
      let parameters = [RequestTarget.Parameter(name: "x", value: "/"), .init(name: "acl", value: nil)]
      let request = try endpoint.request(
        .put, bucket: "photos", key: "a/b c", parameters: parameters, headers: [.range: "x"])
      XCTAssertEqual(request.authority, host)
      XCTAssertEqual(request.path, path)
      XCTAssertEqual(request.scheme, "https")
      XCTAssertEqual(request.method, .put)
      XCTAssertEqual(request.headerFields[.range], "x")
      let read = try RequestTarget(of: request, style: style, bucket: style == .customDomain ? "photos" : nil)
      XCTAssertEqual(read, RequestTarget(bucket: "photos", key: "a/b c", parameters: parameters))
      let bucket = try endpoint.request(.get, bucket: "photos")
      XCTAssertEqual(bucket.path, style == .path ? "/photos/" : "/")
      XCTAssertEqual(try endpoint.request(.get, bucket: nil).path, "/")
      XCTAssertEqual(try endpoint.request(.get, bucket: nil).authority, "example.com")
    }
  }

  func testUnusualKeysArePercentEncodedByteForByte() throws {
    let keys = [
      ("a//b", "/a//b"), ("a/../b/./c", "/a/../b/./c"), ("a%2Fb", "/a%252Fb"), ("a+b c", "/a%2Bb%20c"), ("/a", "//a"),
      ("a/", "/a/"),
      ("?a=b&c#d", "/%3Fa%3Db%26c%23d"), ("~-_.", "/~-_."), ("!*'();:@$,[]", "/%21%2A%27%28%29%3B%3A%40%24%2C%5B%5D"),
      ("é", "/%C3%A9"), ("e\u{301}", "/e%CC%81"), ("中", "/%E4%B8%AD"), ("\n\t\u{7f}", "/%0A%09%7F"), ("..", "/.."),
      (".", "/."),
      ("\\", "/%5C"), ("%", "/%25"), (" ", "/%20"),
    ]
    for (key, expected) in keys {
      XCTAssertEqual(try path(key), expected)
      let read = try RequestTarget(of: ServiceEndpoint("https://example.com").request(.get, bucket: "photos", key: key))
      XCTAssertEqual(read.key.map { Array($0.utf8) }, Array(key.utf8))
    }
  }

  func testKeyLengthIsLimitedInBytes() throws {
    XCTAssertNoThrow(try path(String(repeating: "a", count: 1_023)))
    XCTAssertNoThrow(try path(String(repeating: "é", count: 511) + "a"))
    for key in [
      String(repeating: "a", count: 1_024), String(repeating: "é", count: 512), String(repeating: "🚀", count: 256),
    ] {
      let error = try signingError { () throws(SigningError) in
        try ServiceEndpoint("https://example.com").request(.get, bucket: "photos", key: key)
      }
      XCTAssertEqual(error.code, .invalidRequest)
      XCTAssertTrue(error.message.contains("1024"), error.message)
      XCTAssertLessThan(error.description.count, 200, "the error repeats the key")
    }
  }

  func testKeyByteLimitIsConfigurable() throws {
    for limit in [16, 1_024] {
      let endpoint = try ServiceEndpoint("https://example.com", keyByteLimit: limit)
      let longest = String(repeating: "é", count: limit / 2)
      XCTAssertEqual(try endpoint.request(.get, bucket: "photos", key: longest).path?.utf8.count, 1 + 3 * limit)
      let error = try signingError { () throws(SigningError) in
        try endpoint.request(.get, bucket: "photos", key: longest + "a")
      }
      XCTAssertEqual(error.remedy, "Use at most \(limit) bytes.")
    }
  }

  func testInvalidKeysAndBucketsAreRejected() throws {
    for key in ["", "a\0b", "\0"] {
      XCTAssertThrowsError(try path(key), key)
    }
    let endpoint = try ServiceEndpoint("https://example.com")
    for bucket in [
      "", "ab", "Photos", "-photos", "photos-", "pho_tos", "a.b", "photos/a", "pho tos", "photös",
      String(repeating: "a", count: 64),
    ] {
      XCTAssertThrowsError(try endpoint.request(.get, bucket: bucket, key: "a"), bucket)
    }
    XCTAssertNoThrow(try endpoint.request(.get, bucket: String(repeating: "a", count: 63), key: "a"))
    XCTAssertThrowsError(try endpoint.request(.get, bucket: nil, key: "a"))
  }
}
