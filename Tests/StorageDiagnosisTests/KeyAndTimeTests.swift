// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import LocalCloud
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageDiagnosis
import XCTest

/// Diagnosis of requests that are rejected because of their key, time, scope or permissions.
final class KeyAndTimeTests: XCTestCase {
  private let oss = Provocation.request(.get, "/a")
  private let cos = Provocation.request(.get, "/a", host: Provocation.cosHost)

  func testKeyProblemsAreNamed() async throws {
    let provocation = try await Provocation(self)
    for version in OSSSignatureVersion.allCases {
      func cause(_ key: AccessKey, at date: Timestamp = Provocation.now) async throws -> SignatureDiagnosis? {
        try await provocation.explain(try oss.oss(version, with: key, at: date))
      }
      assertDiagnosis(try await cause(AccessKey(id: "LTAItest", secret: "another")), .unknown)
      assertDiagnosis(try await cause(AccessKey(id: "LTAInobody", secret: "another")), .unknownKeyID)
      assertDiagnosis(try await cause(AccessKey(id: "STS.test", secret: "not-a-secret")), .tokenMissing)
      let mixed = AccessKey(id: "STS.test", secret: "not-a-secret", sessionToken: "token-of-another")
      assertDiagnosis(try await cause(mixed), .tokenOfAnotherKey)
      let permanent = AccessKey(id: "LTAItest", secret: "not-a-secret", sessionToken: Provocation.token)
      assertDiagnosis(try await cause(permanent), .tokenOfAnotherKey)
      assertDiagnosis(
        try await cause(Provocation.endedKey, at: Provocation.now.advanced(by: .seconds(-10))), .tokenExpired)
    }
  }

  func testCOSKeyProblemsAreNamed() async throws {
    let provocation = try await Provocation(self)
    func cause(_ key: AccessKey) async throws -> SignatureDiagnosis? {
      try await provocation.explain(try cos.cos(with: key), for: .cos())
    }
    assertDiagnosis(try await cause(AccessKey(id: "LTAItest", secret: "another")), .unknown)
    assertDiagnosis(try await cause(AccessKey(id: "AKIDnobody", secret: "another")), .unknownKeyID)
    let temporary = "AKID" + String(repeating: "x", count: 60)
    assertDiagnosis(try await cause(AccessKey(id: temporary, secret: "another")), .tokenMissing)
    let mixed = AccessKey(id: "STS.test", secret: "not-a-secret", sessionToken: "token-of-another")
    assertDiagnosis(try await cause(mixed), .tokenOfAnotherKey)
  }

  func testMissingPermissionIsNamedInsteadOfTheSignature() async throws {
    let provocation = try await Provocation(self)
    let inside = AccessRule(.read, .write, objects: .prefix("uploads/alice/"), in: "photos-1250000000")
    let policy = AccessPolicy([inside])
    let time = ManualClock(now: Provocation.now)
    let keys = StaticCredentialProvider(Provocation.key)
    let alibaba = try await AlibabaAssumeRoleProvider(
      roleARN: LocalCloud.Role.alibaba.arn, credentials: keys, policy: policy.ramDocument(),
      endpoint: .url(provocation.cloud.servicesURL + "/")
    ).bound(to: ProviderContext(transport: AsyncHTTPClientTransport.shared, time: time)).credential()
    let tencent = try await TencentFederationProvider(
      name: "alice", policy: policy.camDocument(region: "ap-guangzhou"), credentials: keys,
      endpoint: .url(provocation.cloud.servicesURL + "/")
    ).bound(to: ProviderContext(transport: AsyncHTTPClientTransport.shared, time: time)).credential()
    let ossHost = "photos-1250000000.oss-cn-hangzhou.aliyuncs.com"
    for path in ["/uploads/bob/dog.jpg", "/?prefix=uploads/bob/"] {
      var answers: [(SignatureDiagnosis?, AccessKey)] = []
      for version in OSSSignatureVersion.allCases {
        let request = try Provocation.request(.get, path, host: ossHost).oss(version, with: alibaba)
        answers.append((try await provocation.explain(request), alibaba))
      }
      let request = try Provocation.request(.get, path, host: Provocation.cosHost).cos(with: tencent)
      answers.append((try await provocation.explain(request, for: .cos()), tencent))
      for (diagnosis, key) in answers {
        assertDiagnosis(diagnosis, .accessDenied)
        let explanation = diagnosis?.explanation ?? ""
        XCTAssertTrue(explanation.contains("The signature is right"), explanation)
        XCTAssertTrue(explanation.contains("\(key.id) is a temporary one"), explanation)
        XCTAssertTrue(explanation.contains("the policy of its session"), explanation)
      }
    }
    let allowed = try Provocation.request(.get, "/uploads/alice/none", host: ossHost).oss(with: alibaba)
    let other = try await provocation.explain(allowed)
    XCTAssertNil(other, "a missing object is not a permission problem")
    let wrong = AccessKey(id: alibaba.id, secret: Secret("another"), sessionToken: alibaba.sessionToken)
    let forged = try Provocation.request(.get, "/uploads/bob/dog.jpg", host: ossHost).oss(with: wrong)
    assertDiagnosis(try await provocation.explain(forged), .unknown)
    let refusal = RejectedResponse("<Error><Code>AccessDenied</Code><Message>No right.</Message></Error>")
    let diagnosis = SignatureDiagnosis(of: refusal, to: try Provocation.request(.get, "/a").oss(), signedFor: .oss())
    XCTAssertFalse(diagnosis?.explanation.contains("temporary") ?? true)
  }

