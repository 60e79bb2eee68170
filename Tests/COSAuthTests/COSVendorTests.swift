// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Requests of the vendor's SDKs: compatible mode accepts them, strict mode rejects what the signature does not cover.
final class COSVendorTests: XCTestCase {
  private func assertAccepted(
    _ request: HTTPRequest, by mode: COSVerifier.Mode = .compatible, with key: AccessKey = COSFixture.key,
    line: UInt = #line
  ) throws {
    let error = try COSFixture.refusal(request, mode, against: key)
    XCTAssertNil(error, error?.message ?? "", line: line)
  }

  private func header(
    _ request: HTTPRequest, _ text: String, headers: String, parameters: String = "",
    with key: AccessKey = COSFixture.key
  ) -> HTTPRequest {
    request.adding("authorization", "")
      .replacingAuthorization(
        COSFixture.authorization(of: text, headers: headers, parameters: parameters, with: key))
  }

  // matrix: COS V5: verify
  func testPythonSDKSignsTheHostWithoutItsPort() throws {
    let request = COSFixture.request(host: "127.0.0.1:9000").replacing("/cat.jpg", with: "/photos-1250000000/cat.jpg")
    let signed = header(request, "get\n/photos-1250000000/cat.jpg\n\nhost=127.0.0.1\n", headers: "host")
    try assertAccepted(signed)
    XCTAssertEqual(try COSFixture.refusal(signed, .strict)?.code, .mismatch)
    let withPort = header(request, "get\n/photos-1250000000/cat.jpg\n\nhost=127.0.0.1%3A9000\n", headers: "host")
    try assertAccepted(withPort)
    try assertAccepted(withPort, by: .strict)
    var moved = signed
    moved.authority = "127.0.0.2:9000"
    XCTAssertEqual(try COSFixture.refusal(moved, .compatible)?.code, .mismatch)
  }

  // matrix: COS V5: verify
  func testJavaNodeAndAndroidSDKsAddTheTokenAfterSigning() throws {
    let text = "get\n/cat.jpg\n\nhost=\(COSFixture.host)\n"
    let plain = header(COSFixture.request(), text, headers: "host", with: COSFixture.temporary)
    let token = COSFixture.token
    for signed in [
      plain.adding("x-cos-security-token", token), plain.adding("x-ci-security-token", token),
      plain.appending("x-cos-security-token=tok%2Ben%2Fwith%3D%3D"),
    ] {
      try assertAccepted(signed, with: COSFixture.temporary)
      XCTAssertEqual(
        try COSFixture.refusal(signed, .strict, against: COSFixture.temporary)?.code, .unsignedField)
    }
    XCTAssertEqual(try COSFixture.refusal(plain, .compatible, against: COSFixture.temporary)?.code, .missingToken)
  }

  // matrix: COS V5: verify
  func testGoSDKListsARepeatedNameEveryTimeAndAndroidSDKOnce() throws {
    let request = COSFixture.request(.get, "/a?tag=b&tag=a")
    let go = header(request, "get\n/a\ntag=a&tag=b\n\n", headers: "", parameters: "tag;tag")
    let android = header(request, "get\n/a\ntag=b&tag=a\n\n", headers: "", parameters: "tag")
    try assertAccepted(go)
    try assertAccepted(android)
    var swapped = android
    swapped.path = "/a?tag=b&tag=c"
    XCTAssertEqual(try COSFixture.refusal(swapped, .compatible)?.code, .mismatch)
  }

  // matrix: COS V5: verify
  func testNodeSDKSortsByDecodedName() throws {
    let request = COSFixture.request(.get, "/a?a%2Fb=1&a-b=2")
    let list = "a%2fb;a-b"
    let node = header(request, "get\n/a\na-b=2&a%2fb=1\n\n", headers: "", parameters: list)
    let others = header(request, "get\n/a\na%2fb=1&a-b=2\n\n", headers: "", parameters: list)
    try assertAccepted(node)
    try assertAccepted(others)
    XCTAssertEqual(try COSFixture.refusal(node, .strict)?.code, .unsignedField, "the host is not signed")
  }

  // matrix: COS V5: verify
  func testIOSSDKUsesUppercaseEscapesAndListsTheURLsToken() throws {
    let request = COSFixture.request(.get, "/a?A%2fb=1")
    try assertAccepted(header(request, "get\n/a\na%2Fb=1\n\n", headers: "", parameters: "a/b"))
    let token = "tok%2Ben%2Fwith%3D%3D"
    let authorization = COSFixture.authorization(
      of: "get\n/cat.jpg\n\nhost=\(COSFixture.host)&x-cos-security-token=\(token)\n",
      headers: "host;x-cos-security-token", parameters: "", with: COSFixture.temporary)
    let url = COSFixture.request().appending(authorization).appending("x-cos-security-token=\(token)")
    try assertAccepted(url, with: COSFixture.temporary)
    XCTAssertNotNil(try COSFixture.refusal(url, .strict, against: COSFixture.temporary))
    XCTAssertNotNil(
      try COSFixture.refusal(
        url.replacing(token, with: "other"), .compatible, against: COSFixture.temporary))
    XCTAssertEqual(
      try COSFixture.refusal(
        COSFixture.request().appending(authorization), .compatible, against: COSFixture.temporary)?.code, .missingToken)
  }

  // matrix: COS V5: verify
  func testLegacySignParameterIsAccepted() throws {
    let text = "get\n/cat.jpg\n\nhost=\(COSFixture.host)\n"
    let authorization = COSFixture.authorization(of: text, headers: "host", parameters: "")
    let encoded = authorization.replacing("=", with: "%3D").replacing("&", with: "%26").replacing(";", with: "%3B")
    try assertAccepted(COSFixture.request().appending("sign=" + encoded))
    try assertAccepted(COSFixture.request().appending("sign=" + encoded), by: .strict)
    try assertAccepted(COSFixture.request().appending(authorization), by: .strict)
    XCTAssertEqual(
      try COSFixture.refusal(COSFixture.request().appending("sign=" + encoded + "&sign=" + encoded), .compatible)?.code,
      .ambiguous)
    XCTAssertNotNil(
      try COSFixture.refusal(COSFixture.request().appending("sign=" + encoded.replacing("%", with: "%25")), .compatible)
    )
  }

  // matrix: COS V5: verify
  func testEmptyListsAreAcceptedOnlyInCompatibleMode() throws {
    let signed = header(COSFixture.request(), "get\n/cat.jpg\n\n\n", headers: "")
    try assertAccepted(signed)
    XCTAssertEqual(try COSFixture.refusal(signed, .strict)?.code, .unsignedField)
  }

  // matrix: COS V5: verify
  func testDoublyEncodedParameterListOfAURLIsDecoded() throws {
    let request = COSFixture.request(.get, "/a?imageMogr2%2Fthumbnail%2F%2150p")
    let signed = try COSFixture.presigned(request)
    XCTAssertTrue(signed.path?.contains("q-url-param-list=imagemogr2%252fthumbnail%252f%252150p") == true)
    try assertAccepted(signed, by: .strict)
    try assertAccepted(signed.replacing("%252f", with: "%252F"), by: .strict)
  }
}

extension HTTPRequest {
  fileprivate func replacingAuthorization(_ value: String) -> HTTPRequest {
    var copy = self
    copy.headerFields[.authorization] = value
    return copy
  }
}
