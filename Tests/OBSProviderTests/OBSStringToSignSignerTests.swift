// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OBSProvider
import StorageAuth
import XCTest

/// Remote signing of OBS strings under a policy.
final class OBSStringToSignSignerTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "OBSEXAMPLETEMPKEY002", secret: "a secret", sessionToken: "a/token+=")
  private let endpoint = Result { try ServiceEndpoint("https://obs.cn-north-4.myhuaweicloud.com") }
  private let rules = SigningRules(
    AccessPolicy([
      AccessRule(.read, objects: .prefix("mine/"), in: "photos"),
      AccessRule(.write, objects: .prefix("mine/"), in: "photos"),
    ]))

  private func order(
    _ method: HTTPRequest.Method, _ key: String, _ parameters: [RequestTarget.Parameter] = [],
    _ headers: HTTPFields = [:], isURL: Bool = false
  ) throws -> (SigningRequest, PendingSignature) {
    let request = try endpoint.get().request(
      method, bucket: "photos", key: key, parameters: parameters, headers: headers)
    let signer = OBSSigner()
    let pending =
      isURL
      ? try signer.prepare(presigning: request, as: self.key.identity, validFor: .seconds(600), in: .at(date))
      : try signer.prepare(request, as: self.key.identity, in: .at(date))
    return (SigningRequest(pending), pending)
  }

  private func assertRefused(_ order: SigningRequest, _ code: SigningRefusal.Code, line: UInt = #line) {
    XCTAssertThrowsError(try OBSStringToSignSigner().sign(order, with: key, under: rules, at: date), line: line) {
      XCTAssertEqual(($0 as? SigningRefusal)?.code, code, "\($0)", line: line)
    }
  }

  func testAllowedOperationsAreSignedAndVerify() throws {
    let orders: [(HTTPRequest.Method, String, [RequestTarget.Parameter], Bool)] = [
      (.put, "mine/a b+é", [], false), (.get, "mine/?&#", [.init(name: "versionId", value: "G0")], true),
      (.post, "mine/a", [.init(name: "uploads", value: nil)], false),
      (.put, "mine/a", [.init(name: "partNumber", value: "3"), .init(name: "uploadId", value: "0+/=")], true),
      (.get, "mine/a", [.init(name: "response-content-type", value: "a&b=c")], true),
    ]
    for (method, name, parameters, isURL) in orders {
      let (order, pending) = try order(method, name, parameters, isURL: isURL)
      let answer = try OBSStringToSignSigner().sign(order, with: key, under: rules, at: date)
      let signed = try OBSSigner().finish(pending, signature: answer.signature)
      let verifier = OBSVerifier()
      let claim = try XCTUnwrap(verifier.claim(in: signed))
      let verified = try verifier.verify(claim, against: key, at: date)
      XCTAssertEqual(verified.target.key?.string, name)
    }
  }

  func testForbiddenOperationsAreRejected() throws {
    assertRefused(try order(.put, "other/a").0, .notAllowed)
    assertRefused(try order(.delete, "mine/a").0, .notAllowed)
    assertRefused(try order(.put, "mine/a", [.init(name: "acl", value: nil)]).0, .unknownOperation)
    let acl = try XCTUnwrap(HTTPField.Name("x-obs-acl"))
    assertRefused(try order(.put, "mine/a", [], [acl: "public-read"]).0, .unknownOperation)
    let copy = try XCTUnwrap(HTTPField.Name("x-obs-copy-source"))
    assertRefused(try order(.put, "mine/a", [], [copy: "/photos/other/a"]).0, .unknownOperation)
  }

  /// The version may be part of the other parameter's value: then the request is for another version.
  func testEveryInterpretationIsFound() throws {
    let (order, _) = try order(
      .get, "mine/a",
      [.init(name: "response-content-type", value: "x"), .init(name: "versionId", value: "5")], isURL: true)
    let intent = try OBSStringToSignSigner().intent(of: order)
    XCTAssertEqual(intent.target.parameters.map(\.name), ["response-content-type", "versionId"])
    XCTAssertEqual(
      intent.otherTargets.map(\.parameters), [[.init(name: "response-content-type", value: "x&versionId=5")]])
  }

  func testNoncanonicalStringsAreRejected() throws {
    let (order, _) = try order(.get, "mine/a", [.init(name: "versionId", value: "5")])
    let text = order.stringToSign
    let broken = [
      text.replacingOccurrences(of: "mine/a", with: "mine%2Fa"),
      text.replacingOccurrences(of: "mine/a", with: "mine/a b"), text + "&acl", text + "&versionId=6",
      text.replacingOccurrences(of: "x-obs-security-token", with: "X-Obs-Security-Token"),
      text.replacingOccurrences(of: "?versionId=5", with: "?acl="), text.replacingOccurrences(of: "GMT", with: "UTC"),
      text.replacingOccurrences(of: "/photos/mine/a?versionId=5", with: "/photos"), "", "GET\n\n\n\n",
    ]
    for broken in broken {
      assertRefused(SigningRequest(.obs, method: "GET", stringToSign: broken), .malformed)
    }
    assertRefused(SigningRequest(.obs, method: "PUT", stringToSign: text), .malformed)
    assertRefused(SigningRequest(.obs, method: "GET", stringToSign: text, canonicalRequest: ""), .malformed)
  }

  func testDifferentTokenIsRejected() throws {
    let (order, _) = try order(.get, "mine/a")
    let other = AccessKey(id: key.id, secret: key.secret, sessionToken: Secret("another"))
    XCTAssertThrowsError(try OBSStringToSignSigner().sign(order, with: other, under: rules, at: date)) {
      XCTAssertEqual(($0 as? SigningRefusal)?.code, .anotherKey)
    }
  }
}
