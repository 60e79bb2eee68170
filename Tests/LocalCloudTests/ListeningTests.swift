// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests a server that containers and other machines reach: its address, and the host names by which they name it.
final class ListeningTests: CloudTestCase {
  func testOtherMachinesAreServedOnlyWithTLSOrByChoice() async throws {
    for address in ["0.0.0.0", "::", "192.0.2.1", "cloud.example"] {
      var configuration = configuration
      configuration.address = address
      do {
        let cloud = try await LocalCloud.start(configuration)
        await cloud.stop()
        XCTFail("The server listens at \(address).")
      } catch let error as LocalCloudError {
        XCTAssertTrue(error.description.contains("certificate"), error.description)
        XCTAssertTrue(error.description.contains(address), error.description)
      }
    }
    var configuration = configuration
    configuration.address = "0.0.0.0"
    configuration.allowsPlainHTTP = true
    try await withEachService(configuration) { client in
      XCTAssertTrue(client.cloud.endpoint(of: client.provider).authority.hasPrefix("127.0.0.1:"))
      let put = try await client.send(.put, "a", body: [1])
      XCTAssertEqual(put.status, 200, put.text)
    }
  }

  func testCancelledStartEnds() async throws {
    for yields in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
      let start = Task { [configuration] in try await LocalCloud.start(configuration) }
      for _ in 0..<yields { await Task.yield() }
      start.cancel()
      do {
        await (try await start.value).stop()
      } catch is CancellationError {
      } catch let error as LocalCloudError {
        XCTFail("\(error)")
      }
    }
  }

  func testUnknownHostIsReported() async throws {
    var configuration = configuration
    configuration.address = "no-such-host.invalid"
    configuration.allowsPlainHTTP = true
    do {
      let cloud = try await LocalCloud.start(configuration)
      await cloud.stop()
      XCTFail("The server listens.")
    } catch let error as LocalCloudError {
      XCTAssertTrue(error.description.contains("no-such-host.invalid"), error.description)
    }
  }

  /// Sends a signed request to a host by the address of the server.
  private func answer(
    _ client: TestClient, _ method: HTTPRequest.Method, _ host: String, _ path: String, throughS3: Bool = false,
    body: String = ""
  ) async throws -> String {
    let plain = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    let isInPath = path.hasPrefix("/\(Self.bucket)")
    let style: AddressingStyle = isInPath ? .path : .virtualHosted
    let request =
      if throughS3 {
        try S3Signer(region: "us-east-1").signed(plain, with: client.key, in: .at(clock.now))
      } else if client.provider == .oss {
        // OSS signs the bucket's name, which such a host does not show to the signer.
        try OSSSigner(bucket: Self.bucket, region: "cn-hangzhou", style: style).signed(
          plain, with: client.key, in: .at(clock.now))
      } else {
        try client.signed(plain, style)
      }
    let lines = ["\(method.rawValue) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"]
    let bodyLines = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let headers = request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    return try await RawConnection.exchange(
      RawConnection.head(lines + bodyLines + headers) + body,
      with: client.cloud.endpoint(of: client.provider), until: { _ in false })
  }

  func testBucketIsInThePathOfANamedDomainAndBeforeIt() async throws {
    var configuration = configuration
    configuration.domains = ["Storage.test", "oss.test"]
    try await withEachService(configuration) { client in
      _ = try await client.send(.put, "a", body: [7])
      let (inPath, inHost) = ("/\(Self.bucket)/a", "/a")
      let cases = [
        ("storage.test:9000", inPath), ("oss.test", inPath), ("cloud:9000", inPath),
        ("cloud", inPath), ("\(Self.bucket).storage.test:9000", inHost), ("\(Self.bucket).oss.test", inHost),
        ("\(Self.bucket).cloud:9000", inHost),
      ]
      for (host, path) in cases {
        let own = try await answer(client, .get, host, path)
        XCTAssertTrue(own.hasPrefix("HTTP/1.1 200"), "\(client.provider) \(host)\(path): \(own)")
        XCTAssertTrue(own.hasSuffix("\r\n\r\n\u{7}"), "\(client.provider) \(host)\(path): \(own)")
        let throughS3 = try await answer(client, .get, host, path, throughS3: true)
        XCTAssertTrue(throughS3.hasPrefix("HTTP/1.1 200"), "\(client.provider) \(host)\(path): \(throughS3)")
      }
      let other = try await answer(client, .get, "other.test", inPath)
      XCTAssertFalse(other.hasPrefix("HTTP/1.1 200"), "\(client.provider): \(other)")
    }
  }

  func testLocationOfACompletedUploadIsAtTheHostOfTheRequest() async throws {
    var configuration = configuration
    configuration.domains = ["storage.test"]
    try await withEachService(configuration) { client in
      var hosts = [("storage.test", "/\(Self.bucket)"), ("\(Self.bucket).storage.test", "")]
      if client.provider == .s3 {
        hosts += ["s3.us-east-1.amazonaws.com", "s3.localhost"].map { ($0, "/\(Self.bucket)") }
      }
      for (host, bucketPath) in hosts {
        let initiated = try await client.send(.post, "big", query: ["uploads": nil])
        let id = try XCTUnwrap(initiated.document["UploadId"]?.text)
        let part = try await client.send(.put, "big", query: ["partNumber": "1", "uploadId": id], body: [1])
        let elements = [XMLNode("PartNumber", "1"), XMLNode("ETag", try XCTUnwrap(part.header("etag")))]
        let list = XMLNode("CompleteMultipartUpload", children: [XMLNode("Part", children: elements)])
        let completed = try await answer(
          client, .post, host, "\(bucketPath)/big?uploadId=\(id)",
          body: String(decoding: list.serialized(), as: UTF8.self))
        let location = "<Location>http://\(host)\(bucketPath)/big</Location>"
        XCTAssertTrue(completed.contains(location), "\(client.provider): \(completed)")
      }
    }
  }

  func testServicesWithoutASignatureStayOnThisMachine() async throws {
    var configuration = configuration
    configuration.address = "0.0.0.0"
    configuration.allowsPlainHTTP = true
    configuration.domains = ["cloud"]
    let cloud = try await LocalCloud.start(configuration)
    addTeardownBlock { await cloud.stop() }
    for url in [cloud.servicesURL, cloud.nodeURL, cloud.asperaOnCloudURL] {
      XCTAssertTrue(url.hasPrefix("http://127.0.0.1:"), url)
    }
    let reply = try await RawConnection.exchange(
      RawConnection.head(["GET /oss/distribute-token.json HTTP/1.1", "Host: cloud", "Connection: close"]),
      with: cloud.servicesEndpoint)
    XCTAssertTrue(reply.hasPrefix("HTTP/1.1 403"), reply)
  }
}
