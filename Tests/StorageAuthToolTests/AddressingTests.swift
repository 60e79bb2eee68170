// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageClient
import XCTest

/// Tests the bucket of `sign` and `presign`: in locations, in options, and against that of the URL.
final class AddressingTests: XCTestCase {
  private static let variables = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
    "TENCENTCLOUD_SECRET_ID": key.id.string, "TENCENTCLOUD_SECRET_KEY": key.secret.reveal(),
    "AWS_ACCESS_KEY_ID": key.id.string, "AWS_SECRET_ACCESS_KEY": key.secret.reveal(),
  ]

  /// Returns the names, the endpoints and the regions of the three services of a cloud.
  private func services(_ cloud: Cloud) -> [(name: String, endpoint: String, region: String)] {
    [
      ("oss", "http://\(cloud.server.ossEndpoint.authority)", "cn-hangzhou"),
      ("cos", "http://\(cloud.server.cosEndpoint.authority)", "ap-guangzhou"),
      ("s3", "http://\(cloud.server.s3Endpoint.authority)", "us-east-1"),
    ]
  }

  /// Sends a request for a URL, and returns the status of the response.
  private func status(_ method: HTTPRequest.Method = .get, of url: String) async throws -> Int {
    let rest = url.dropFirst("http://".count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let request = HTTPRequest(
      method: method, scheme: "http", authority: String(rest[..<slash]), path: String(rest[slash...]))
    return try await NetworkTransport.shared.send(request, body: .none).response.status.code
  }

  // matrix: OSS V4: presign
  // matrix: COS V5: presign
  // matrix: S3 V4: presign
  func testLocationIsPresigned() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    for (_, store) in cloud.stores() { try await store.upload([1], to: "a b/cat+.jpg") }
    for (name, endpoint, region) in services(cloud) {
      let location = "\(name)://\(Cloud.bucket)/a b/cat+.jpg"
      for arguments in [
        [location], ["GET", location], ["--style", "path", location], ["--region", region, location],
      ] {
        // Without a region, the command signs for that of `storage-auth serve`, which is not that of this server.
        let variables = Self.variables.merging(name == "s3" ? ["AWS_REGION": region] : [:]) { $1 }
        let outcome = try await Programs.storageAuth(["presign", "--endpoint", endpoint] + arguments, variables)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let url = try XCTUnwrap(outcome.output.split(separator: "\n").first)
        let code = try await status(of: String(url))
        XCTAssertEqual(code, 200, "\(url)")
      }
      let signed = try await Programs.storageAuth(
        ["sign", location, "--endpoint", endpoint, "--json"], Self.variables)
      XCTAssertTrue(signed.output.contains("\(endpoint)/\(Cloud.bucket)/a%20b/cat%2B.jpg"), signed.output)
    }
    let served = try await Programs.storageAuth(
      ["presign", "s3://photos/a", "--endpoint", "http://127.0.0.1:9"], Self.variables)
    XCTAssertTrue(served.output.contains("%2Feu-central-1%2Fs3%2F"), served.output)
    let hosted = try await Programs.storageAuth(
      ["presign", "oss://photos/a", "--region", "cn-hangzhou"], Self.variables)
    XCTAssertTrue(hosted.output.hasPrefix("https://photos.oss-cn-hangzhou.aliyuncs.com/a?"), hosted.output)
  }

  // matrix: OSS V4: bad input
  // matrix: COS V5: bad input
  // matrix: S3 V4: bad input
  func testContradictionOfTheBucketIsAnError() async throws {
    let hosts = [
      ("oss", "photos.oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou.aliyuncs.com"),
      ("cos", "photos-1250000000.cos.ap-guangzhou.myqcloud.com", "cos.ap-guangzhou.myqcloud.com"),
      ("s3", "photos.s3.eu-central-1.amazonaws.com", "s3.eu-central-1.amazonaws.com"),
    ]
    for (name, host, service) in hosts {
      let options = ["--provider", name, "--region", "eu-central-1"]
      for (index, (url, more)) in [
        ("http://127.0.0.1:9000/cat.jpg", ["--bucket", "photos"]),
        ("http://127.0.0.1:9000/other/a", ["--bucket", "photos"]),
        ("http://127.0.0.1:9000/photos2/a", ["--bucket", "photos"]), ("https://\(host)/a", ["--bucket", "other"]),
        ("https://\(host)/a", ["--bucket", "photo"]),
        ("https://\(host)/a", ["--bucket", "other", "--style", "domain"]),
        ("https://\(host)/a", ["--bucket", "other", "--style", "host"]),
        ("https://\(host)/a", ["--bucket", "photos", "--style", "path"]),
        ("https://\(service)/a", ["--bucket", "photos"]),
        ("https://files.example.com/photos/a", ["--bucket", "photos"]),
        ("https://files.example.com/a", ["--style", "domain"]),
        ("https://files.example.com/a", ["--bucket", "photos", "--style", "path"]),
        ("\(name)://photos/a", ["--bucket", "other"]),
      ].enumerated() {
        // Both commands have the same options, and a process for each takes half a second.
        let command = index.isMultiple(of: 2) ? "sign" : "presign"
        let outcome = try await Programs.storageAuth([command, "GET", url] + options + more, Self.variables)
        XCTAssertEqual(outcome.status, 64, "\(command) \(url) \(more) \(outcome.output)")
        XCTAssertEqual(outcome.output, "")
      }
      for (url, more) in [
        ("http://127.0.0.1:9000/photos/a", ["--bucket", "photos"]),
        ("https://files.example.com/a", ["--bucket", "photos"]),
        ("https://files.example.com/photos/a", ["--bucket", "photos", "--style", "path"]),
        ("https://files.example.com/photos/a", ["--bucket", "photos", "--style", "domain"]),
        ("https://\(host)/a", ["--bucket", String(host.split(separator: ".")[0])]),
      ] {
        let outcome = try await Programs.storageAuth(["presign", "GET", url] + options + more, Self.variables)
        XCTAssertEqual(outcome.status, 0, "\(url) \(more) \(outcome.errors)")
      }
    }
    let line =
      #"{"provider":"oss","bucket":"other","host":"photos.oss-cn-hangzhou.aliyuncs.com","key":"a","region":"cn-hangzhou","credential":{"id":"ak","secret":"sk"}}"#
    let lines = try await Programs.storageAuth(["sign", "--jsonl"], input: line + "\n")
    XCTAssertEqual(lines.status, 1)
    XCTAssertTrue(lines.output.contains("is not one of the bucket other"), lines.output)
  }

  func testBucketOfAPathIsSignedOnce() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    for (_, store) in cloud.stores() { try await store.upload([1], to: "cat.jpg") }
    for (name, endpoint, region) in services(cloud) {
      for more in [
        [], ["--bucket", Cloud.bucket], ["--style", "path"], ["--bucket", Cloud.bucket, "--style", "path"],
      ] {
        let outcome = try await Programs.storageAuth(
          ["presign", "\(endpoint)/\(Cloud.bucket)/cat.jpg", "--provider", name, "--region", region] + more,
          Self.variables)
        let url = try XCTUnwrap(outcome.output.split(separator: "\n").first, outcome.errors)
        let code = try await status(of: String(url))
        XCTAssertEqual(code, 200, "\(name) \(more)")
        let verified = try await Programs.storageAuth(
          ["verify", "GET", String(url), "--provider", name] + more, Self.variables)
        XCTAssertEqual(verified.status, 0, "\(name) \(more) \(verified.output)\(verified.errors)")
      }
    }
  }

  func testMethodsAreInCapitalLetters() async throws {
    let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/a"
    for command in ["sign", "presign", "verify", "explain"] {
      for (method, name) in [("get", "GET"), ("Put", "PUT")] {
        let outcome = try await Programs.storageAuth([command, method, url], Self.variables)
        XCTAssertEqual(outcome.status, 64, "\(command) \(outcome.output)")
        XCTAssertTrue(outcome.errors.contains("write \(name)"), outcome.errors)
      }
    }
  }

  func testWrongArgumentsHaveTheStatusOfTheTable() async throws {
    let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/a"
    for arguments in [
      ["presign", "GET", url, "--expires", "0"], ["presign", "GET", url, "--region", "oss cn"],
      ["presign", "GET", "https://files.example.com/a", "--provider", "oss", "--bucket", "photos"],
      ["presign", "GET", "https://files.example.com/a", "--provider", "s3"],
      ["ls", "oss://photos/", "--region", "a b"],
      ["presign", url, "--endpoint", "https://example.com"], ["presign", "aspera://node/a"],
      ["presign", "oss://photos/a"],
    ] {
      let outcome = try await Programs.storageAuth(arguments, Self.variables)
      XCTAssertEqual(outcome.status, 64, "\(arguments) \(outcome.errors)")
    }
  }
}
