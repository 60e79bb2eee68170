// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageDiagnosis
import XCTest

/// Diagnosis for a service that another package defines.
final class OwnServiceTests: XCTestCase {
  private struct Reader: SignatureReader {
    let signatureParameters: Set = ["sig"]
    var errorCodes: ServiceErrorCodes { ServiceErrorCodes() }
    var refusalMeanings: [String: RefusalMeaning] { ["BadSignature": .mismatch, "Blocked": .denied] }

    func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading? {
      guard let value = request.headerFields[.authorization] else { return nil }
      let id = try AccessKeyID(claimed: value)
      return SignatureReading(
        accessKeyID: id, hasToken: false, signedAt: nil, expiration: nil,
        texts: SignedTexts(
          stringToSign: "\(request.method)\n\(request.path ?? "")\n\(request.headerFields[.contentType] ?? "")",
          canonicalRequest: nil))
    }

    func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts? {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      guard lines.count == 3 else { return nil }
      var parts = SignedParts()
      parts.add(.method, lines[0])
      parts.add(.path, lines[1])
      parts.add(.header("content-type"), lines[2], isLine: true)
      return parts
    }

    func finding(for refusal: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding? {
      refusal.details["Why"] == "region" ? SignatureFinding(.wrongRegion, sent: "here", received: "there") : nil
    }

    func advice(for cause: SignatureDiagnosis.Cause) -> SignatureDiagnosis.Advice? {
      cause == .contentTypeChanged ? ("The gateway rewrites types.", "Ask its owner.") : nil
    }
  }

  private func diagnosis(_ document: String) -> SignatureDiagnosis? {
    let request = Provocation.request(.put, "/a", ["Content-Type": "text/xml", "Authorization": "me"])
    return SignatureDiagnosis(of: RejectedResponse(document), to: request, signedFor: SignedService(Reader()))
  }

  func testStringsCodesAndExplanationsOfTheServiceAreUsed() {
    let changed = diagnosis("<Error><Code>BadSignature</Code><StringToSign>PUT\n/a\ntext/html</StringToSign></Error>")
    assertDiagnosis(changed, .contentTypeChanged, line: "Content-Type", sent: "text/xml", received: "text/html")
    XCTAssertEqual(changed?.explanation, "The gateway rewrites types.")
    XCTAssertEqual(changed?.remedy, "Ask its owner.")
    assertDiagnosis(
      diagnosis("<Error><Code>BadSignature</Code><StringToSign>PUT\n/b\ntext/xml</StringToSign></Error>"), .pathChanged)
    assertDiagnosis(
      diagnosis("<Error><Code>BadSignature</Code><StringToSign>PUT\n/a\ntext/xml</StringToSign></Error>"), .unknown)
    assertDiagnosis(diagnosis("<Error><Code>Blocked</Code><Why>region</Why></Error>"), .wrongRegion, sent: "here")
    assertDiagnosis(diagnosis("<Error><Code>Blocked</Code></Error>"), .accessDenied)
    XCTAssertNil(diagnosis("<Error><Code>SignatureDoesNotMatch</Code></Error>"), "the code belongs to another service")
  }

  func testServicesAreEqualIfTheirReadersAreEqual() {
    XCTAssertEqual(SignedService(Reader()), SignedService(Reader()))
    XCTAssertEqual(SignedService.s3(region: "a"), .s3(region: "a"))
    XCTAssertNotEqual(SignedService.s3(region: "a"), .s3(region: "b"))
    XCTAssertNotEqual(SignedService.oss(), .s3())
    XCTAssertEqual(Set([SignedService.cos(), .cos(), .oss()]).count, 2)
  }
}
