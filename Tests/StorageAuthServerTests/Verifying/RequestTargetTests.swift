// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests that a request line with a URL is read as RFC 9112, section 3.2.2, says, and never in two ways.
final class RequestTargetTests: XCTestCase {
  private func withEach(_ body: (VerifyingBench) async throws -> Void) async throws {
    for service in VerifyingBench.Service.allCases { try await body(VerifyingBench(service, self)) }
  }

  /// Sends a signed request with a target and lines for `Host`, and returns the status of the response.
  private func status(
    _ request: HTTPRequest, _ target: String, hosts: [String], _ bench: VerifyingBench
  ) async throws -> (status: Int?, text: String) {
    let lines =
      ["\(request.method) \(target) HTTP/1.1"] + hosts.map { "Host: \($0)" }
      + request.headerFields.map { "\($0.name.rawName): \($0.value)" } + ["Connection: close", "", ""]
    let text = try await bench.exchange(lines.joined(separator: "\r\n"))
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) }, text)
  }

  func testURLWithTheHostOfTheHeaderIsReadAsItsPath() async throws {
    try await withEach { bench in
      let signed = try bench.signed(bench.request(.get, "a b/+é", parameters: [.init(name: "acl", value: nil)]))
      let host = try XCTUnwrap(signed.authority)
      let path = try XCTUnwrap(signed.path)
      for target in ["http://\(host)\(path)", "https://\(host)\(path)", "HTTP://\(host)\(path)"] {
        let (status, text) = try await status(signed, target, hosts: [host], bench)
        XCTAssertEqual(status, 200, "\(bench.service) \(target): \(text)")
        XCTAssertTrue(text.contains("\(VerifyingBench.bucket)|a b/+é|"), text)
      }
    }
  }

  func testContradictionsAreRefusedBeforeAnyKeyIsLookedUp() async throws {
    try await withEach { bench in
      let signed = try bench.signed(bench.request())
      let host = try XCTUnwrap(signed.authority)
      let path = try XCTUnwrap(signed.path)
      let port = host.split(separator: ":").last ?? ""
      for (target, hosts) in [
        ("http://other.example\(path)", [host]), ("http://other.example:\(port)\(path)", [host]),
        ("http://\(host).\(path)", [host]), ("http://\(host.dropLast(port.count + 1))\(path)", [host]),
        ("http://user@\(host)\(path)", [host]), ("http://\(host)\(path)", []), ("http://\(host)\(path)", [host, host]),
        ("http://\(host)\(path)", ["other.example"]), ("http://\(host)\(path)#a", [host]), ("http://\(path)", [host]),
        ("ftp://\(host)\(path)", [host]), ("\(host)\(path)", [host]), ("x\(path)", [host]),
      ] {
        let (status, text) = try await status(signed, target, hosts: hosts, bench)
        XCTAssertEqual(status, 400, "\(bench.service) \(target) \(hosts): \(text)")
      }
      XCTAssertEqual(bench.lookups.value, 0)
      XCTAssertEqual(bench.handled.value, 0)
    }
  }

  func testHostOfTheURLIsTheOneThatWasSigned() async throws {
    // Signed for another host than that of the URL: the header alone does not make it valid.
    try await withEach { bench in
      let signed = try bench.signed(bench.request())
      let path = try XCTUnwrap(signed.path)
      let other = "other-1250000000.localhost:1"
      let (status, text) = try await status(signed, "http://\(other)\(path)", hosts: [other], bench)
      XCTAssertEqual(status, 403, "\(bench.service): \(text)")
    }
  }
}
