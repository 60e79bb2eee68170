// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the signer of Node API requests.
final class AsperaNodeSignerTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_800_000_000)

  private func request(_ headers: HTTPFields = [:]) -> HTTPRequest {
    HTTPRequest(
      method: .post, scheme: "https", authority: "node.example.com:9092", path: "/files/browse?a=%20",
      headerFields: headers)
  }

  private func signed(_ request: HTTPRequest, _ access: AsperaNodeAccess) throws -> HTTPRequest {
    try AsperaNodeSigner().signed(request, with: access, in: .at(date))
  }

  private func accessKeyHeader(of request: HTTPRequest) -> String? {
    HTTPField.Name("X-Aspera-AccessKey").flatMap { request.headerFields[$0] }
  }

  // matrix: Aspera Node (basic): header
  func testNodeUsersAndAccessKeysAreSentAsBasic() throws {
    let cases: [(AsperaNodeAccess, String)] = [
      (.basic(user: "Aladdin", password: Secret("open sesame")), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
      (.basic(user: "test", password: Secret("123£")), "Basic dGVzdDoxMjPCow=="),
      (.basic(user: "ü", password: Secret(":")), "Basic w7w6Og=="),
      (.accessKey(id: "ak", secret: Secret("with:colon")), "Basic YWs6d2l0aDpjb2xvbg=="),
    ]
    for (access, value) in cases {
      let signed = try signed(request(), access)
      XCTAssertEqual(signed.headerFields[.authorization], value)
      XCTAssertNil(accessKeyHeader(of: signed))
      XCTAssertEqual(signed.path, "/files/browse?a=%20")
    }
  }

  // matrix: Aspera Node (bearer): header
  func testBearerTokensAreSentWithTheirAccessKey() throws {
    let vectors = try TokenVectors()
    let expected = try vectors.text("node_bearer_token", "authorization_header")
    for name in ["token", "authorization_header"] {
      let token = Secret(try vectors.text("node_bearer_token", name))
      let signed = try signed(request(), .bearer(token, accessKey: "my_access_key"))
      XCTAssertEqual(signed.headerFields[.authorization], expected)
      XCTAssertEqual(
        accessKeyHeader(of: signed), vectors["node_bearer_token"]["headers"]?["X-Aspera-AccessKey"]?.string)
    }
  }

  func testEarlierAuthorizationIsReplaced() throws {
    var request = request([.authorization: "Basic b2xk", .accept: "application/json"])
    request.headerFields.append(HTTPField(name: .authorization, value: "Bearer old"))
    request = try signed(request, .bearer(Secret("new"), accessKey: "ak"))
    XCTAssertEqual(request.headerFields[values: .authorization], ["Bearer new"])
    XCTAssertEqual(accessKeyHeader(of: request), "ak")
    request = try signed(request, .basic(user: "mia", password: Secret("pw")))
    XCTAssertEqual(request.headerFields[values: .authorization], ["Basic bWlhOnB3"])
    XCTAssertNil(accessKeyHeader(of: request))
    XCTAssertEqual(request.headerFields[.accept], "application/json")
    XCTAssertEqual(request.headerFields.count, 2)
  }

  // matrix: Aspera Node (basic): bad input, atomicity
  // matrix: Aspera Node (bearer): bad input, atomicity
  func testInvalidAccessIsRejectedAndTheRequestUnchanged() throws {
    let before = request([.authorization: "Basic b2xk"])
    for (name, access) in NodeSamples.unusable {
      var request = before
      XCTAssertThrowsError(try AsperaNodeSigner().sign(&request, with: access, in: .at(date)), name) { thrown in
        let error = thrown as? SigningError
        XCTAssertEqual(error?.code, .invalidCredential, name)
        XCTAssertEqual(DisplayedTexts(of: thrown).containing(["c4nary0"]), [], name)
        XCTAssertTrue(error?.remedy.hasSuffix(".") == true, name)
      }
      XCTAssertEqual(request, before, name)
    }
  }

  // matrix: Aspera Node (basic): atomicity
  // matrix: Aspera Node (bearer): atomicity
  func testRequestThatMustNotCarryASecretIsRejected() throws {
    let cases: [(String, (inout HTTPRequest) -> Void, SigningError.Code)] = [
      ("no host", { $0.authority = nil }, .invalidRequest),
      ("a user in the host", { $0.authority = "a:b@node.example.com" }, .invalidRequest),
      ("plain http", { $0.scheme = "http" }, .invalidRequest), ("plain HTTP", { $0.scheme = "HTTP" }, .invalidRequest),
      ("no path", { $0.path = nil }, .invalidPath), ("a line break", { $0.path = "/a\r\nX: b" }, .invalidPath),
      ("no slash", { $0.path = "a" }, .invalidPath),
    ]
    for (name, change, code) in cases {
      var before = request()
      change(&before)
      for (_, access) in NodeSamples.usable {
        var request = before
        XCTAssertThrowsError(try AsperaNodeSigner().sign(&request, with: access, in: .at(date)), name) {
          XCTAssertEqual(($0 as? SigningError)?.code, code, name)
        }
        XCTAssertEqual(request, before, name)
      }
    }
    for host in ["127.0.0.1:9091", "localhost", "[::1]:9091"] {
      var request = request()
      request.scheme = "http"
      request.authority = host
      XCTAssertNotNil(try signed(request, .basic(user: "a", password: Secret("b"))).headerFields[.authorization])
    }
    var plain = request()
    plain.scheme = "http"
    try AsperaNodeSigner(allowsPlainHTTP: true).sign(
      &plain, with: .basic(user: "a", password: Secret("b")), in: .at(date))
    XCTAssertEqual(plain.headerFields[.authorization], "Basic YTpi")
  }

  // matrix: Aspera Node (bearer): expiry
  func testTokenExpirationIsKnownAndTwoSecondsMustRemain() throws {
    let vectors = try TokenVectors()
    let access = AsperaNodeAccess.bearer(Secret(try vectors.text("node_bearer_token", "token")), accessKey: "ak")
    XCTAssertEqual(access.expiration, Timestamp(iso8601: "2030-01-01T00:00:00Z"))
    XCTAssertEqual(
      AsperaNodeAccess(access.method, expiration: date).expiration, date, "the caller's expiration takes precedence")
    XCTAssertNil(AsperaNodeAccess.bearer(Secret("opaque"), accessKey: "ak").expiration)
    XCTAssertNil(AsperaNodeAccess.basic(user: "a", password: Secret("b")).expiration)
    XCTAssertEqual(AsperaNodeSigner().requiredValidity(from: date), date.advanced(by: .seconds(2)))
  }

  // matrix: Aspera Node (basic): redaction
  // matrix: Aspera Node (bearer): redaction
  func testAccessDescriptionContainsOnlyMethodAndIdentity() {
    for (_, access) in NodeSamples.usable {
      XCTAssertEqual(DisplayedTexts(of: access).containing(["c4nary0"]), [])
      XCTAssertTrue("\(access)".contains(access.identity), "\(access)")
    }
    XCTAssertEqual(
      "\(AsperaNodeAccess.basic(user: "mia", password: Secret("x")))",
      "AsperaNodeAccess(node user: mia, password: \(Secret.mask))")
    XCTAssertEqual(
      "\(AsperaNodeAccess(.bearer(token: Secret("x"), accessKey: "ak"), expiration: date))",
      "AsperaNodeAccess(access key: ak, bearer token: \(Secret.mask), expiration: \(date))")
  }

  // matrix: Aspera Node (basic): header, bad input, atomicity, redaction
  // matrix: Aspera Node (bearer): header, bad input, atomicity, redaction
  func testSignerConformsToTheRulesOfAllSigners() {
    let samples = NodeSamples.usable.enumerated().map { index, item in
      SigningSample(
        item.name,
        request: HTTPRequest(
          method: .get, scheme: "https", authority: "node.example.com:9092", path: "/ops/transfers?active_only=true",
          headerFields: [.accept: "application/json", .contentType: "application/json", .range: "bytes=0-\(index)"]),
        credential: item.access, date: date, otherSecret: NodeSamples.withOtherSecret(item.access),
        secrets: item.name.contains("token") ? [] : ["c4nary0"])
    }
    // The secret itself is sent: it is not bound to a date, a method or a path, and there is no anonymous access.
    let unbound: [SignerRule] = [.boundDate, .boundMethod, .boundPath, .anonymity]
    let report = SignerConformance(AsperaNodeSigner(), samples: samples, anonymous: nil, unusable: NodeSamples.unusable)
      .report(SignerRule.allCases.filter { !unbound.contains($0) })
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertFalse("\(report)".contains("not tried"), "\(report)")
  }
}
