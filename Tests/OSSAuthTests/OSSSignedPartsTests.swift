// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import XCTest

/// Parameters and headers that a proof reports as covered by an OSS signature.
final class OSSSignedPartsTests: XCTestCase {
  private let key = AccessKey(id: "LTAItest", secret: "not-a-secret")
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func request(_ path: String) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: .get, scheme: "https", authority: "photos.oss-cn-hangzhou.aliyuncs.com", path: path,
      headerFields: [.contentType: "text/plain", .acceptEncoding: "gzip"])
    request.headerFields[try XCTUnwrap(HTTPField.Name("X-OSS-Meta-A"))] = "1"
    return request
  }

  private func proof(of request: HTTPRequest) throws -> VerifiedRequest {
    let verifier = OSSVerifier()
    let claim = try verifier.claim(in: request)
    return try verifier.verify(try XCTUnwrap(claim), against: key, at: date)
  }

  private func presigned(_ request: HTTPRequest, by signer: OSSSigner) throws -> HTTPRequest {
    let link = try signer.presign(request, with: key, validFor: .seconds(60), in: .at(date))
    var copy = request
    copy.path = String(link.url.dropFirst("https://\(request.authority ?? "")".count))
    return copy
  }

  func testV1CoversOnlySubresources() throws {
    let path = "/a?prefix=p&acl&response-content-type=t%2Fp&x-oss-process=y&%61ppend&%2561cl=1&versionid=2"
    let signer = OSSSigner(.v1)
    let signed: [ByteExactString] = ["acl", "response-content-type", "x-oss-process", "append"]
    let header = try proof(of: signer.signed(request(path), with: key, in: .at(date)))
    XCTAssertEqual(header.target.parameters.map(\.name), signed)
    XCTAssertEqual(header.target["response-content-type"], "t/p")
    XCTAssertNil(header.target["prefix"])
    XCTAssertEqual(header.unsignedParameters.map(\.name), ["prefix", "%61cl", "versionid"])
    XCTAssertEqual(header.unsignedParameters.first?.value, "p")
    XCTAssertEqual(header.signedHeaders, ["content-type", "date", "x-oss-meta-a"])
    let url = try proof(of: presigned(request(path), by: signer))
    XCTAssertEqual(url.target.parameters.map(\.name), signed + ["Expires"])
    XCTAssertEqual(
      url.unsignedParameters.map(\.name), ["prefix", "%61cl", "versionid", "OSSAccessKeyId", "Signature"])
    XCTAssertEqual(url.signedHeaders, ["content-type", "x-oss-meta-a"])
    XCTAssertEqual([header.signsPlacement, url.signsPlacement], [true, true])
  }

  func testHeaderSignatureDoesNotCoverExpires() throws {
    var signed = try OSSSigner(.v1).signed(request("/a"), with: key, in: .at(date))
    signed.path = "/a?Expires=9"
    let proof = try proof(of: signed)
    XCTAssertEqual(proof.target.parameters, [])
    XCTAssertEqual(proof.unsignedParameters.map(\.name), ["Expires"])
  }

  /// Changing a parameter that a proof reports as signed invalidates the signature, and changing another one does not.
  func testReportedParametersAreThoseTheSignatureCovers() throws {
    let path = "/a?prefix=p&acl=1&response-expires=2&x-oss-process=y&marker=z&%61ppend=1&objectMeta=3"
    for signer in [OSSSigner(.v1), OSSSigner(.v4, region: "cn-hangzhou")] {
      let plain = try request(path)
      for signed in [try signer.signed(plain, with: key, in: .at(date)), try presigned(plain, by: signer)] {
        let proof = try proof(of: signed)
        let names = Set(proof.target.parameters.map(\.name.string))
        let own = ["Signature=", "x-oss-signature=", "OSSAccessKeyId="]
        let pieces = (signed.path ?? "").split(separator: "?")[1].split(separator: "&")
        for piece in pieces where !own.contains(where: piece.hasPrefix) {
          let name = String(piece.prefix { $0 != "=" }).replacing("%61", with: "a")
          var changed = signed
          changed.path = signed.path?.replacing(piece, with: piece + "7")
          XCTAssertEqual((try? self.proof(of: changed)) == nil, names.contains(name), "\(signer) \(piece)")
        }
        for field in signed.headerFields where field.name != .authorization {
          var changed = signed
          changed.headerFields[field.name] = field.value.replacing("1", with: "2").replacing("t", with: "T") + "x"
          let isCovered = (try? self.proof(of: changed)) == nil
          XCTAssertEqual(isCovered, proof.signedHeaders.contains(field.name.canonicalName), "\(field.name)")
        }
      }
    }
  }

  func testV4CoversEveryParameterAndItsAdditionalHeaders() throws {
    let signer = OSSSigner(.v4, region: "cn-hangzhou", additionalHeaders: ["host", "accept-encoding"])
    let signed = try signer.signed(request("/a?prefix=p&acl"), with: key, in: .at(date))
    let header = try proof(of: signed)
    XCTAssertEqual(header.target.parameters.map(\.name), ["prefix", "acl"])
    XCTAssertEqual(header.unsignedParameters, [])
    XCTAssertTrue(header.signedHeaders.isSuperset(of: ["host", "accept-encoding", "content-type", "x-oss-meta-a"]))
    let url = try proof(of: presigned(request("/a?prefix=p"), by: signer))
    XCTAssertEqual(url.unsignedParameters.map(\.name), ["x-oss-signature"])
    XCTAssertEqual(url.target["prefix"], "p")
  }

  func testProofNamesTheKeyThatWasLookedUp() throws {
    let signed = try OSSSigner(.v1).signed(request("/a"), with: key, in: .at(date))
    XCTAssertEqual(try proof(of: signed).accessKeyID, "LTAItest")
  }
}
