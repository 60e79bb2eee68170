// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Tests the proxies and exclusions in environment variables, and the errors for invalid ones.
final class ProxyConfigurationTests: XCTestCase {
  private func proxies(_ variables: [String: String]) throws -> ProxyConfiguration {
    try ProxyConfiguration { variables[$0] }
  }

  private func assertInvalid(
    _ variables: [String: String], _ words: String..., without secret: String = "hunter2", line: UInt = #line
  ) {
    XCTAssertThrowsError(try proxies(variables), line: line) { error in
      XCTAssertEqual((error as? TransportError)?.code, .invalidConfiguration, line: line)
      XCTAssertEqual((error as? TransportError)?.isRetryable, false, line: line)
      for word in words { XCTAssertTrue("\(error)".contains(word), "\(error)", line: line) }
      XCTAssertFalse("\(error)".contains(secret), "\(error)", line: line)
    }
  }

  // matrix: Proxies: environment
  func testVariablesNameAProxyForEachScheme() throws {
    let both = try proxies(["http_proxy": "http://plain:3128", "HTTPS_PROXY": "secure.example:8080"])
    XCTAssertEqual(both.server(for: "photos.example.com", scheme: "http")?.description, "plain:3128")
    XCTAssertEqual(both.server(for: "photos.example.com", scheme: "https")?.description, "secure.example:8080")
    let all = try proxies(["ALL_PROXY": "http://all", "https_proxy": "http://own:1", "HTTPS_PROXY": "http://other:1"])
    XCTAssertEqual(all.http, ProxyServer(host: "all", port: 80))
    XCTAssertEqual(all.https, ProxyServer(host: "own", port: 1), "lowercase wins")
    XCTAssertEqual(try proxies(["https_proxy": "", "http_proxy": ""]), .direct)
    XCTAssertEqual(try proxies(["https_proxy": "http://[2001:db8::7]:3128/"]).https?.host, "2001:db8::7")
    XCTAssertEqual(try proxies(["https_proxy": "http://[2001:db8::7]:3128/"]).https?.description, "[2001:db8::7]:3128")
  }

  // matrix: Proxies: environment
  func testVariableThatAClientOfACGIProgramCanSetIsIgnored() throws {
    let variables = ["HTTP_PROXY": "http://attacker.example:1", "REQUEST_METHOD": "GET"]
    XCTAssertEqual(try proxies(variables), .direct)
    XCTAssertEqual(try proxies(["HTTP_PROXY": "http://mine:1"]).http?.host, "mine")
    XCTAssertEqual(try proxies(variables.merging(["http_proxy": "http://mine:1"]) { $1 }).http?.host, "mine")
  }

  // matrix: Proxies: login
  func testLoginIsPercentDecodedAndNotDescribed() throws {
    let proxy = try ProxyServer("http://mia%40home:hunter2%3A%2F@proxy.example:3128")
    XCTAssertEqual(proxy.user, "mia@home")
    XCTAssertEqual(proxy.password?.reveal(), "hunter2:/")
    XCTAssertEqual("\(proxy)", "proxy.example:3128")
    XCTAssertFalse(String(reflecting: proxy).contains("hunter2"))
    XCTAssertNil(try ProxyServer("http://mia@proxy").password)
  }

  // matrix: Proxies: bad input
  func testInvalidProxiesAreErrorsThatNameTheVariableOnly() throws {
    assertInvalid(["https_proxy": "https://mia:hunter2@proxy:1"], "https_proxy", "over TLS")
    assertInvalid(["ALL_PROXY": "socks5h://mia:hunter2@proxy:1"], "ALL_PROXY", "SOCKS")
    assertInvalid(["https_proxy": "ftp://mia:hunter2@proxy:1"], "no HTTP proxy")
    for url in [
      "http://mia:hunter2@", "http://mia:hunter2@proxy:0", "http://mia:hunter2@proxy:65536", "http://:hunter2@proxy",
      "http://mia:hunter2%@proxy", "http://mi%3Aa:hunter2@proxy", "http://mia:hunter2@pro xy", "http://hunter2\u{0}",
      "http://mia:hunter2@\u{301}proxy", "http://mia:hunter2@proxy:1/path", "http://mia:hunter2%0d%0a@proxy", "http://",
    ] {
      assertInvalid(["https_proxy": url], "The variable https_proxy")
    }
    for list in ["192.168.*", "exa mple.com/8/8", "10.0.0.0/33", "host:99999", "a/b", "[::1"] {
      assertInvalid(["https_proxy": "http://p", "NO_PROXY": list], "The variable NO_PROXY", "has the entry")
    }
  }

  // matrix: Proxies: exclusions
  func testExclusionsMatchHostsSubdomainsPortsAndNetworks() throws {
    let excluded = [
      ("example.com", "example.com"), ("example.com", "a.b.EXAMPLE.com:8443"), (".example.com", "example.com"),
      (".example.com", "a.example.com"), ("*.example.com", "a.example.com"), ("example.com:8443", "example.com:8443"),
      ("example.com:443", "example.com"), ("example.com", "example.com."), ("*", "anything"), ("x, *", "192.0.2.7"),
      ("10.0.0.0/8", "10.1.2.3:9000"), ("10.1.2.9/8", "10.250.0.1"), ("192.0.2.7", "192.0.2.7"),
      ("192.0.2.7:9000", "192.0.2.7:9000"), ("::ffff:10.0.0.1", "10.0.0.1"), ("2001:db8::/32", "[2001:db8::7]:443"),
      ("[2001:db8::7]:8443", "[2001:DB8::7]:8443"), ("a b\tc,d", "c"), ("", "127.0.0.1"), ("", "localhost:9000"),
      ("", "x.localhost"), ("", "[::1]:9000"), ("", "169.254.169.254"), ("", "[fe80::1]"), ("", "127.8.8.8"),
    ]
    for (list, host) in excluded {
      let proxies = try proxies(["https_proxy": "http://proxy:1", "no_proxy": list])
      XCTAssertNil(proxies.server(for: host, scheme: "https"), "\(list) excludes \(host)")
    }
    let included = [
      ("example.com", "badexample.com"), ("example.com", "example.com.evil.net"), ("example.com:8443", "example.com"),
      ("10.0.0.0/8", "11.0.0.1"), ("10.0.0.0/8", "10.example.com"), ("192.0.2.7", "192.0.2.70"),
      ("[2001:db8::7]:8443", "[2001:db8::7]"), ("", "localhost.example.com"), ("", "0.0.0.0"), ("", "128.0.0.1"),
      ("0.0.2.7", "example.com"), ("", "170.254.1.1"),
    ]
    for (list, host) in included {
      let proxies = try proxies(["https_proxy": "http://proxy:1", "no_proxy": list])
      XCTAssertNotNil(proxies.server(for: host, scheme: "https"), "\(list) does not exclude \(host)")
    }
  }

  func testSchemeWithoutAProxyIsDirect() throws {
    let proxies = try proxies(["https_proxy": "http://proxy:1", "no_proxy": "a:80"])
    XCTAssertNil(proxies.server(for: "a", scheme: "http"))
    XCTAssertNotNil(proxies.server(for: "a", scheme: "https"), "The default port of https is 443.")
  }
}
