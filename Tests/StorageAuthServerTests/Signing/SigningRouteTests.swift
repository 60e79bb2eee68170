// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import LocalCloud
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the signing route's responses to requests outside its policy, for every scheme, in headers and in URLs.
final class SigningRouteTests: XCTestCase {
  private let time = ManualClock()

  private var date: Timestamp { time.now }

  /// Returns prepared requests, for headers and for URLs.
  private func pendings(
    _ bench: SigningBench, _ method: HTTPRequest.Method, _ key: String?, bucket: String = SigningBench.bucket,
    parameters: [RequestTarget.Parameter] = [], headers: HTTPFields = [:], as identity: Identity? = nil,
    validFor duration: Duration = .seconds(60), at date: Timestamp? = nil
  ) throws -> [(name: String, pending: PendingSignature)] {
    let identity = identity ?? SigningBench.key.identity
    let context = SigningContext(date: date ?? self.date)
    let oss = try bench.cloud.ossEndpoint.request(
      method, bucket: bucket, key: key, parameters: parameters, headers: headers)
    let cos = try bench.cloud.cosEndpoint.request(
      method, bucket: bucket, key: key, parameters: parameters, headers: headers)
    var pendings: [(name: String, pending: PendingSignature)] = []
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, bucket: bucket, region: "cn-hangzhou")
      pendings.append(("OSS \(version) header", try signer.prepare(oss, as: identity, in: context)))
      pendings.append(
        ("OSS \(version) URL", try signer.prepare(presigning: oss, as: identity, validFor: duration, in: context)))
    }
    pendings.append(("COS header", try COSSigner().prepare(cos, as: identity, in: context)))
    pendings.append(
      ("COS URL", try COSSigner().prepare(presigning: cos, as: identity, validFor: duration, in: context)))
    return pendings
  }

  private func body(_ pending: PendingSignature) -> JSONObject {
    let order = SigningRequest(pending)
    var body = JSONObject()
    body["provider"] = .string(order.scheme.service)
    body["version"] = .string(order.scheme.version)
    body["method"] = .string(order.method)
    body["stringToSign"] = .string(order.stringToSign)
    body["canonicalRequest"] = order.canonicalRequest.map { .string($0) }
    return body
  }

  private func assertRefused(
    _ bench: SigningBench, _ pending: PendingSignature, _ code: String, _ name: String, line: UInt = #line
  ) async throws {
    let (answered, answer, text) = try await bench.post(.object(body(pending)))
    XCTAssertEqual(answered, 403, "\(name): \(text)", line: line)
    XCTAssertEqual(answer["code"]?.string, code, "\(name): \(text)", line: line)
    XCTAssertNil(answer["signature"], name, line: line)
    XCTAssertNil(answer["authorization"], name, line: line)
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  // matrix: COS V5: remote signing
  func testAllowedRequestIsSignedWithTheKey() async throws {
    let bench = try await SigningBench(self, time: time)
    for (name, pending) in try pendings(bench, .put, "alice/a") {
      let (status, answer, text) = try await bench.post(.object(body(pending)))
      XCTAssertEqual(status, 200, "\(name): \(text)")
      let signature = answer["authorization"]?.string ?? answer["signature"]?.string ?? ""
      if name.contains("v1") {
        XCTAssertTrue(signature.hasPrefix("OSS LTAItest:"), name)
        XCTAssertEqual(answer.object?.names, ["authorization"], name)
      } else {
        XCTAssertEqual(answer.object?.names, ["accessKeyId", "signature"], name)
      }
      let finished =
        name.hasPrefix("COS")
        ? try COSSigner().finish(pending, signature: signature)
        : try OSSSigner(name.contains("v1") ? .v1 : .v4, region: "cn-hangzhou").finish(pending, signature: signature)
      let verified =
        name.hasPrefix("COS")
        ? try await COSVerifier(mode: .compatible).verify(finished, at: date) { _ in SigningBench.key }
        : try await OSSVerifier().verify(finished, at: date) { _ in SigningBench.key }
      XCTAssertEqual(verified.target.key, "alice/a", name)
    }
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  // matrix: COS V5: remote signing, bad input
  func testOtherBucketKeyAndVerbAreRejected() async throws {
    let policy = AccessPolicy([AccessRule(.read, objects: .prefix("alice/"), in: SigningBench.bucket)])
    let bench = try await SigningBench(self, policy: policy, time: time)
    for (name, pending) in try pendings(bench, .get, "alice/a", bucket: "other-1250000000") {
      try await assertRefused(bench, pending, "notAllowed", "\(name): bucket")
    }
    for key in ["bob/a", "alice", "Alice/a", "alice%2Fa", "/alice/a"] {
      for (name, pending) in try pendings(bench, .get, key) {
        try await assertRefused(bench, pending, "notAllowed", "\(name): \(key)")
      }
    }
    for method in [HTTPRequest.Method.put, .delete] {
      for (name, pending) in try pendings(bench, method, "alice/a") {
        try await assertRefused(bench, pending, "notAllowed", "\(name): \(method)")
      }
    }
    for (name, pending) in try pendings(bench, .get, nil) {
      try await assertRefused(bench, pending, "notAllowed", "\(name): list")
    }
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  // matrix: COS V5: remote signing, bad input
  func testSubresourceOrHeaderOfAnotherOperationIsRejected() async throws {
    let all = AccessPolicy([AccessRule(.read, .write, .delete, .list, objects: .all, in: SigningBench.bucket)])
    let bench = try await SigningBench(self, policy: all, time: time)
    for name in ["acl", "policy", "tagging", "restore", "append", "symlink", "cors", "x-oss-process"] {
      for method in [HTTPRequest.Method.get, .put, .post, .delete] {
        for key in ["alice/a", nil] {
          for (scheme, pending) in try pendings(bench, method, key, parameters: [.init(name: name, value: nil)]) {
            try await assertRefused(bench, pending, "unknownOperation", "\(scheme): \(method) \(name)")
          }
        }
      }
    }
    for (name, value) in [
      ("copy-source", "/other/key"), ("acl", "public-read"), ("object-acl", "public-read"), ("callback", "e30="),
      ("tagging", "a=b"), ("symlink-target", "x"), ("grant-read", "id"), ("unheard-of", "1"),
    ] {
      var fields = HTTPFields()
      for prefix in ["x-oss-", "x-cos-"] {
        fields.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(prefix + name)), value: value))
      }
      for (scheme, pending) in try pendings(bench, .put, "alice/a", headers: fields) {
        try await assertRefused(bench, pending, "unknownOperation", "\(scheme): \(name)")
      }
    }
  }

  // matrix: OSS V1: remote signing, expiry
  // matrix: OSS V4: remote signing, expiry
  // matrix: COS V5: remote signing, expiry
  func testLongerLifetimeAndOtherTimeAreRejected() async throws {
    let bench = try await SigningBench(self, lifetime: .seconds(600), time: time)
    for (name, pending) in try pendings(bench, .get, "alice/a", validFor: .seconds(700)) where name.hasSuffix("URL") {
      try await assertRefused(bench, pending, "lifetime", name)
    }
    for (name, pending) in try pendings(bench, .get, "alice/a", at: date.advanced(by: .seconds(-90_000))) {
      let code = name == "OSS v1 URL" || name.hasPrefix("COS") ? "lifetime" : "clockSkew"
      try await assertRefused(bench, pending, code, "\(name): yesterday")
    }
    for (name, pending) in try pendings(bench, .get, "alice/a", at: date.advanced(by: .seconds(90_000))) {
      try await assertRefused(bench, pending, name == "OSS v1 URL" ? "lifetime" : "clockSkew", "\(name): tomorrow")
    }
  }

  // matrix: OSS V4: remote signing, bad input
  // matrix: COS V5: remote signing, bad input
  func testHashOfAnotherCanonicalRequestIsRejected() async throws {
    let bench = try await SigningBench(self, time: time)
    let others = try pendings(bench, .get, "bob/a")
    for ((name, pending), (_, other)) in zip(try pendings(bench, .get, "alice/a"), others) {
      var swapped = body(pending)
      swapped["stringToSign"] = body(other)["stringToSign"]
      let (status, answer, _) = try await bench.post(.object(swapped))
      if name.contains("v1") {
        XCTAssertEqual(answer["code"]?.string, "notAllowed", name)
      } else {
        XCTAssertEqual(status, 400, name)
        XCTAssertEqual(answer["code"]?.string, "hashMismatch", name)
      }
      var without = body(pending)
      without["canonicalRequest"] = name.contains("v1") ? "GET\n" : nil
      let refused = try await bench.post(.object(without))
      XCTAssertEqual(refused.answer["code"]?.string, "malformed", name)
    }
  }

  func testMalformedRequestAndUnauthenticatedCallerAreRejected() async throws {
    let bench = try await SigningBench(self, time: time)
    let good = body(try XCTUnwrap(try pendings(bench, .get, "alice/a").first).pending)
    for name in ["provider", "version", "method", "stringToSign"] {
      var order = good
      order[name] = nil
      let (status, answer, _) = try await bench.post(.object(order))
      XCTAssertEqual(status, 400, name)
      XCTAssertEqual(answer["code"]?.string, "malformed", name)
      order = good
      order[name] = "x"
      let other = try await bench.post(.object(order))
      XCTAssertEqual(other.status, 400, name)
      order[name] = 1
      let number = try await bench.post(.object(order))
      XCTAssertEqual(number.status, 400, name)
    }
    var more = good
    more["policy"] = "all"
    let (status, _, _) = try await bench.post(.object(more))
    XCTAssertEqual(status, 400)
    var long = good
    long["stringToSign"] = .string(String(repeating: "x", count: 200_000))
    let tooLong = try await bench.post(.object(long))
    XCTAssertEqual(tooLong.status, 413)
    let noJSON = try await bench.post(bytes: Array("{".utf8))
    XCTAssertEqual(noJSON.status, 400)
    let stranger = try await bench.post(.object(good), login: "mallory")
    XCTAssertEqual(stranger.status, 401)
  }

  // matrix: OSS V1: remote signing, redaction
  // matrix: OSS V4: remote signing, redaction
  // matrix: COS V5: remote signing, redaction
  func testTokenMustBeTheKeysAndIsInNoErrorResponse() async throws {
    let bench = try await SigningBench(self, key: SigningBench.temporary, time: time)
    let other = Identity(id: SigningBench.temporary.id, sessionToken: Secret("stolen+token"))
    let none = Identity(id: SigningBench.temporary.id)
    for identity in [other, none] {
      for (name, pending) in try pendings(bench, .get, "alice/a", as: identity) {
        let (status, answer, text) = try await bench.post(.object(body(pending)))
        XCTAssertEqual(status, 403, name)
        XCTAssertEqual(answer["code"]?.string, "anotherKey", name)
        XCTAssertFalse(text.contains("stolen"), name)
        XCTAssertFalse(text.contains("to+ken"), name)
      }
    }
    for (name, pending) in try pendings(bench, .get, "bob/a", as: SigningBench.temporary.identity) {
      let (_, answer, text) = try await bench.post(.object(body(pending)))
      XCTAssertEqual(answer["code"]?.string, "notAllowed", name)
      XCTAssertFalse(text.contains("to+ken") || text.contains("to%2Bken"), name)
    }
  }
}
