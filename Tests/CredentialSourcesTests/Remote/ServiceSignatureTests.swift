// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import HTTPTypes
import OSSAuth
import StorageAuth
import XCTest

/// Tests which calls the services' signers reject, and the parsing of their authorizations.
final class ServiceSignatureTests: XCTestCase {
  private let key = AccessKey(id: "id", secret: "secret")

  private func call(_ headers: [(String, String)], path: String = "/") throws -> ServiceCall {
    var request = HTTPRequest(method: .post, scheme: "https", authority: "sts.example.com", path: path)
    for (name, value) in headers {
      request.headerFields.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(name)), value: value))
    }
    return ServiceCall(request)
  }

  private var alibaba: [(String, String)] {
    [("x-acs-action", "A"), ("x-acs-version", "1"), ("x-acs-signature-nonce", "n")]
  }

  private var tencent: [(String, String)] { [("Content-Type", "application/json"), ("X-TC-Action", "A")] }

  private func assertRefused(
    _ call: ServiceCall, by signer: some Signer<ServiceCall, AccessKey>, _ code: SigningError.Code, line: UInt = #line
  ) {
    var changed = call
    XCTAssertThrowsError(try signer.sign(&changed, with: key, in: .now), line: line) { error in
      XCTAssertEqual((error as? SigningError)?.code, code, line: line)
    }
    XCTAssertEqual(changed.request, call.request, "a rejected call must be unchanged", line: line)
  }

  func testCallWithoutARequiredHeaderIsRejected() throws {
    for index in alibaba.indices {
      var headers = alibaba
      headers.remove(at: index)
      assertRefused(try call(headers), by: ACS3Signer(), .invalidHeader)
      assertRefused(try call(alibaba + [alibaba[index]]), by: ACS3Signer(), .invalidHeader)
    }
    assertRefused(try call(alibaba, path: "/?a=%zz"), by: ACS3Signer(), .invalidPath)
    for index in tencent.indices {
      var headers = tencent
      headers.remove(at: index)
      assertRefused(try call(headers), by: TC3Signer(service: "sts"), .invalidHeader)
    }
  }

  func testAnonymousKeyLeavesTheCallUnchanged() throws {
    let calls = [try call(alibaba), try call(tencent)]
    XCTAssertEqual(try ACS3Signer().signed(calls[0], with: .anonymous, in: .now).request, calls[0].request)
    XCTAssertEqual(
      try TC3Signer(service: "sts").signed(calls[1], with: .anonymous, in: .now).request, calls[1].request)
  }

  func testSigningAgainReplacesTheEarlierSignature() throws {
    let temporary = AccessKey(id: "STS.id", secret: "other", sessionToken: "token")
    let context = SigningContext.at(Timestamp(unixSeconds: 1_800_000_000))
    let first = try call(alibaba)
    let again = try ACS3Signer().signed(
      ACS3Signer().signed(first, with: temporary, in: .at(Timestamp(unixSeconds: 1))), with: key, in: context)
    XCTAssertEqual(again.request, try ACS3Signer().signed(first, with: key, in: context).request)
    let signer = TC3Signer(service: "sts")
    let second = try call(tencent)
    let twice = try signer.signed(
      signer.signed(second, with: temporary, in: .at(Timestamp(unixSeconds: 1))), with: key, in: context)
    XCTAssertEqual(
      twice.request.headerFields[.authorization],
      try signer.signed(second, with: key, in: context).request.headerFields[.authorization])
    XCTAssertNil(twice.request.headerFields[try XCTUnwrap(HTTPField.Name("X-TC-Token"))])
  }

  func testBodyAndQueryAreSigned() throws {
    let context = SigningContext.at(Timestamp(unixSeconds: 1_800_000_000))
    func signature(_ path: String, _ body: [UInt8]) throws -> String {
      var call = try call(alibaba, path: path)
      call.body = body
      let header = try ACS3Signer().signed(call, with: key, in: context).request.headerFields[.authorization]
      return try XCTUnwrap(header.flatMap(ServiceAuthorization.init)).signature
    }
    let base = try signature("/?a=1&b=2", [1])
    XCTAssertEqual(base, try signature("/?b=2&a=1", [1]), "the order of the parameters must not be signed")
    XCTAssertEqual(try signature("/?a=+", []), try signature("/?a=%20", []))
    XCTAssertNotEqual(base, try signature("/?a=1&b=3", [1]))
    XCTAssertNotEqual(base, try signature("/?a=1&b=2", [2]))
  }

  func testMalformedAuthorizationIsRejected() {
    let whole = "ACS3-HMAC-SHA256 Credential=id,SignedHeaders=host;x-acs-date,Signature=00ff"
    XCTAssertEqual(ServiceAuthorization(whole)?.signedHeaders, ["host", "x-acs-date"])
    for broken in [
      "", "ACS3-HMAC-SHA256", "SKIP", "ACS3-HMAC-SHA256 Credential=id", whole + ",Signature=11", whole + ",Other=1",
      "ACS3-HMAC-SHA256 Credential=,SignedHeaders=host,Signature=00",
      "ACS3-HMAC-SHA256 Credential=id,SignedHeaders=,Signature=00",
      "ACS3-HMAC-SHA256 Credential,SignedHeaders,Signature",
    ] {
      XCTAssertNil(ServiceAuthorization(broken), broken)
    }
  }
}
