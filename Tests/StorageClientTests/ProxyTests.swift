// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests requests through an HTTP proxy, and connections to services with the certificate of a private authority.
final class ProxyTests: XCTestCase {
  private static let login = "Basic bWlhOmh1bnRlcjI="

  private func proxy(_ port: Int, password: String = "hunter2") -> ProxyConfiguration {
    let server = ProxyServer(host: "127.0.0.1", port: port, user: "mia", password: Secret(password))
    return ProxyConfiguration(http: server, https: server)
  }

  private func head(_ url: (scheme: String, authority: String), _ transport: some HTTPTransport) async throws -> Int {
    let request = HTTPRequest(method: .head, scheme: url.scheme, authority: url.authority, path: "/a/../b?x=%2F")
    let response = try await transport.send(request, body: .none)
    for try await _ in response.body {}
    return response.response.status.code
  }

  // matrix: Proxies: tunnel
  func testBothSchemesGoThroughATunnelAsTheyWereSigned() async throws {
    let authority = try await TestAuthority(in: TemporaryDirectory(self))
    try await WireServer.run { server in
      try await Relay.run(to: server.port, login: Self.login) { relay in
        let transport = try AsyncHTTPClientTransport(proxy: proxy(relay.port))
        let status = try await head(("http", "storage.test"), transport)
        XCTAssertEqual(status, 200)
        XCTAssertEqual(relay.tunnels.values, ["CONNECT storage.test:80 HTTP/1.1"])
        let head = try XCTUnwrap(server.heads.values.first)
        XCTAssertTrue(head.hasPrefix("HEAD /a/../b?x=%2F HTTP/1.1\r\n"), head)
        XCTAssertTrue(head.components(separatedBy: "\r\n").contains { $0.lowercased() == "host: storage.test" }, head)
        XCTAssertFalse(head.lowercased().contains("proxy-authorization"))
      }
      try await Relay.run(to: server.port, tls: authority.tls) { service in
        try await Relay.run(to: service.port, login: Self.login) { relay in
          let transport = try AsyncHTTPClientTransport(
            proxy: proxy(relay.port), trustedRoots: .systemAndFile(authority.file))
          for _ in 1...2 {
            let status = try await head(("https", "storage.test:8443"), transport)
            XCTAssertEqual(status, 200)
          }
          XCTAssertEqual(relay.tunnels.values, ["CONNECT storage.test:8443 HTTP/1.1"], "The tunnel is used again.")
        }
      }
    }
  }

  // matrix: Proxies: login
  func testRefusedLoginIsAnErrorWithoutThePassword() async throws {
    try await Relay.run(to: 1, login: Self.login) { relay in
      let transport = try AsyncHTTPClientTransport(proxy: proxy(relay.port, password: "hunter3"))
      await assertThrows(TransportError.self, { _ = try await head(("https", "storage.test"), transport) }) { error in
        XCTAssertEqual(error.code, .invalidConfiguration)
        XCTAssertTrue(error.message.contains("127.0.0.1:\(relay.port)"), error.message)
        XCTAssertFalse("\(error)".contains("hunter3"))
      }
    }
  }

  // matrix: Proxies: exclusions
  func testLoopbackIsNotReachedThroughAProxy() async throws {
    try await WireServer.run { server in
      try await Relay.run(to: server.port, login: Self.login) { relay in
        let transport = try AsyncHTTPClientTransport(proxy: proxy(relay.port))
        let status = try await head(("http", "127.0.0.1:\(server.port)"), transport)
        XCTAssertEqual(status, 200)
        XCTAssertEqual(relay.tunnels.values, [])
      }
    }
  }

  // matrix: Proxies: failure
  func testUnreachableProxyIsNamed() async throws {
    let transport = try AsyncHTTPClientTransport(proxy: proxy(1))
    await assertThrows(TransportError.self, { _ = try await head(("https", "storage.test"), transport) }) { error in
      XCTAssertEqual(error.code, .connectionFailed)
      XCTAssertTrue(error.message.contains("storage.test through the proxy 127.0.0.1:1"), error.message)
    }
  }

  // matrix: Trusted authorities: library
  func testOnlyTheNamedAuthorityIsTrusted() async throws {
    let directory = try TemporaryDirectory(self)
    let (authority, other) = (
      try await TestAuthority(in: directory), try await TestAuthority(in: directory, named: "other")
    )
    try await WireServer.run { server in
      try await Relay.run(to: server.port, tls: authority.tls) { service in
        let url = (scheme: "https", authority: "localhost:\(service.port)")
        for roots in [TrustedRoots.file(authority.file), .systemAndFile(authority.file)] {
          let status = try await head(url, AsyncHTTPClientTransport(proxy: .direct, trustedRoots: roots))
          XCTAssertEqual(status, 200)
        }
        for roots in [TrustedRoots.system, .file(other.file), .systemAndFile(other.file)] {
          let transport = try AsyncHTTPClientTransport(proxy: .direct, trustedRoots: roots)
          await assertThrows(TransportError.self, { _ = try await head(url, transport) }) { error in
            XCTAssertEqual(error.code, .connectionFailed)
            XCTAssertTrue(error.message.contains("not from a trusted authority"), error.message)
          }
        }
        XCTAssertEqual(server.heads.values.count, 2)
      }
    }
  }

  // matrix: Trusted authorities: bad input
  func testUnusableFileOfAuthoritiesIsNamed() async throws {
    let directory = try TemporaryDirectory(self)
    let text = try directory.write(Array("no certificate\n".utf8), to: "text").string
    let broken = try directory.write(
      Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8), to: "broken"
    ).string
    for (path, words) in [
      ("/nowhere/ca.pem", "cannot be read: No such file"), (text, "contains no certificate"),
      (broken, "contains no certificate"), (directory.url.path, "contains no certificate"),
    ] {
      XCTAssertThrowsError(try AsyncHTTPClientTransport(proxy: .direct, trustedRoots: .file(path))) { error in
        XCTAssertEqual((error as? TransportError)?.code, .invalidConfiguration)
        XCTAssertTrue("\(error)".contains("\(path) \(words)"), "\(error)")
      }
    }
  }
}
