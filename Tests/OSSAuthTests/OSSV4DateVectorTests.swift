// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// V4 requests that are dated with `Date`, as the vendor's Go SDK v1 signs them.
///
/// The known answers were computed by Tests/Interop/v4_date_vectors.py, a script that is independent of the package.
final class OSSV4DateVectorTests: XCTestCase {
  private func request(_ vector: Vector) throws -> HTTPRequest {
    let object = vector.object
    var fields = HTTPFields()
    for pair in try XCTUnwrap(object["headers"] as? [[String]]) {
      fields.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(pair[0])), value: pair[1]))
    }
    return HTTPRequest(
      method: try XCTUnwrap(HTTPRequest.Method(object["method"] as? String ?? "")), scheme: "https",
      authority: object["host"] as? String, path: object["path"] as? String, headerFields: fields)
  }

  private func refusal(
    _ request: HTTPRequest, _ vector: Vector, after seconds: Int64 = 0
  ) throws -> VerificationError? {
    let credential = try XCTUnwrap(vector.object["credential"] as? [String: String])
    let key = AccessKey(
      id: credential["id"] ?? "", secret: Secret(credential["secret"] ?? ""),
      sessionToken: credential["token"].map { Secret($0) })
    let verifier = OSSVerifier(product: vector.object["product"] as? String ?? "")
    let date = Timestamp(unixSeconds: Int64(vector.object["date"] as? Int ?? 0) + seconds)
    do throws(VerificationError) {
      guard let claim = try verifier.claim(in: request) else { return .unknownKey("none") }
      _ = try verifier.verify(claim, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }

  // matrix: OSS V4: verify, skew
  func testEveryVectorVerifies() throws {
    let vectors = try Vector.load("oss-v4-date", from: .module)
    for vector in vectors {
      let request = try request(vector)
      XCTAssertNil(try refusal(request, vector), vector.id)
      XCTAssertNil(try refusal(request, vector, after: 900), vector.id)
      for seconds: Int64 in [901, -901] {
        XCTAssertEqual(try refusal(request, vector, after: seconds)?.code, .clockSkew, vector.id)
      }
      let claim = try XCTUnwrap(OSSVerifier(product: vector.object["product"] as? String ?? "").claim(in: request))
      let texts = try OSSVerifier().signedTexts(of: claim)
      XCTAssertEqual(texts.canonicalRequest, vector["canonicalRequest"], vector.id)
      if vector.object["dateLine"] as? String == "http" {
        XCTAssertEqual(texts.stringToSign, vector["stringToSign"], vector.id)
      }
    }
    XCTAssertEqual(vectors.count, 9)
  }

  // matrix: OSS V4: verify, bad input
  func testChangedDatesAndHeadersAreRejected() throws {
    for vector in try Vector.load("oss-v4-date", from: .module) {
      let request = try request(vector)
      var later = request
      later.headerFields[.date] = "Fri, 20 Nov 2026 08:00:01 GMT"
      XCTAssertEqual(try refusal(later, vector)?.code, .mismatch, vector.id)
      var both = request
      both.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-date"))] = "20261120T080000Z"
      XCTAssertEqual(try refusal(both, vector)?.code, .mismatch, vector.id)
      var undated = request
      undated.headerFields[.date] = nil
      XCTAssertNotNil(try refusal(undated, vector), vector.id)
      var moved = request
      moved.path = (request.path ?? "").replacing("/", with: "/x", maxReplacements: 1)
      XCTAssertEqual(try refusal(moved, vector)?.code, .mismatch, vector.id)
    }
  }
}
