// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageDiagnosis
import XCTest

/// Diagnosis of real servers' responses, as their users quoted them.
final class RealAnswerTests: XCTestCase {
  /// Returns a response of COS in its servers' format.
  private func cosAnswer(_ window: String, _ hash: String, _ formatString: String) -> RejectedResponse {
    RejectedResponse(
      """
      <?xml version='1.0' encoding='utf-8' ?>
      <Error>
      \t<Code>SignatureDoesNotMatch</Code>
      \t<Message>The Signature you specified is invalid.</Message>
      \t<StringToSign>sha1
      \(window)
      \(hash)
      </StringToSign>
      \t<FormatString>\(formatString.replacing("&", with: "&amp;"))</FormatString>
      \t<Resource>r</Resource><RequestId>R</RequestId><TraceId>T</TraceId>
      </Error>
      """)
  }

  /// Returns a request that was signed for a period.
  private func signed(
    _ path: String, host: String, _ headers: [String: String], from start: Int64, to end: Int64,
    _ policy: COSHeaderPolicy = .standard
  ) throws -> HTTPRequest {
    let key = AccessKey(
      id: "AKIDtest", secret: "not-a-secret", start: Timestamp(unixSeconds: start),
      expiration: Timestamp(unixSeconds: end))
    return try Provocation.request(.put, path, host: host, headers).cos(
      policy, with: key, at: Timestamp(unixSeconds: start))
  }

