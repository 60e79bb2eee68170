// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

/// Tests the errors of `storage-auth` for wrong calls and missing files, ports and services.
final class CommandLineErrorTests: XCTestCase {
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()]
  private static let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg"
  private static let role = "acs:ram::1250000000:role/localcloud"

  func testWrongCallReportsTheErrorAndTheUsage() async throws {
    let tokenServer = ["token-server", "--provider", "oss", "--callers", "nowhere", "--bucket", "photos"]
    for (arguments, words) in [
      (["ls", "gs://photos/"], "Locations have the form oss://bucket/key"), (["ls", "oss:///a"], "There is no bucket"),
      (["ls", "oss://photos/"], "--region or OSS_REGION"), (["ls", "/tmp"], "Name a bucket or a node"),
      (["rm", "oss://photos/", "--region", "cn-hangzhou"], "--recursive"),
      (["mb", "oss://photos/key", "--region", "cn-hangzhou"], "Name only a bucket"),
      (["cp", "a", "b"], "One of the two"), (["cp", "oss://photos/b", "aspera://host/b"], "Copy to a file first"),
      (["sign", "GET"], "METHOD and a URL"), (["sign", "G T", Self.url], "The method"),
      (["sign", "GET", "cat.jpg"], "a scheme and a host"), (["sign", "GET", "https://example.com/"], "--provider"),
      (["presign", "GET", "https://mia:secret@photos.oss-cn-hangzhou.aliyuncs.com/"], "no user or password"),
      (["verify", "GET", "https://example.com/"], "--provider"),
      (["serve", "--account", "secret@mia"], "A value of --account"),
      (["serve", "--disabled", ":secret@"], "A value of --disabled"),
      (["serve", "--node-user", "secret@mia:"], "A value of --node-user"),
      (["serve", "--transfer-account", "secret@"], "A value of --transfer-account"),
      (["serve", "--listen", "0.0.0.0", "--account", "id:not-shown"], "--plain-http"),
      (["serve", "--listen", "0.0.0.0", "--plain-http"], "STORAGE_AUTH_ACCOUNT"),
      (["serve", "--tls-cert", "cert.pem"], "--tls-key"),
      (["credentials", "--provider", "s3", "--source", "metadata", "--no-metadata"], "--no-metadata excludes"),
      (["explain", "--request", "-"], "Standard input can be one of the files only"),
      (["explain", "GET", "https://a.oss-cn-hangzhou.aliyuncs.com/", "--string-to-sign", "-"], "name the file"),
      (["explain", "GET", "cat.jpg"], "a scheme and a host"),
      (tokenServer, "--role acs:ram::"), (tokenServer + ["--role", "nobody"], "--role acs:ram::"),
      (tokenServer + ["--role", Self.role, "--lifetime", "5"], "900 to 43200"),
      (tokenServer + ["--role", Self.role, "--port", "65536"], "not a port"),
    ] {
      let outcome = try await Programs.storageAuth(arguments, Self.variables)
      XCTAssertEqual(outcome.status, 64, arguments.joined(separator: " "))
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("Usage: storage-auth \(arguments[0]) "), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("secret@"), outcome.errors)
      XCTAssertEqual(outcome.output, "")
    }
  }

  func testMissingFileIsNamed() async throws {
    let tokenServer = ["token-server", "--provider", "oss", "--bucket", "photos", "--role", Self.role]
    for (arguments, status) in [
      (["verify", "--request", "/nowhere/file"], 64), (["explain", "GET", Self.url, "--answer", "/nowhere/file"], 64),
      (["cp", "file", "aspera://mia@host/k", "--password-file", "/nowhere/file"], 64),
      (["cp", "/nowhere/file", "oss://photos/a", "--endpoint", "http://127.0.0.1:1"], 1),
      (tokenServer + ["--callers", "/nowhere/file"], 64),
    ] as [([String], Int32)] {
      let outcome = try await Programs.storageAuth(arguments, Self.variables)
      XCTAssertEqual(outcome.status, status, arguments.joined(separator: " "))
      XCTAssertTrue(outcome.errors.hasPrefix("Error: "), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("/nowhere/file cannot be"), outcome.errors)
    }
  }

  func testPortInUseIsNamed() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)]))
    let directory = try TemporaryDirectory(self)
    let callers = try directory.write(Array("alice alice-token-012345\n".utf8), to: "callers").string
    let port = try XCTUnwrap(cloud.ossEndpoint.authority.split(separator: ":").last.map(String.init))
    for arguments in [
      ["serve", "--oss-port", port],
      [
        "token-server", "--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", callers, "--port",
        port,
      ],
    ] {
      let outcome = try await Programs.storageAuth(arguments, Self.variables)
      XCTAssertEqual(outcome.status, 1)
      XCTAssertTrue(outcome.errors.contains(port), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("Address already in use. Choose another"), outcome.errors)
    }
    await cloud.stop()
  }

  func testSigningServerStartsForBucketNamesWithDotsOfS3Only() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)]))
    let callers = try TemporaryDirectory(self).write(Array("alice alice-token-012345\n".utf8), to: "callers").string
    let port = try XCTUnwrap(cloud.ossEndpoint.authority.split(separator: ":").last.map(String.init))
    // A server whose rules are valid fails only at the port, which is in use.
    for (provider, words) in [("s3", "Address already in use"), ("oss", "photos.example")] {
      let outcome = try await Programs.storageAuth(
        [
          "token-server", "--sign", "--provider", provider, "--region", "us-east-1", "--bucket", "photos.example",
          "--callers", callers, "--port", port,
        ], Self.variables.merging(["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]) { $1 })
      XCTAssertEqual(outcome.status, 1, outcome.errors)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
    }
    await cloud.stop()
  }

  func testUnreachableServiceIsNamed() async throws {
    let outcome = try await Programs.storageAuth(
      ["ls", "oss://photos/", "--endpoint", "http://127.0.0.1:1"], Self.variables)
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(
      outcome.errors,
      "Error: No connection to 127.0.0.1:1 (Connection refused). Check the endpoint and the network.\n"
    )
  }
}
