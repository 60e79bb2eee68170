// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import StorageDiagnosis
import XCTest

/// Diagnosis of OSS requests that an intermediary changed and LocalCloud rejected.
final class RewrittenRequestTests: XCTestCase {
  private typealias Change = (inout HTTPRequest) -> Void

  private struct Row {
    let request: HTTPRequest
    let change: Change
    let cause: SignatureDiagnosis.Cause
    let line: String
  }

  private func row(
    _ method: HTTPRequest.Method, _ path: String, _ headers: [String: String] = [:],
    _ cause: SignatureDiagnosis.Cause, _ line: String, _ change: @escaping Change
  ) -> Row {
    Row(request: Provocation.request(method, path, headers), change: change, cause: cause, line: line)
  }

  /// Changes by an intermediary to parts that both versions sign.
  private var common: [Row] {
    [
      row(.put, "/cat.jpg", [:], .contentTypeAdded, "Content-Type") { $0["Content-Type"] = "text/plain" },
      row(.put, "/a", ["Content-Type": "text/xml"], .contentTypeChanged, "Content-Type") {
        $0["Content-Type"] = "text/xml; charset=utf-8"
      },
      row(.put, "/a", ["Content-Type": "text/xml"], .contentTypeChanged, "Content-Type") { $0["Content-Type"] = nil },
      row(.put, "/a", [:], .contentMD5Changed, "Content-MD5") { $0["Content-MD5"] = "1B2M2Y8AsgTpgAmY7PhCfg==" },
      row(.get, "/my%20cat", [:], .plusForSpace, "path") { $0.path = "/my+cat" },
      row(.get, "/my+cat", [:], .plusForSpace, "path") { $0.path = "/my%20cat" },
      row(.get, "/my%20cat", [:], .encodedTwice, "path") { $0.path = "/my%2520cat" },
      row(.get, "/100%2525", [:], .decodedTwice, "path") { $0.path = "/100%25" },
      row(.get, "/caf%C3%A9", [:], .unicodeForm, "path") { $0.path = "/cafe%CC%81" },
      row(.get, "/cat", [:], .pathPrefixAdded, "path") { $0.path = "/storage/v1/cat" },
      row(.get, "/storage/cat", [:], .pathPrefixRemoved, "path") { $0.path = "/cat" },
      row(.get, "/a//b", [:], .slashesMerged, "path") { $0.path = "/a/b" },
      row(.get, "/a/./b/../c", [:], .dotsResolved, "path") { $0.path = "/a/c" },
      row(.get, "/cat.jpg", [:], .pathChanged, "path") { $0.path = "/index.html" },
      row(.get, "/?uploads", [:], .parameterRemoved, "query parameter uploads") { $0.path = "/" },
      row(.get, "/a?acl", [:], .parameterAdded, "query parameter tagging") { $0.path = "/a?acl&tagging" },
      row(.get, "/what%3F?acl", [:], .parameterAdded, "query parameter tagging") { $0.path = "/what%3F?acl&tagging" },
      row(.get, "/what%3Fa?acl", [:], .pathChanged, "path") { $0.path = "/what%3Fb?acl" },
      row(.get, "/a?versionId=1", [:], .parameterChanged, "query parameter versionId") { $0.path = "/a?versionId=2" },
      row(.get, "/a?response-expires=a%2520b", [:], .decodedTwice, "query parameter response-expires") {
        $0.path = "/a?response-expires=a%20b"
      },
      row(.get, "/a?response-expires=a%2Bb", [:], .plusForSpace, "query parameter response-expires") {
        $0.path = "/a?response-expires=a+b"
      },
      row(.put, "/a", [:], .headerAdded, "header x-oss-object-acl") { $0["x-oss-object-acl"] = "public-read" },
      row(.put, "/a", ["x-oss-meta-a": "1"], .headerRemoved, "header x-oss-meta-a") { $0["x-oss-meta-a"] = nil },
      row(.put, "/a", ["x-oss-meta-a": "1"], .headerChanged, "header x-oss-meta-a") { $0["x-oss-meta-a"] = "2" },
      row(.head, "/a", [:], .methodChanged, "method") { $0.method = .get },
      row(.delete, "/a", [:], .methodChanged, "method") { $0.method = .post },
    ]
  }

