// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient
import XCTest

/// Tests that the command line connects through the proxy of the environment, and with a file of authorities.
final class ProxyCommandTests: XCTestCase {
  private static let login = "Basic bWlhOmh1bnRlcjI="
  private static let listing = wireAnswer(listAnswer(delimiter: "/"))

  private func list(_ endpoint: String, _ arguments: [String] = [], _ environment: [String: String]) async throws
    -> Programs.Outcome
  {
    try await Programs.storageAuth(
      ["ls", "oss://photos/", "--endpoint", endpoint, "--region", "cn-hangzhou"] + arguments,
      ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()].merging(environment) { $1 })
  }

  // matrix: Trusted authorities: command line
  func testCommandUsesTheProxyOfTheEnvironmentAndTheFileOfAuthorities() async throws {
    let directory = try TemporaryDirectory(self)
    let authority = try await TestAuthority(in: directory)
    try await WireServer.run(answering: Self.listing) { server in
      try await Relay.run(to: server.port, tls: authority.tls) { service in
        try await Relay.run(to: service.port, login: Self.login) { relay in
          let variables = ["HTTPS_PROXY": "http://mia:hunter2@127.0.0.1:\(relay.port)"]
          let listed = try await list("https://storage.test", ["--ca-file", authority.file, "-v"], variables)
          XCTAssertEqual(listed.status, 0, listed.errors)
          XCTAssertEqual(relay.tunnels.values, ["CONNECT photos.storage.test:443 HTTP/1.1"])
          XCTAssertTrue(listed.errors.contains("GET https://photos.storage.test/ 200 in "), listed.errors)
          XCTAssertFalse(listed.errors.contains("hunter2"), listed.errors)
        }
        let endpoint = "https://127.0.0.1:\(service.port)"
        let direct = ["HTTPS_PROXY": "http://mia:hunter2@127.0.0.1:1"]
        let trusted = try await list(endpoint, ["--ca-file", authority.file], direct)
        XCTAssertEqual(trusted.status, 0, trusted.errors)
        let refused = try await list(endpoint, [], direct)
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errors.contains("not from a trusted authority"), refused.errors)
      }
    }
  }

  // matrix: Proxies: command line
  func testInvalidNetworkSettingsAreUsageErrors() async throws {
    let cases: [(arguments: [String], environment: [String: String], words: String)] = [
      (["--ca-file", "/nowhere/ca.pem"], [:], "/nowhere/ca.pem cannot be read"),
      ([], ["HTTPS_PROXY": "socks5://mia:hunter2@proxy:1"], "The variable HTTPS_PROXY is of a SOCKS proxy"),
      ([], ["all_proxy": "https://mia:hunter2@proxy:1"], "over TLS"),
      ([], ["https_proxy": "http://proxy:1", "NO_PROXY": "10.0.0.0/99"], "The variable NO_PROXY"),
    ]
    for (arguments, environment, words) in cases {
      let outcome = try await list("https://storage.test", arguments, environment)
      XCTAssertEqual(outcome.status, 64, outcome.errors)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
    }
  }
}
