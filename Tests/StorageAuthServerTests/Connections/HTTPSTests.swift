// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StorageAuth
import XCTest

@testable import StorageAuthServer

/// Servers with TLS: certificates that are replaced, negotiated protocols, and limits before and after the handshake.
final class HTTPSTests: XCTestCase {
  /// Runs a test with a client that trusts the root of the tests and closes each connection after a request.
  private func withClient<Result: Sendable>(
    _ version: HTTPClient.Configuration.HTTPVersion = .automatic, _ body: (HTTPClient) async throws -> Result
  ) async throws -> Result {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(SecureServer.text("root").utf8)))
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.httpVersion = version
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let result = try await body(client)
      try await client.shutdown()
      return result
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private func get(_ path: String, _ server: SecureServer, _ client: HTTPClient) async throws -> (HTTPVersion, String) {
    let response = try await client.execute(
      HTTPClientRequest(url: "https://127.0.0.1:\(server.port)\(path)"), timeout: .seconds(20))
    let body = try await response.body.collect(upTo: 1 << 21)
    return (response.version, String(buffer: body))
  }

  /// The date until which the certificate is valid that a server presents to a new connection.
  private func expiration(_ server: SecureServer) async throws -> Int {
    try await TLSConnection.certificate(server.port)
  }

  // matrix: HTTPS server: protocols
  func testClientChoosesHTTP2() async throws {
    let server = try await SecureServer(ConnectionLimits(), self)
    try await withClient { client in
      let (version, body) = try await self.get("/", server, client)
      XCTAssertEqual(version, .http2)
      XCTAssertEqual(body, "hello")
      let large = try await self.get("/large", server, client)
      XCTAssertEqual(large.1.utf8.count, 1 << 20)
    }
  }

  // matrix: HTTPS server: protocols
  func testClientOfHTTP1IsServed() async throws {
    let server = try await SecureServer(ConnectionLimits(), self)
    try await withClient(.http1Only) { client in
      let (version, body) = try await self.get("/", server, client)
      XCTAssertEqual(version, .http1_1)
      XCTAssertEqual(body, "hello")
    }
  }

  // matrix: HTTPS server: protocols
  func testHTTP2CanBeSwitchedOff() async throws {
    let server = try await SecureServer(ConnectionLimits(), allowsHTTP2: false, self)
    try await withClient { client in
      let version = try await self.get("/", server, client).0
      XCTAssertEqual(version, .http1_1)
    }
  }

  // matrix: HTTPS server: protocols
  func testTLS11IsRefused() async throws {
    let server = try await SecureServer(ConnectionLimits(), self)
    for allowsHTTP2 in [false, true] {
      let configuration = server.certificate.context(allowsHTTP2: allowsHTTP2).configuration
      XCTAssertEqual(configuration.minimumTLSVersion, .tlsv12)
    }
    let answer = try await TLSConnection.with(server.port, protocols: ["http/1.1"], maximumTLSVersion: .tlsv11) {
      bytes, _ in await TLSConnection.rest(bytes)
    }
    XCTAssertEqual(answer.readableBytes, 0)
    let served = try await TLSConnection.with(server.port, protocols: ["http/1.1"], maximumTLSVersion: .tlsv12) {
      bytes, writer in
      try await writer.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
      return await TLSConnection.rest(bytes)
    }
    XCTAssertTrue(String(buffer: served).hasPrefix("HTTP/1.1 200"), String(buffer: served))
  }

  // matrix: HTTPS server: certificate
  func testNewConnectionsUseTheReplacedCertificate() async throws {
    let server = try await SecureServer(ConnectionLimits(), self)
    let before = try await expiration(server)
    let request = ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await TLSConnection.with(server.port, protocols: ["http/1.1"]) { inbound, writer in
      var bytes = inbound.makeAsyncIterator()
      try await writer.write(request)
      let first = try await bytes.next()
      XCTAssertNotNil(first)
      try server.certificate.replace(
        chain: SecureServer.text("second"), key: Secret(SecureServer.text("second-key")))
      // The open connection goes on.
      try await writer.write(request)
      let second = try await bytes.next()
      XCTAssertNotNil(second)
    }
    let after = try await expiration(server)
    XCTAssertNotEqual(before, after)
    XCTAssertEqual(server.certificate.validity.upperBound, Timestamp(unixSeconds: Int64(after)))
  }

  // matrix: HTTPS server: certificate
  func testUnusableReplacementLeavesTheCertificateInUse() async throws {
    let server = try await SecureServer(ConnectionLimits(), self)
    let before = try await expiration(server)
    let pairs = [
      ("first", "second-key", CertificateError.Subject.pair), ("first-key", "first-key", .chain),
      ("first", "first", .key),
      ("first", "encrypted-key", .key),
    ]
    for (chain, key, subject) in pairs {
      XCTAssertThrowsError(
        try server.certificate.replace(chain: SecureServer.text(chain), key: Secret(SecureServer.text(key)))
      ) { error in
        XCTAssertEqual((error as? CertificateError)?.subject, subject, "\(chain), \(key)")
      }
    }
    let after = try await expiration(server)
    XCTAssertEqual(before, after)
  }

  func testValidityIsThatOfTheWholeChain() throws {
    let chain = try SecureServer.text("first") + SecureServer.text("second")
    let certificate = try ServerCertificate(chain: chain, key: Secret(SecureServer.text("first-key")))
    XCTAssertEqual(certificate.validity.upperBound.iso8601, "2125-11-30T00:00:00Z")
    XCTAssertEqual(try SecureServer.certificate("expired").validity.upperBound.iso8601, "2021-01-01T00:00:00Z")
  }

  func testDumpOfACertificateContainsNoKey() throws {
    let certificate = try SecureServer.certificate("first")
    var text = "\(certificate) \(String(reflecting: certificate))"
    dump(certificate, to: &text)
    XCTAssertFalse(text.contains("Key"), text)
    XCTAssertFalse(text.contains("BEGIN"), text)
  }

  // MARK: Limits

  // matrix: HTTPS server: limits
  func testIncompleteHandshakeIsClosed() async throws {
    let server = try await SecureServer(ConnectionLimits(headTimeout: .milliseconds(100)), self)
    for bytes in [[], [0x16, 0x03, 0x01], Array("GET / HTTP/1.1\r\n\r\n".utf8)] as [[UInt8]] {
      let closed = try await TLSConnection.plain(server.port, ByteBuffer(bytes: bytes))
      XCTAssertTrue(closed)
    }
  }

  // matrix: HTTPS server: limits
  func testIncompleteHeadIsClosedAfterTheHandshake() async throws {
    let server = try await SecureServer(ConnectionLimits(headTimeout: .milliseconds(200)), self)
    for (version, half) in [("http/1.1", ByteBuffer(string: "GET / HT")), ("h2", Frame.preface), ("h2", ByteBuffer())] {
      let answer = try await TLSConnection.with(server.port, protocols: [version]) { bytes, writer in
        try await writer.write(half)
        return await TLSConnection.rest(bytes)
      }
      XCTAssertFalse(String(buffer: answer).contains("200"), version)
    }
  }

  // matrix: HTTPS server: limits
  func testConnectionBeyondTheLimitWaitsWithTLS() async throws {
    let server = try await SecureServer(ConnectionLimits(connections: 1, idleTimeout: .milliseconds(300)), self)
    let closed = try await TLSConnection.with(server.port, protocols: ["http/1.1"]) { inbound, writer in
      try await writer.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
      var bytes = inbound.makeAsyncIterator()
      let answer = try await bytes.next()
      XCTAssertNotNil(answer)
      // The connection occupies the server until the time between two requests has passed.
      let start = ContinuousClock.now
      let body = try await self.withClient { client in try await self.get("/", server, client).1 }
      XCTAssertEqual(body, "hello")
      XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(150))
      return try await bytes.next() == nil
    }
    XCTAssertTrue(closed)
  }
}
