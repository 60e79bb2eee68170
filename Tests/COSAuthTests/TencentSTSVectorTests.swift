// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import HTTPTypes
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

/// Known answers of signed calls to Tencent Cloud services.
final class TencentSTSVectorTests: XCTestCase {
  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    for vector in try Vector.load("cos", list: "cases", from: .module) where vector.mode == "sts" {
      switch vector.object["scheme"] as? String {
      case "v1-HmacSHA1": try assertV1(vector)
      case "TC3-HMAC-SHA256": try assertTC3(vector)
      default: XCTFail("\(vector.id) has an unknown scheme")
      }
      counts["sts", default: 0] += 1
    }
    XCTAssertEqual(counts, ["sts": 8])
  }

  private func assertV1(_ vector: Vector) throws {
    let parameters: [FormPair]
    if let fields = vector.object["form"] as? [String: Any] {
      parameters = fields.map { FormPair($0.key, "\($0.value)") }
    } else {
      parameters = try XCTUnwrap(FormPair.read(try XCTUnwrap(vector.object["formBody"] as? String)))
      XCTAssertEqual(parameters.first { $0.name == "Signature" }?.value, vector["signature"], vector.id)
    }
    let host = try XCTUnwrap(vector.object["host"] as? String)
    let text = TencentV1Signature.stringToSign(method: "POST", host: host, parameters: parameters)
    XCTAssertEqual(text, vector["stringToSign"], vector.id)
    let secret = try vector.key().secret
    XCTAssertEqual(TencentV1Signature.signature(of: text, secret: secret), vector["signature"], vector.id)
    XCTAssertNotEqual(
      TencentV1Signature.signature(of: text, secret: secret, method: "HmacSHA256"), vector["signature"], vector.id)
  }

  private func assertTC3(_ vector: Vector) throws {
    let call = try vector.call()
    let service = try XCTUnwrap((vector.object["host"] as? String)?.split(separator: ".").first.map(String.init))
    let date = Timestamp(unixSeconds: Int64(try XCTUnwrap(vector.object["timestamp"] as? Int)))
    // The current page of the vendor's documentation signs the action; its SDKs and the older page do not.
    let signsAction = vector.id == "s09-tc3-official-doc"
    let names = ["content-type", "host"] + (signsAction ? ["x-tc-action"] : [])
    let canonical = try TC3Signature.canonicalRequest(of: call, signing: names)
    if let expected = vector["canonicalRequest"] { XCTAssertEqual(canonical, expected, vector.id) }
    if let expected = vector["hashedCanonicalRequest"] {
      XCTAssertEqual(SHA256.hash { $0.append(canonical) }.hex, expected, vector.id)
    }
    let scheme = TC3Signature(service: service, date: date)
    if let expected = vector["stringToSign"] {
      XCTAssertEqual(scheme.stringToSign(canonicalRequest: canonical), expected, vector.id)
    }
    let key = try vector.key()
    let signature = try scheme.signature(of: call, signing: names, secret: key.secret)
    if let expected = vector["signature"] { XCTAssertEqual(signature, expected, vector.id) }

    let signed = try TC3Signer(service: service, signsAction: signsAction).signed(call, with: key, in: .at(date))
    let authorization = try XCTUnwrap(signed.request.headerFields[.authorization])
    if let expected = vector["authorization"] { XCTAssertEqual(authorization, expected, vector.id) }
    let read = try XCTUnwrap(ServiceAuthorization(authorization))
    XCTAssertEqual(read.signature, signature, vector.id)
    XCTAssertEqual(read.credential, "\(key.id)/\(scheme.scope)", vector.id)
    XCTAssertEqual(read.signedHeaders, names, vector.id)
    XCTAssertEqual(
      signed.request.headerFields[try XCTUnwrap(HTTPField.Name("X-TC-Timestamp"))], "\(date.unixSeconds)", vector.id)
    XCTAssertEqual(
      signed.request.headerFields[try XCTUnwrap(HTTPField.Name("X-TC-Token"))], key.sessionToken?.reveal(), vector.id)
  }
}
