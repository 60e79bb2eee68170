// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import StorageAuth
import XCTest

/// Parameters and headers that a proof reports as covered by a COS signature.
final class COSSignedPartsTests: XCTestCase {
  private let key = AccessKey(id: "AKIDtest", secret: "not-a-secret")
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func signed(_ path: String, adding added: String = "") throws -> HTTPRequest {
    var request = HTTPRequest(
      method: .get, scheme: "https", authority: "photos-1250000000.cos.ap-guangzhou.myqcloud.com", path: path,
      headerFields: [.contentType: "text/plain", .userAgent: "test"])
    try COSSigner().sign(&request, with: key, in: .at(date))
    request.path = path + added
    return request
  }

  private func proof(of request: HTTPRequest, _ mode: COSVerifier.Mode = .compatible) throws -> VerifiedRequest {
    let verifier = COSVerifier(mode: mode)
    let claim = try verifier.claim(in: request)
    return try verifier.verify(try XCTUnwrap(claim), against: key, at: date)
  }

  func testUnlistedParameterIsReportedAsUnsigned() throws {
    let proof = try proof(of: signed("/a?Prefix=p&acl", adding: "&max-keys=1&marker=m"))
    XCTAssertEqual(proof.target.parameters.map(\.name), ["Prefix", "acl"])
    XCTAssertEqual(proof.target["prefix"], "p", "names are signed in lowercase")
    XCTAssertNil(proof.target["max-keys"])
    XCTAssertEqual(proof.unsignedParameters.map(\.name), ["max-keys", "marker"])
    XCTAssertFalse(proof.signsPlacement)
  }

  func testListedHeadersAreReportedAsSigned() throws {
    XCTAssertEqual(try proof(of: signed("/a")).signedHeaders, ["content-type", "host"])
    XCTAssertEqual(try proof(of: signed("/a"), .strict).unsignedParameters, [])
  }

  func testAuthorizationInTheURLIsNotASignedParameter() throws {
    var request = try signed("/a?acl")
    let authorization = try XCTUnwrap(request.headerFields[.authorization])
    request.headerFields[.authorization] = nil
    request.path = "/a?acl&" + authorization
    let proof = try proof(of: request)
    XCTAssertEqual(proof.target.parameters.map(\.name), ["acl"])
    XCTAssertEqual(proof.unsignedParameters.count, 7)
    XCTAssertEqual(proof.placement, .query)
  }
}
