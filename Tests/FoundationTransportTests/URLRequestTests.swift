// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationTransport
import HTTPTypes
import StorageAuth
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests requests for sessions that the app owns.
final class URLRequestTests: XCTestCase {
  private func presigned(_ url: String, _ headers: HTTPFields = [:]) -> PresignedRequest {
    PresignedRequest(method: .put, url: url, headers: headers, expiration: Timestamp(unixSeconds: 1_795_161_600))
  }

  func testPresignedRequestKeepsItsURLAndHeaders() throws {
    for url in [
      "https://photos.example.com/a%2Fb/%E7%8C%AB.jpg?x-oss-signature=ab%2Bc&x-oss-expires=60",
      "http://127.0.0.1:9000/k?a",
      "https://photos.example.com?Signature=a",
    ] {
      let request = try URLRequest(presigned(url, [.contentType: "image/jpeg"]), bodyByteCount: 3)
      XCTAssertEqual(request.url?.absoluteString, url.replacing(".com?", with: ".com/?"))
      XCTAssertEqual(request.httpMethod, "PUT")
      XCTAssertEqual(request.value(forHTTPHeaderField: "Content-Type"), "image/jpeg")
      XCTAssertEqual(request.value(forHTTPHeaderField: "Content-Length"), "3")
    }
  }

  func testURLThatWouldBeRewrittenIsRefused() {
    for url in ["https://photos.example.com/a/../b?s", "https://PHOTOS.example.com/b", "ftp://a.example.com/", "", "k"]
    {
      XCTAssertThrowsError(try URLRequest(presigned(url)), url) {
        XCTAssertEqual(($0 as? TransportError)?.code, .invalidRequest, url)
      }
    }
  }

  func testSignedLengthMustBeThatOfTheBody() throws {
    var request = HTTPRequest(method: .put, scheme: "https", authority: "photos.example.com", path: "/k")
    request.headerFields[.contentLength] = "3"
    request.headerFields[.authorization] = "OSS a:b"
    XCTAssertEqual(try URLRequest(signed: request).value(forHTTPHeaderField: "Authorization"), "OSS a:b")
    XCTAssertThrowsError(try URLRequest(signed: request, bodyByteCount: 4)) {
      XCTAssertEqual(($0 as? TransportError)?.code, .invalidRequest)
      XCTAssertFalse("\($0)".contains("a:b"))
    }
  }
}
