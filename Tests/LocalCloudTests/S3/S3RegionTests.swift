// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests requests whose host names another region than the bucket's.
final class S3RegionTests: CloudTestCase {
  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.s3Region = "eu-central-1"
    return configuration
  }

  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ host: String, _ path: String, region: String?
  ) async throws -> String {
    var request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    if let region { try S3Signer(region: region).sign(&request, with: client.key, in: .at(clock.now)) }
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"]
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    return try await RawConnection.exchange(
      RawConnection.head(lines), with: client.cloud.s3Endpoint, until: { _ in false })
  }

  // matrix: S3 V4: bad input
  func testHostOfAnotherRegionIsRedirectedToTheBucketsRegion() async throws {
    let bucket = Self.bucket
    try await withEachService(of: [.s3]) { client in
      for (host, path) in [
        ("\(bucket).s3.us-west-2.amazonaws.com", "/a"), ("s3.us-west-2.amazonaws.com", "/\(bucket)/a"),
        ("\(bucket).s3.dualstack.us-west-2.amazonaws.com", "/"), ("s3-us-west-2.amazonaws.com", "/\(bucket)/a"),
        ("\(bucket).s3-fips.us-west-2.amazonaws.com", "/a"), ("S3.CN-NORTH-1.amazonaws.com.cn:80", "/\(bucket)/a"),
      ] {
        for region in ["us-west-2", "eu-central-1", nil] {
          let answer = try await send(client, .get, host, path, region: region)
          XCTAssertTrue(answer.hasPrefix("HTTP/1.1 301"), "\(host) \(answer)")
          XCTAssertTrue(answer.contains("x-amz-bucket-region: eu-central-1"), answer)
          XCTAssertFalse(answer.lowercased().contains("\nlocation:"), answer)
          XCTAssertTrue(answer.contains("<Code>PermanentRedirect</Code>"), answer)
          XCTAssertTrue(
            answer.contains("<Endpoint>\(bucket).s3.eu-central-1.amazonaws.com</Endpoint><Bucket>\(bucket)</Bucket>"),
            answer)
        }
      }
      let head = try await send(client, .head, "s3.us-west-2.amazonaws.com", "/\(bucket)", region: "us-west-2")
      XCTAssertTrue(head.hasPrefix("HTTP/1.1 301"), head)
      XCTAssertTrue(head.contains("x-amz-bucket-region: eu-central-1"), head)
      XCTAssertFalse(head.contains("PermanentRedirect"), head)
      let unknown = try await send(client, .get, "s3.us-west-2.amazonaws.com", "/no-such-bucket/a", region: "us-west-2")
      XCTAssertTrue(unknown.hasPrefix("HTTP/1.1 404"), unknown)
    }
  }

  func testHostsOfTheRegionAndWithoutARegionAreServed() async throws {
    let bucket = Self.bucket
    try await withEachService(of: [.s3]) { client in
      for (host, path) in [
        ("\(bucket).s3.eu-central-1.amazonaws.com", "/a"), ("s3.eu-central-1.amazonaws.com", "/\(bucket)/a"),
        ("s3.dualstack.eu-central-1.amazonaws.com", "/\(bucket)/a"), ("s3.amazonaws.com", "/\(bucket)/a"),
        ("\(bucket).s3-accelerate.amazonaws.com", "/a"), ("s3.us-west-2.example.com", "/\(bucket)/a"),
        ("localhost", "/\(bucket)/a"),
      ] {
        let answer = try await send(client, .get, host, path, region: "eu-central-1")
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 404"), "\(host) \(answer)")
        XCTAssertTrue(answer.contains("<Code>NoSuchKey</Code>"), "\(host) \(answer)")
      }
      let scope = try await send(
        client, .get, "\(bucket).s3.eu-central-1.amazonaws.com", "/a", region: "us-west-2")
      XCTAssertTrue(scope.contains("<Code>AuthorizationHeaderMalformed</Code>"), scope)
      XCTAssertTrue(scope.contains("<Region>eu-central-1</Region>"), scope)
    }
  }

  func testFormIsRedirectedToTheRegionToo() async throws {
    let bucket = Self.bucket
    try await withEachService(of: [.s3]) { client in
      let lines = [
        "POST /\(bucket) HTTP/1.1", "Host: s3.us-west-2.amazonaws.com", "Connection: close",
        "Content-Type: multipart/form-data; boundary=b", "Content-Length: 0",
      ]
      let answer = try await RawConnection.exchange(
        RawConnection.head(lines), with: client.cloud.s3Endpoint, until: { _ in false })
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 301"), answer)
    }
  }
}