  func testClockSkewIsNamedWithItsDifference() async throws {
    let provocation = try await Provocation(self)
    let late = Provocation.now.advanced(by: .seconds(-3660))
    let early = Provocation.now.advanced(by: .seconds(1800))
    for version in OSSSignatureVersion.allCases {
      let slow = try await provocation.explain(oss.oss(version, at: late))
      assertDiagnosis(slow, .clockSkew, sent: late.iso8601, received: Provocation.now.iso8601)
      XCTAssertTrue(slow?.explanation.contains("1 h 1 min behind the service") ?? false)
      let fast = try await provocation.explain(oss.oss(version, at: early))
      assertDiagnosis(fast, .clockSkew)
      XCTAssertTrue(fast?.explanation.contains("30 min ahead of the service") ?? false)
    }
    let fast = try await provocation.explain(cos.cos(at: early), for: .cos())
    assertDiagnosis(fast, .notYetValid, line: "sign time", sent: early.iso8601)
    XCTAssertTrue(fast?.explanation.contains("30 min ahead") ?? false)
    let slow = try await provocation.explain(cos.cos(at: Provocation.now.advanced(by: .seconds(-7200))), for: .cos())
    assertDiagnosis(slow, .expired, line: "sign time")
    XCTAssertTrue(slow?.explanation.contains("1 h before the service checked it") ?? false)
  }

  func testExpiredURLIsNamed() async throws {
    let provocation = try await Provocation(self)
    for version in OSSSignatureVersion.allCases {
      let url = try OSSSigner(version, region: "cn-hangzhou").presign(
        oss, with: Provocation.key, validFor: .seconds(60), in: .at(Provocation.now.advanced(by: .seconds(-180)))
      ).request
      let diagnosis = try await provocation.explain(url)
      assertDiagnosis(
        diagnosis, .expired, line: "end of the URL", sent: Provocation.now.advanced(by: .seconds(-120)).iso8601)
      XCTAssertTrue(diagnosis?.explanation.contains("2 min before") ?? false)
    }
  }

  func testWrongScopeIsNamed() async throws {
    let provocation = try await Provocation(self)
    assertDiagnosis(
      try await provocation.explain(oss.oss(region: "cn-shanghai"), for: .oss(region: "cn-hangzhou")), .wrongRegion,
      line: "region of the scope", sent: "cn-shanghai")
    assertDiagnosis(
      try await provocation.explain(oss.oss(product: "oss-cloudbox")), .wrongService, line: "service of the scope",
      sent: "oss-cloudbox")
    var spelt = try oss.oss()
    spelt["Authorization"] = spelt["Authorization"]?.replacing("/cn-hangzhou/", with: "/oss-cn-hangzhou/")
    let diagnosis = try await provocation.explain(spelt)
    assertDiagnosis(diagnosis, .wrongRegion, sent: "oss-cn-hangzhou")
    XCTAssertTrue(diagnosis?.explanation.contains("endpoint") ?? false)
    var yesterday = try oss.oss()
    let day = String(Provocation.now.iso8601Basic.prefix(8))
    let before = String(Provocation.now.advanced(by: .seconds(-86_400)).iso8601Basic.prefix(8))
    yesterday["Authorization"] = yesterday["Authorization"]?.replacing("/\(day)/", with: "/\(before)/")
    assertDiagnosis(try await provocation.explain(yesterday), .wrongDay, line: "day of the scope", sent: before)
  }

  func testMalformedAuthorizationIsNamed() async throws {
    let provocation = try await Provocation(self)
    assertDiagnosis(try await provocation.explain(oss), .unsigned)
    assertDiagnosis(try await provocation.explain(cos, for: .cos()), .unsigned)
    var url = try OSSSigner(region: "cn-hangzhou").presign(
      oss, with: Provocation.key, validFor: .seconds(60), in: .at(Provocation.now)
    ).request
    url["Authorization"] = try oss.oss()["Authorization"]
    assertDiagnosis(try await provocation.explain(url), .multipleSignatures)
    var cut = try oss.oss()
    cut["Authorization"] = "OSS4-HMAC-SHA256 Credential=LTAItest"
    assertDiagnosis(try await provocation.explain(cut), .malformedAuthorization)
  }

  func testHEADRequestIsExplainedFromItsHeaders() async throws {
    let provocation = try await Provocation(self)
    let signed = try Provocation.request(.head, "/a", ["Content-Type": "text/plain"]).oss()
    assertDiagnosis(
      try await provocation.explain(signed) { $0["Content-Type"] = "text/html" }, .contentTypeChanged)
    let silent = try Provocation.request(.head, "/a", host: Provocation.cosHost).cos()
    assertDiagnosis(try await provocation.explain(silent, for: .cos()) { $0.path = "/b" }, .unexplained)
  }
}
