// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import AsyncHTTPTransport
import Foundation
import FoundationTransport
import HTTPTypes
import NIOHTTP1
import S3Auth
import StorageAuth
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests the fields that sign requests of URLSession, SwiftNIO and AsyncHTTPClient.
final class ForeignRequestTests: XCTestCase {
  private let signer = S3Signer(region: "eu-central-1")
  private let key = AccessKey(id: "AKIDEXAMPLE", secret: "secret", sessionToken: "token")
  private let context = SigningContext.at(Timestamp(unixSeconds: 1_795_161_600))

  private struct Parts {
    let method: String
    let scheme: String
    let authority: String
    let path: String
    let fields: [(name: String, value: String)]

    var url: String { "\(scheme)://\(authority)\(path)" }
  }

  private let requests = [
    Parts(method: "GET", scheme: "https", authority: "photos.s3.eu-central-1.amazonaws.com", path: "/", fields: []),
    Parts(
      method: "PUT", scheme: "http", authority: "127.0.0.1:9000",
      path: "/photos/a%20b/%E6%97%A5?partNumber=2&uploadId=x",
      fields: [("Content-Type", "image/jpeg"), ("X-Amz-Meta-Author", "a  b"), ("Range", "bytes=0-1")]),
    Parts(method: "DELETE", scheme: "http", authority: "[::1]:9000", path: "/photos/cat.jpg?versionId=1", fields: []),
  ]

  private func fields(for request: some SignableRequest) throws -> [HTTPField] {
    try signer.fields(for: request, with: key, in: context).map { HTTPField(name: $0.name, value: $0.value) }
  }

  private func expected(_ parts: Parts) throws -> [HTTPField] {
    var fields = HTTPFields()
    for (name, value) in parts.fields { fields.append(HTTPField(name: try XCTUnwrap(.init(name)), value: value)) }
    let request = HTTPRequest(
      method: try XCTUnwrap(.init(parts.method)), scheme: parts.scheme, authority: parts.authority, path: parts.path,
      headerFields: fields)
    return try self.fields(for: request)
  }

  // matrix: S3 V4: header
  func testFieldsAreThoseOfTheSameHTTPRequest() throws {
    for parts in requests {
      let expected = try expected(parts)
      XCTAssertEqual(
        expected.map(\.name.canonicalName),
        ["x-amz-date", "x-amz-content-sha256", "x-amz-security-token", "authorization"])

      var foundation = URLRequest(url: try XCTUnwrap(URL(string: parts.url)))
      foundation.httpMethod = parts.method
      for (name, value) in parts.fields { foundation.setValue(value, forHTTPHeaderField: name) }
      XCTAssertEqual(try fields(for: foundation), expected, parts.url)

      var client = HTTPClientRequest(url: parts.url)
      client.method = HTTPMethod(rawValue: parts.method)
      client.headers = HTTPHeaders(parts.fields)
      XCTAssertEqual(try fields(for: client), expected, parts.url)

      var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: parts.method), uri: parts.path)
      head.headers = HTTPHeaders(parts.fields + [("HOST", parts.authority)])
      XCTAssertEqual(try fields(for: head), expected, parts.url)
    }
  }

  func testURLIsDividedAsItIsSent() throws {
    for (url, authority, path) in [
      ("http://user:p@ss@host:1/a?b#c", "host:1", "/a?b"), ("https://host", "host", "/"),
      ("https://host?a", "host", "/?a"),
      ("https://host#a", "host", "/"), ("https://host/a@b:c", "host", "/a@b:c"),
    ] {
      let request = HTTPClientRequest(url: url)
      XCTAssertEqual(request.authority, authority, url)
      XCTAssertEqual(request.path, path, url)
    }
    let relative = HTTPClientRequest(url: "/a")
    XCTAssertNil(relative.authority)
    XCTAssertThrowsError(try signer.fields(for: relative, with: key, in: context)) {
      XCTAssertEqual(($0 as? SigningError)?.code, .invalidRequest)
    }
  }

  func testFieldThatMustGoIsNamed() throws {
    var request = HTTPClientRequest(url: "https://photos.s3.eu-central-1.amazonaws.com/cat.jpg")
    request.headers = ["X-Amz-Security-Token": "old"]
    let permanent = AccessKey(id: "AKIDEXAMPLE", secret: "secret")
    XCTAssertThrowsError(try signer.fields(for: request, with: permanent, in: context)) {
      XCTAssertEqual(($0 as? SigningError)?.code, .invalidHeader)
      XCTAssertTrue("\($0)".contains("x-amz-security-token"), "\($0)")
    }
    XCTAssertEqual(try signer.fields(for: request, with: key, in: context).count, 4)
    XCTAssertTrue(try signer.fields(for: request, with: .anonymous, in: context).isEmpty)
  }

  func testPartsThatCannotBeSentAreRejected() {
    var request = HTTPClientRequest(url: "https://photos.s3.eu-central-1.amazonaws.com/cat.jpg")
    for (name, value) in [("a b", "c"), ("x-amz-meta-a", "b\r\nc: d"), ("x-amz-meta-a", " b"), ("Host", "other")] {
      request.headers = HTTPHeaders([(name, value)])
      XCTAssertThrowsError(try signer.fields(for: request, with: key, in: context), value) {
        XCTAssertEqual(($0 as? SigningError)?.code, .invalidHeader)
      }
    }
    request.headers = [:]
    request.method = HTTPMethod(rawValue: "GE T")
    XCTAssertThrowsError(try signer.fields(for: request, with: key, in: context)) {
      XCTAssertEqual(($0 as? SigningError)?.code, .invalidRequest)
    }
  }
}