  func testCharsetAddedByAnHTTPStackIsNamed() throws {
    let host = "test-app-1251021022.cos.ap-guangzhou.myqcloud.com"
    let request = try signed(
      "/?cors=", host: host,
      [
        "content-length": "454", "content-md5": "DfuiC7IOBwIeiVanWPG/Kg==", "content-type": "application/xml",
        "date": "Wed, 19 Oct 2022 05:49:28 GMT",
      ], from: 1_666_158_568, to: 1_666_218_568,
      .only(["content-length", "content-md5", "content-type", "date", "host"]))
    let answer = cosAnswer(
      "1666158568;1666218568", "488ab174d5f7a6ec0966aeeb82600e185114d7d1",
      "put\n/\ncors=\ncontent-length=454&content-md5=DfuiC7IOBwIeiVanWPG%2FKg%3D%3D&content-type=application%2Fxml"
        + "%3B%20charset%3Dutf-8&date=Wed%2C%2019%20Oct%202022%2005%3A49%3A28%20GMT&host=\(host)\n")
    let diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: .cos())
    assertDiagnosis(
      diagnosis, .contentTypeChanged, line: "Content-Type", sent: "application%2Fxml",
      received: "application%2Fxml%3B%20charset%3Dutf-8")
    XCTAssertEqual(diagnosis?.otherLines, [])
  }

  func testEqualStringsForAKeyWithChineseCharactersLeaveTheCauseUnknown() throws {
    let host = "bingbing-1253488539.cos.ap-nanjing.myqcloud.com"
    let headers = ["content-length": "778314", "content-type": "image/jpeg"]
    let answer = cosAnswer(
      "1680157339;1680157519", "fd8170f0893f3185a1471c368104dddea1f83dd9",
      "put\n/log/YqNfNc_观众_.log\n\ncontent-length=778314&content-type=image%2Fjpeg&host=\(host)\n")
    func diagnosis(_ path: String) throws -> SignatureDiagnosis? {
      SignatureDiagnosis(
        of: answer, to: try signed(path, host: host, headers, from: 1_680_157_339, to: 1_680_157_519),
        signedFor: .cos())
    }
    let same = try diagnosis("/log/YqNfNc_%E8%A7%82%E4%BC%97_.log")
    assertDiagnosis(same, .unknown)
    XCTAssertTrue(same?.explanation.contains("So are the hashes") ?? false, "the vector hashes to its third line")
    assertDiagnosis(
      try diagnosis("/log/YqNfNc_%25E8%25A7%2582%25E4%25BC%2597_.log"), .decodedTwice, line: "path",
      received: "/log/YqNfNc_观众_.log")
  }

  func testMissingSlashInAPathIsNamed() throws {
    let answer = cosAnswer(
      "1615113257;1615199657", "c7503b92a8581b3f3f68c8f7f64a8917b03a1a95",
      "put\n/imagesresume-zh en_页面_1.png\n\nhost=o2-1258123310.cos.ap-beijing.myqcloud.com\n")
    let encoded = "resume-zh%20en_%E9%A1%B5%E9%9D%A2_1.png"
    for (path, cause) in [
      ("/images/\(encoded)", SignatureDiagnosis.Cause.pathChanged), ("/images\(encoded)", .unknown),
      ("/images\(encoded.replacing("%20", with: "+"))", .plusForSpace),
    ] {
      let request = try signed(
        path, host: "o2-1258123310.cos.ap-beijing.myqcloud.com", [:], from: 1_615_113_257, to: 1_615_199_657)
      assertDiagnosis(SignatureDiagnosis(of: answer, to: request, signedFor: .cos()), cause)
    }
  }

  func testEqualStringsWithEmptySignedListsLeaveTheCauseUnknown() throws {
    let answer = cosAnswer(
      "1564976412;1564980012", "009ec928a0a91a0cc0c936c7acddc10169a45e33", "put\n/38905642349559468_1.jpg\n\n\n")
    let request = try signed(
      "/38905642349559468_1.jpg", host: Provocation.cosHost, [:], from: 1_564_976_412, to: 1_564_980_012, .only([]))
    let diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: .cos())
    assertDiagnosis(diagnosis, .unknown)
    XCTAssertTrue(diagnosis?.explanation.contains("So are the hashes") ?? false)
  }

  func testTruncatedStringIsReportedAsAHiddenDifference() throws {
    let answer = cosAnswer(
      "1564976412;1564980012", "119ec928a0a91a0cc0c936c7acddc10169a45e33", "put\n/38905642349559468_1.jpg\n\n\n")
    let request = try signed(
      "/38905642349559468_1.jpg", host: Provocation.cosHost, [:], from: 1_564_976_412, to: 1_564_980_012, .only([]))
    assertDiagnosis(
      SignatureDiagnosis(of: answer, to: request, signedFor: .cos()), .hiddenDifference,
      line: "hash of the canonical request")
  }

  /// A response of OSS to an upload whose HTTP stack added a Content-Type (aliyun-oss-go-sdk, issue 121).
  func testContentTypeAddedByAnHTTPStackIsNamedForOSS() throws {
    let date = Timestamp(unixSeconds: 1_536_581_960)
    let url = try OSSSigner(.v1, bucket: "llvision").presign(
      Provocation.request(.put, "/sample3.png", host: "llvision.oss-cn-beijing.aliyuncs.com"), with: Provocation.key,
      validFor: .seconds(60), in: .at(date.advanced(by: .seconds(-60))))
    let text = "PUT\n\ntext/plain\n1536581960\n/llvision/sample3.png"
    let bytes = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    let document = """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match the \
      signature you provided. Check your key and signing method.</Message><RequestId>R</RequestId><HostId>h</HostId>\
      <OSSAccessKeyId>LTAItest</OSSAccessKeyId><SignatureProvided>s</SignatureProvided>\
      <StringToSign>\(text.replacing("\n", with: " "))</StringToSign><StringToSignBytes>\(bytes)</StringToSignBytes>\
      <EC>0002-00000040</EC></Error>
      """
    for answer in [
      RejectedResponse(document), RejectedResponse("oss: status 403\n\(document)\nat line 7"), RejectedResponse(text),
    ] {
      assertDiagnosis(
        SignatureDiagnosis(of: answer, to: url.request, signedFor: .oss(bucket: "llvision")), .contentTypeAdded,
        line: "Content-Type", received: "text/plain")
    }
  }

  func testOSSErrorCodesAreExplained() throws {
    let signed = try Provocation.request(.get, "/a").oss()
    let rows: [(String, String, SignatureDiagnosis.Cause?)] = [
      ("AccessDenied", "You have no right to access this object because of bucket acl.", .accessDenied),
      ("AccessDenied", "OSS authentication requires a valid Date.", .dateMissing),
      ("AccessDenied", "Request has expired.", .expired),
      ("AccessForbidden", "You are denied by bucket referer rule", .accessDenied),
      ("InvalidAccessKeyId", "The OSS Access Key Id you provided does not exist in our records.", .unknownKeyID),
      ("SecurityTokenExpired", "The security token you provided has expired.", .tokenExpired),
      ("InvalidArgument", "Authorization header is invalid.", .malformedAuthorization),
      ("InvalidArgument", "V1 signature is not supported, please use signature version 4.", .wrongVersion),
      ("RequestTimeTooSkewed", "", .clockSkew), ("SignatureDoesNotMatch", "", .unknown),
    ]
    for (code, message, cause) in rows {
      let answer = RejectedResponse(
        "HTTP/1.1 403 Forbidden\r\nDate: \(Provocation.now.httpDate)\r\n\r\n<Error><Code>\(code)</Code><Message>\(message)"
          + "</Message></Error>")
      XCTAssertEqual(answer.status, 403)
      XCTAssertEqual(SignatureDiagnosis(of: answer, to: signed, signedFor: .oss())?.cause, cause, "\(code) \(message)")
    }
    for other in [
      "<Error><Code>NoSuchKey</Code></Error>", "", "Bad gateway", "<Error><Code>InvalidArgument</Code></Error>",
    ] {
      XCTAssertNil(SignatureDiagnosis(of: RejectedResponse(other), to: signed, signedFor: .oss()), other)
    }
  }

  func testWrongSignatureVersionIsNamed() throws {
    let v4 = try Provocation.request(.get, "/a").oss(.v4)
    let v1 = try Provocation.request(.get, "/a").oss(.v1)
    let ofV1 = RejectedResponse("GET\n\n\n\(Provocation.now.httpDate)\n/photos/a")
    assertDiagnosis(
      SignatureDiagnosis(of: ofV1, to: v4, signedFor: .oss()), .wrongVersion, line: "algorithm", sent: "V4",
      received: "V1")
    let ofV4 = RejectedResponse("OSS4-HMAC-SHA256\n20261120T080000Z\n20261120/cn-hangzhou/oss/aliyun_v4_request\n00")
    assertDiagnosis(SignatureDiagnosis(of: ofV4, to: v1, signedFor: .oss()), .wrongVersion, sent: "V1", received: "V4")
  }
}
