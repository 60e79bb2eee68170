// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Known answers of signed calls to Alibaba Cloud services.
final class AlibabaSTSVectorTests: XCTestCase {
  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    for vector in try Vector.load("oss", from: .module) where vector.mode.isEmpty {
      switch vector.object["version"] as? String {
      case "rpc-hmac-sha1": try assertRPC(vector)
      case "acs3-hmac-sha256": try assertACS3(vector)
      default: XCTFail("\(vector.id) has an unknown version")
      }
      counts["sts", default: 0] += 1
    }
    XCTAssertEqual(counts, ["sts": 2])
  }

  private func assertRPC(_ vector: Vector) throws {
    let fields = try XCTUnwrap(vector.object["params"] as? [String: String], vector.id)
    var parameters = fields.map { FormPair($0.key, $0.value) }
    parameters.append(FormPair("Signature", "is not signed"))
    let method = try XCTUnwrap(vector.object["method"] as? String)
    let text = RPCSignature.stringToSign(method: method, parameters: parameters)
    XCTAssertEqual(text, vector["stringToSign"], vector.id)
    let signature = RPCSignature.signature(of: text, secret: try vector.key().secret)
    XCTAssertEqual(signature, vector["signature"], vector.id)
  }

  private func assertACS3(_ vector: Vector) throws {
    let call = try vector.call()
    let names = ACS3Signature.signedHeaders(of: call)
    let canonical = try ACS3Signature.canonicalRequest(of: call, signing: names)
    XCTAssertEqual(canonical, vector["canonicalRequest"], vector.id)
    XCTAssertEqual(ACS3Signature.stringToSign(canonicalRequest: canonical), vector["stringToSign"], vector.id)

    var unsigned = call
    let date = try XCTUnwrap(call.request.headerFields[try XCTUnwrap(HTTPField.Name("x-acs-date"))])
    unsigned.request.headerFields[try XCTUnwrap(HTTPField.Name("x-acs-date"))] = nil
    unsigned.request.headerFields[try XCTUnwrap(HTTPField.Name("x-acs-content-sha256"))] = nil
    let signed = try ACS3Signer().signed(
      unsigned, with: vector.key(), in: .at(XCTUnwrap(Timestamp(iso8601: date))))
    let authorization = try XCTUnwrap(signed.request.headerFields[.authorization])
    XCTAssertEqual(authorization, vector["authorization"], vector.id)
    let read = try XCTUnwrap(ServiceAuthorization(authorization))
    XCTAssertEqual(read.algorithm, ACS3Signature.algorithm)
    XCTAssertEqual(read.credential, try vector.key().id.string)
    XCTAssertEqual(read.signedHeaders, names)
    XCTAssertEqual(read.signature, vector["signature"], vector.id)
  }
}
