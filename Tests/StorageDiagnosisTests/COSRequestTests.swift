// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import StorageAuth
import StorageDiagnosis
import XCTest

/// Diagnosis of COS requests that an intermediary changed and LocalCloud rejected.
final class COSRequestTests: XCTestCase {
  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ headers: [String: String] = [:],
    host: String = Provocation.cosHost
  ) throws -> HTTPRequest {
    try Provocation.request(method, path, host: host, headers).cos(with: Provocation.temporaryKey)
  }

  // matrix: COS V5: diagnosis
  func testChangesByAnIntermediaryAreNamed() async throws {
    let provocation = try await Provocation(self)
    let rows: [(HTTPRequest, SignatureDiagnosis.Cause, String, (inout HTTPRequest) -> Void)] = [
      (
        try request(.put, "/a", ["Content-Type": "text/xml"]), .contentTypeChanged, "Content-Type",
        { $0["Content-Type"] = "text/xml; charset=utf-8" }
      ),
      (
        try request(.put, "/a", ["Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="]), .contentMD5Changed, "Content-MD5",
        { $0["Content-MD5"] = "2B2M2Y8AsgTpgAmY7PhCfg==" }
      ),
      (try request(.get, "/my%20cat"), .plusForSpace, "path", { $0.path = "/my+cat" }),
      (try request(.get, "/my%20cat"), .encodedTwice, "path", { $0.path = "/my%2520cat" }),
      (try request(.get, "/100%2525"), .decodedTwice, "path", { $0.path = "/100%25" }),
      (try request(.get, "/caf%C3%A9"), .unicodeForm, "path", { $0.path = "/cafe%CC%81" }),
      (try request(.get, "/cat"), .pathPrefixAdded, "path", { $0.path = "/cos/cat" }),
      (try request(.get, "/cos/cat"), .pathPrefixRemoved, "path", { $0.path = "/cat" }),
      (try request(.get, "/a//b"), .slashesMerged, "path", { $0.path = "/a/b" }),
      (try request(.get, "/a/../b"), .dotsResolved, "path", { $0.path = "/b" }),
      (try request(.get, "/?prefix=a%2Bb"), .plusForSpace, "query parameter prefix", { $0.path = "/?prefix=a+b" }),
      (
        try request(.get, "/a%0Ab?prefix=a"), .parameterChanged, "query parameter prefix",
        { $0.path = "/a%0Ab?prefix=b" }
      ),
      (try request(.get, "/?prefix=a"), .parameterChanged, "query parameter prefix", { $0.path = "/?prefix=b" }),
      (
        try request(.get, "/a", host: Provocation.cosHost + ":8080"), .hostPort, "Host",
        { $0.authority = Provocation.cosHost }
      ),
      (try request(.get, "/a"), .hostChanged, "Host", { $0.authority = "photos-1250000000.example.com" }),
      (try request(.get, "/a"), .hostChanged, "Host", { $0.authority = Provocation.cosHost.uppercased() }),
      (
        try request(.put, "/a", ["x-cos-meta-a": "1"]), .headerChanged, "header x-cos-meta-a",
        { $0["x-cos-meta-a"] = "2" }
      ),
      (try request(.head, "/a"), .methodChanged, "method", { $0.method = .get }),
    ]
    for (signed, cause, line, change) in rows {
      assertDiagnosis(try await provocation.explain(signed, for: .cos(), change), cause, line: line)
    }
  }

  func testSignedListMismatchesAreNamed() async throws {
    let provocation = try await Provocation(self)
    let listed = try request(.put, "/a?prefix=b", ["x-cos-meta-a": "1"])
    assertDiagnosis(
      try await provocation.explain(listed, for: .cos()) { $0["x-cos-meta-a"] = nil }, .signedListMismatch)
    assertDiagnosis(try await provocation.explain(listed, for: .cos()) { $0.path = "/a" }, .signedListMismatch)
    assertDiagnosis(
      try await provocation.explain(listed, for: .cos()) { $0["x-cos-acl"] = "public-read" }, .unsignedField)
    var late = listed
    late["x-cos-acl"] = "public-read"
    assertDiagnosis(try await provocation.explain(late, for: .cos()), .unsignedField, line: "header x-cos-acl")
  }

  func testUnsignedTokenIsNamed() async throws {
    let provocation = try await Provocation(self, isStrict: true)
    let plain = Provocation.request(.get, "/a", host: Provocation.cosHost)
    var signed = try plain.cos(with: AccessKey(id: "STS.test", secret: "not-a-secret"))
    signed["x-cos-security-token"] = Provocation.token
    assertDiagnosis(
      try await provocation.explain(signed, for: .cos()), .tokenUnsigned, line: "header x-cos-security-token")
  }

  func testRejectedURLIsExplained() async throws {
    let provocation = try await Provocation(self)
    for form in [COSSigner.URLForm.parameters, .sign] {
      let url = try COSSigner(urlForm: form).presign(
        Provocation.request(.get, "/cat.jpg", host: Provocation.cosHost), with: Provocation.temporaryKey,
        validFor: .seconds(60), in: .at(Provocation.now)
      ).request
      assertDiagnosis(
        try await provocation.explain(url, for: .cos()) { $0.path = $0.path.map { "/x" + $0 } }, .pathPrefixAdded,
        line: "path")
    }
  }

  // matrix: COS V5: diagnosis, redaction
  func testCustomerKeyIsNotShown() throws {
    let name = "x-cos-server-side-encryption-customer-key"
    let plain = Provocation.request(.put, "/a", host: Provocation.cosHost, ["x-cos-meta-a": "1"])
    var full = plain
    full[name] = "Y3VzdG9tZXItc2VjcmV0"
    let sent = try full.cos()
    func explain(_ received: HTTPRequest, _ change: (String) -> String = { $0 }) throws -> SignatureDiagnosis {
      let text = try COSSigner().prepare(received, as: Provocation.key.identity, in: .at(Provocation.now))
        .canonicalRequest
      let answer = RejectedResponse(change(try XCTUnwrap(text)))
      return try XCTUnwrap(SignatureDiagnosis(of: answer, to: sent, signedFor: .cos()))
    }
    let missing = try explain(plain)
    assertDiagnosis(missing, .headerRemoved, line: "header \(name)", sent: Secret.mask)
    let reordered = try explain(full) { text in
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.split(separator: "&").reversed().joined(separator: "&") }.joined(separator: "\n")
    }
    assertDiagnosis(reordered, .otherDifference)
    for diagnosis in [missing, reordered] {
      XCTAssertTrue(diagnosis.sent?.contains(Secret.mask) ?? false)
      XCTAssertFalse("\(diagnosis)".contains("Y3VzdG9tZXItc2VjcmV0"), "\(diagnosis)")
    }
  }
}
