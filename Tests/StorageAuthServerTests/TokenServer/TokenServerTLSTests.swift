// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import LocalCloud
import NIOCore
import NIOHTTP1
import NIOSSL
import StorageAuthServer
import XCTest

/// HTTPS of the command `token-server`, its limits, and the files that it reads again.
final class TokenServerTLSTests: XCTestCase {
  private static let key = AccessKey(id: "id-of-the-server", secret: "secret-of-the-server")
  private static let role = "acs:ram::1250000000:role/localcloud"
  private static let environment = [
    "OSS_ACCESS_KEY_ID": "id-of-the-server", "OSS_ACCESS_KEY_SECRET": "secret-of-the-server",
  ]

  /// Starts a token server whose token service is a local cloud.
  private func start(
    _ folder: PrivateFolder, _ more: [String], _ environment: [String: String] = environment
  ) async throws -> TokenServerProcess {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(Self.key)]))
    addTeardownBlock { await cloud.stop() }
    let callers = try folder.write("alice token-012345678901\n", to: "callers")
    return try TokenServerProcess(
      [
        "--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", callers, "--sts",
        cloud.servicesURL,
      ] + more, environment)
  }

  /// Returns a client that trusts the root of the tests.
  private func client() throws -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(PrivateFolder.certificate("root").utf8)))
    return HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: tls))
  }

  /// Requests a key, and returns the status and the version of HTTP.
  private func request(_ url: String, _ token: String, over client: HTTPClient) async throws -> String {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Authorization", value: "Bearer \(token)")
    let response = try await client.execute(request, timeout: .seconds(20))
    _ = try await response.body.collect(upTo: 1 << 16)
    return "\(response.version) \(response.status.code)"
  }

  /// Requests a key over a connection that is closed afterwards.
  private func request(_ url: String, _ token: String) async throws -> String {
    let client = try client()
    do {
      let answer = try await request(url, token, over: client)
      try await client.shutdown()
      return answer
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  // matrix: HTTPS server: token-server
  func testServerReloadsItsFilesOnHangup() async throws {
    let folder = try PrivateFolder(self)
    let certificate = try folder.write(PrivateFolder.certificate("first"), to: "cert.pem", permissions: 0o644)
    let key = try folder.write(PrivateFolder.certificate("first-key"), to: "key.pem")
    let server = try await start(folder, ["--tls-cert", certificate, "--tls-key", key])
    let url = try await server.url()
    XCTAssertTrue(url.hasPrefix("https://127.0.0.1:"), url)
    let first = try await request(url, "token-012345678901")
    XCTAssertEqual(first, "HTTP/2.0 200")
    let unknown = try await request(url, "token-of-bob-012345")
    XCTAssertEqual(unknown, "HTTP/2.0 401")

    // An expired certificate is used, with a warning, and the client refuses it.
    try folder.write(PrivateFolder.certificate("expired"), to: "cert.pem")
    try folder.write(PrivateFolder.certificate("expired-key"), to: "key.pem")
    try folder.write("bob token-of-bob-012345\n", to: "callers")
    server.send(SIGHUP)
    _ = try await server.line(containing: "reloaded the callers")
    _ = try await server.line(containing: "expired at 2021-01-01T00:00:00Z")
    _ = try await server.line(containing: "reloaded the certificate")
    do {
      let answer = try await request(url, "token-of-bob-012345")
      XCTFail("An expired certificate was accepted: \(answer)")
    } catch {
    }

    // What cannot be used changes neither the certificate nor the callers.
    try folder.write(PrivateFolder.certificate("second"), to: "cert.pem")
    try folder.write(PrivateFolder.certificate("second-key"), to: "key.pem")
    server.send(SIGHUP)
    _ = try await server.line(containing: "reloaded the certificate")
    try folder.write(PrivateFolder.certificate("first"), to: "cert.pem")
    try folder.write("bob short\n", to: "callers")
    server.send(SIGHUP)
    let callersLine = try await server.line(containing: "kept the previous callers")
    XCTAssertTrue(callersLine.contains("Line 1 of"), callersLine)
    let certificateLine = try await server.line(containing: "kept the previous certificate")
    XCTAssertTrue(certificateLine.contains("key.pem with "), certificateLine)
    let bob = try await request(url, "token-of-bob-012345")
    XCTAssertEqual(bob, "HTTP/2.0 200")
    let alice = try await request(url, "token-012345678901")
    XCTAssertEqual(alice, "HTTP/2.0 401")

    server.send(SIGTERM)
    let end = await server.end()
    XCTAssertEqual(end.status, 0, end.errors)
  }

  // matrix: HTTPS server: token-server
  func testServerOfHTTPReloadsItsCallers() async throws {
    let folder = try PrivateFolder(self)
    let server = try await start(folder, [])
    let url = try await server.url()
    XCTAssertTrue(url.hasPrefix("http://127.0.0.1:"), url)
    try folder.write("bob token-of-bob-012345\n", to: "callers")
    server.send(SIGHUP)
    _ = try await server.line(containing: "reloaded the callers")
    let bob = try await request(url, "token-of-bob-012345")
    XCTAssertEqual(bob, "HTTP/1.1 200")
  }

  // matrix: HTTPS server: token-server
  func testHTTP2AndConnectionsAreOptions() async throws {
    let folder = try PrivateFolder(self)
    let certificate = try folder.write(PrivateFolder.certificate("first"), to: "cert.pem")
    let key = try folder.write(PrivateFolder.certificate("first-key"), to: "key.pem")
    let server = try await start(
      folder,
      [
        "--tls-cert", certificate, "--tls-key", key, "--no-http2", "--max-connections", "1", "--head-timeout", "1",
        "--idle-timeout", "1",
      ])
    let url = try await server.url()
    // The connection of the first client stays open until the server has waited for its next request.
    let first = try client()
    addTeardownBlock { try await first.shutdown() }
    let one = try await request(url, "token-012345678901", over: first)
    XCTAssertEqual(one, "HTTP/1.1 200")
    let start = ContinuousClock.now
    let other = try await request(url, "token-012345678901")
    XCTAssertEqual(other, "HTTP/1.1 200")
    XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(500))
  }

  // matrix: HTTPS server: token-server
  func testSecretsAreReadFromFiles() async throws {
    let folder = try PrivateFolder(self)
    let id = try folder.write("id-of-the-server\n", to: "id")
    let secret = try folder.write("secret-of-the-server\n", to: "secret")
    let server = try await start(folder, [], ["OSS_ACCESS_KEY_ID_FILE": id, "OSS_ACCESS_KEY_SECRET_FILE": secret])
    let answer = try await request(server.url(), "token-012345678901")
    XCTAssertEqual(answer, "HTTP/1.1 200")
  }

  // matrix: HTTPS server: token-server
  func testUnusableFilesAreNamed() async throws {
    let folder = try PrivateFolder(self)
    let callers = try folder.write("alice token-012345678901\n", to: "callers")
    let certificate = try folder.write(PrivateFolder.certificate("first"), to: "cert.pem")
    let key = try folder.write(PrivateFolder.certificate("first-key"), to: "key.pem")
    let other = try folder.write(PrivateFolder.certificate("second-key"), to: "other.pem")
    let binary = folder.url.appending(path: "binary.der")
    try Data([0x30, 0x82, 0xFF]).write(to: binary, options: .atomic)
    let writable = try folder.write(PrivateFolder.certificate("first-key"), to: "writable.pem", permissions: 0o620)
    let gone = folder.url.appending(path: "gone.pem").path(percentEncoded: false)
    // A file that cannot be used is a wrong argument; its content is not.
    let cases: [(certificate: String, key: String, status: Int32, words: [String])] = [
      (gone, key, 64, ["gone.pem cannot be read: there is no such file"]),
      (certificate, gone, 64, ["gone.pem cannot be read: there is no such file"]),
      (key, key, 1, ["key.pem cannot be used", "-----BEGIN CERTIFICATE-----"]),
      (certificate, certificate, 1, ["cert.pem cannot be used", "-----BEGIN PRIVATE KEY-----"]),
      (certificate, other, 1, ["other.pem with ", "must belong to the certificate"]),
      (binary.path(percentEncoded: false), key, 64, ["binary.der is not UTF-8 text. Use the PEM format."]),
      (certificate, writable, 64, ["writable.pem is rejected because others could have written it"]),
    ]
    for (certificate, key, status, words) in cases {
      let server = try TokenServerProcess(
        [
          "--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", callers, "--tls-cert",
          certificate, "--tls-key", key,
        ], Self.environment)
      let end = await server.end()
      XCTAssertEqual(end.status, status, end.errors)
      for word in words { XCTAssertTrue(end.errors.contains(word), "\(word): \(end.errors)") }
      XCTAssertFalse(end.errors.contains("MHc"), end.errors)
    }
  }

  // matrix: HTTPS server: token-server
  func testReadableKeyIsAWarning() async throws {
    let folder = try PrivateFolder(self)
    let certificate = try folder.write(PrivateFolder.certificate("first"), to: "cert.pem", permissions: 0o644)
    let key = try folder.write(PrivateFolder.certificate("first-key"), to: "key.pem", permissions: 0o644)
    let server = try await start(folder, ["--tls-cert", certificate, "--tls-key", key])
    _ = try await server.url()
    server.send(SIGTERM)
    let end = await server.end()
    XCTAssertTrue(end.errors.contains("key.pem contains secrets and is readable by other users"), end.errors)
    XCTAssertFalse(end.errors.contains("cert.pem contains secrets"), end.errors)
  }

  // matrix: HTTPS server: token-server
  func testContradictoryOptionsAreRejected() async throws {
    let cases: [([String], String)] = [
      (["--tls-cert", "a"], "--tls-key"), (["--tls-key", "a"], "--tls-cert"),
      (["--tls-cert", "-", "--tls-key", "a"], "must name files"),
      (["--tls-cert", "a", "--tls-key", "-"], "must name files"), (["--no-http2"], "--tls-cert"),
      (["--max-connections", "0"], "--max-connections"), (["--head-timeout", "0"], "--head-timeout"),
      (["--head-timeout", "3601"], "--head-timeout"), (["--idle-timeout", "-1"], "--idle-timeout"),
    ]
    for (arguments, words) in cases {
      let server = try TokenServerProcess(
        ["--provider", "oss", "--bucket", "photos", "--role", Self.role, "--callers", "/nowhere"] + arguments,
        Self.environment)
      let end = await server.end()
      XCTAssertEqual(end.status, 64, "\(arguments): \(end.errors)")
      XCTAssertTrue(end.errors.contains(words), "\(arguments): \(end.errors)")
    }
  }
}
