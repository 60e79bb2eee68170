// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import HTTPTypes
import StorageAuth
import XCTest

@testable import S3Auth

/// Tests Signature Version 4 for services other than S3 against known answers.
final class SigV4SignatureTests: XCTestCase {
  private let secret = Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

  private func call(
    _ method: HTTPRequest.Method, _ host: String, _ path: String = "/", _ headers: HTTPFields = [:], body: String = ""
  ) -> ServiceCall {
    ServiceCall(
      HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: headers),
      body: Array(body.utf8))
  }

  /// `é` as one scalar and as two are equal names for Swift, whose order is that of their bytes.
  func testParametersAreSortedByBytes() {
    let pairs = [FormPair("\u{e9}", "1"), FormPair("e\u{301}", "2"), FormPair("e", "3"), FormPair("e", "0")]
    XCTAssertEqual(FormPair.sorted(pairs).map(\.value), ["0", "3", "2", "1"])
  }

  /// Covers `get-vanilla`, `get-vanilla-query-order-key-case`, `get-header-value-trim`, `post-sts-header-before` and
  /// `post-x-www-form-urlencoded` of the suite that AWS published for Signature Version 4.
  func testPublishedSuiteIsReproduced() throws {
    let amzDate = try XCTUnwrap(HTTPField.Name("X-Amz-Date"))
    let token = try XCTUnwrap(HTTPField.Name("X-Amz-Security-Token"))
    let hash = try XCTUnwrap(HTTPField.Name("x-amz-content-sha256"))
    let scheme = SigV4Signature(
      region: "us-east-1", service: "service", date: Timestamp(unixSeconds: 1_440_938_160))
    XCTAssertEqual(scheme.scope, "20150830/us-east-1/service/aws4_request")
    let host = "example.amazonaws.com"
    let date: HTTPFields = [amzDate: "20150830T123600Z"]
    let cases: [(ServiceCall, [String], String)] = [
      (
        call(.get, host, "/", date), ["host", "x-amz-date"],
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
      ),
      (
        call(.get, host, "/?Param2=value2&Param1=value1", date), ["host", "x-amz-date"],
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
      ),
      (
        call(
          .post, host, "/",
          [
            amzDate: "20150830T123600Z",
            token:
              "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
          ]), ["host", "x-amz-date", "x-amz-security-token"],
        "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
      ),
      (
        call(
          .post, host, "/",
          [
            .contentType: "application/x-www-form-urlencoded", .contentLength: "13", amzDate: "20150830T123600Z",
            hash: "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
          ], body: "Param1=value1"),
        ["content-length", "content-type", "host", "x-amz-content-sha256", "x-amz-date"],
        "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"
      ),
    ]
    for (call, names, signature) in cases {
      XCTAssertEqual(try scheme.signature(of: call, signing: names, secret: secret), signature)
    }
  }

  /// Covers signatures of botocore 1.43.11 for `sts` in `eu-central-1`.
  func testSTSCallsAreSignedAsByBotocore() throws {
    let body = "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx&RoleSessionName=alice"
    let signer = SigV4Signer(region: "eu-central-1", service: "sts")
    for (token, names, signature) in [
      (
        nil as String?, "content-type;host;x-amz-date",
        "ab0cd2b35380589d620b8148e20eabf81adc66a8c5fe5385828b1397ba06ab2b"
      ),
      (
        "tokenThatAsks/+==", "content-type;host;x-amz-date;x-amz-security-token",
        "322a7fc734cab6557c2a2dd1701980138c7331202ea13749bf422ff90e42b92c"
      ),
    ] {
      var call = call(
        .post, "sts.eu-central-1.amazonaws.com", "/",
        [.accept: "application/xml", .contentType: "application/x-www-form-urlencoded; charset=utf-8"], body: body)
      let key = AccessKey(id: "ASIAasks", secret: "s3cretThatAsks/+=", sessionToken: token)
      for _ in 0..<2 { try signer.sign(&call, with: key, in: .at(RemoteService.now)) }
      XCTAssertEqual(
        call.request.headerFields[.authorization],
        "AWS4-HMAC-SHA256 Credential=ASIAasks/20270115/eu-central-1/sts/aws4_request, SignedHeaders=\(names), "
          + "Signature=\(signature)")
    }
  }

  func testCallThatCannotBeSignedIsRejectedAndUnchanged() throws {
    let signer = SigV4Signer(region: "eu-central-1", service: "sts")
    let twice = try XCTUnwrap(HTTPField.Name("X-Amz-Target"))
    var headers: HTTPFields = [:]
    headers.append(HTTPField(name: twice, value: "a"))
    headers.append(HTTPField(name: twice, value: "b"))
    for (call, code) in [
      (call(.post, "sts.example.com", "/", headers), SigningError.Code.invalidHeader),
      (call(.get, "sts.example.com", "/?a=%zz"), .invalidPath),
    ] {
      var changed = call
      XCTAssertThrowsError(try signer.sign(&changed, with: AccessKey(id: "id", secret: "s"), in: .now)) {
        XCTAssertEqual(($0 as? SigningError)?.code, code)
      }
      XCTAssertEqual(changed.request, call.request)
      XCTAssertEqual(try signer.signed(call, with: .anonymous, in: .now).request, call.request)
    }
  }
}