  // matrix: OSS V1: diagnosis
  func testChangesToV1RequestsAreNamed() async throws {
    let provocation = try await Provocation(self)
    for row in common {
      assertDiagnosis(
        try await provocation.explain(row.request.oss(.v1), row.change), row.cause, line: row.line)
    }
  }

  // matrix: OSS V4: diagnosis
  func testChangesToV4RequestsAreNamed() async throws {
    let provocation = try await Provocation(self)
    for row in common {
      assertDiagnosis(
        try await provocation.explain(row.request.oss(.v4), row.change), row.cause, line: row.line)
    }
  }

  func testDiagnosisForATemporaryKeyMasksItsToken() async throws {
    let provocation = try await Provocation(self)
    for version in OSSSignatureVersion.allCases {
      for row in common {
        assertDiagnosis(
          try await provocation.explain(row.request.oss(version, with: Provocation.temporaryKey), row.change),
          row.cause, line: row.line)
      }
    }
  }

  func testChangesToURLsAreNamed() async throws {
    let provocation = try await Provocation(self)
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, region: "cn-hangzhou")
      let url = try signer.presign(
        Provocation.request(.put, "/cat.jpg"), with: Provocation.temporaryKey, validFor: .seconds(60),
        in: .at(Provocation.now)
      ).request
      assertDiagnosis(
        try await provocation.explain(url) { $0["Content-Type"] = "image/jpeg" }, .contentTypeAdded,
        line: "Content-Type", received: "image/jpeg")
      assertDiagnosis(
        try await provocation.explain(url) { $0.path = $0.path.map { "\($0)&acl" } }, .parameterAdded,
        line: "query parameter acl")
    }
  }

  func testDateChangedByAnHTTPStackIsNamed() async throws {
    let provocation = try await Provocation(self)
    let later = Provocation.now.advanced(by: .seconds(5))
    let request = Provocation.request(.get, "/a")
    assertDiagnosis(
      try await provocation.explain(request.oss(.v1)) { $0["Date"] = later.httpDate }, .dateChanged, line: "Date",
      sent: Provocation.now.httpDate, received: later.httpDate)
    assertDiagnosis(try await provocation.explain(request.oss(.v1)) { $0["Date"] = nil }, .dateMissing)
    assertDiagnosis(
      try await provocation.explain(request.oss(.v4)) { $0["x-oss-date"] = later.iso8601Basic }, .dateChanged,
      line: "header x-oss-date")
  }

  func testChangesToPartsThatOnlyV4SignsAreNamed() async throws {
    let provocation = try await Provocation(self)
    let ranged = try Provocation.request(.get, "/a", ["Range": "bytes=0-1"]).oss(additional: ["range", "host"])
    assertDiagnosis(
      try await provocation.explain(ranged) { $0["Range"] = "bytes=0-9" }, .headerChanged, line: "header range")
    assertDiagnosis(try await provocation.explain(ranged) { $0["Range"] = nil }, .additionalHeaders)
    assertDiagnosis(
      try await provocation.explain(ranged) { $0.authority = Provocation.ossHost + ":8080" }, .hostPort, line: "Host",
      sent: Provocation.ossHost, received: Provocation.ossHost + ":8080")
    assertDiagnosis(
      try await provocation.explain(ranged) { $0.authority = "photos.oss-cn-hangzhou-internal.aliyuncs.com" },
      .hostChanged, line: "Host")
    assertDiagnosis(
      try await provocation.explain(ranged) { $0["x-oss-content-sha256"] = "e3b0" }, .payloadHash)
  }

  func testWrongBucketOfACustomDomainIsNamed() async throws {
    let provocation = try await Provocation(self)
    let request = Provocation.request(.get, "/cat.jpg", host: "photos.example.com")
    for version in OSSSignatureVersion.allCases {
      let wrong = try request.oss(version, bucket: "pictures", style: .customDomain)
      for service in [SignedService.oss(bucket: "pictures", style: .customDomain), .oss(bucket: "pictures")] {
        assertDiagnosis(
          try await provocation.explain(wrong, for: service), .wrongBucket, line: "path", sent: "/pictures/cat.jpg",
          received: "/photos/cat.jpg")
      }
    }
  }
}
