// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Permissions that a policy must grant before an OSS string is signed.
final class OSSSigningRightsTests: XCTestCase {
  private let signer = OSSStringToSignSigner(region: "cn-hangzhou")

  // matrix: OSS V1: remote signing, bad input
  func testV1RequiresPermissionsForEveryInterpretation() throws {
    let request = OSSFixture.request(.delete, "/alice/a?uploadId=1")
    let pending = try OSSFixture.signer(.v1).prepare(request, as: OSSFixture.key.identity, in: .at(OSSFixture.date))
    func sign(_ actions: AccessAction...) -> Bool {
      var rule = AccessRule(.write, objects: .prefix("alice/"), in: "photos")
      rule.actions = Set(actions)
      let rules = SigningRules(AccessPolicy([rule]))
      return (try? signer.sign(SigningRequest(pending), with: OSSFixture.key, under: rules, at: OSSFixture.date)) != nil
    }
    XCTAssertFalse(sign(.write), "the string can also delete the object \"alice/a?uploadId=1\"")
    XCTAssertFalse(sign(.delete))
    XCTAssertTrue(sign(.write, .delete))
  }

  // matrix: OSS V1: remote signing, bad input
  func testV1ListAlsoRequiresReadPermissionForTheMatchingObject() throws {
    let request = OSSFixture.request(.get, "/?continuation-token=secret")
    let pending = try OSSFixture.signer(.v1).prepare(request, as: OSSFixture.key.identity, in: .at(OSSFixture.date))
    XCTAssertTrue(pending.stringToSign.hasSuffix("\n/photos/?continuation-token=secret"))
    func sign(_ actions: AccessAction...) -> Bool {
      var rule = AccessRule(objects: .all, in: "photos")
      rule.actions = Set(actions)
      let rules = SigningRules(AccessPolicy([rule]))
      return (try? signer.sign(SigningRequest(pending), with: OSSFixture.key, under: rules, at: OSSFixture.date)) != nil
    }
    XCTAssertFalse(sign(.list), "the string can also read the object \"?continuation-token=secret\"")
    XCTAssertFalse(sign(.read))
    XCTAssertTrue(sign(.list, .read))
  }

  // matrix: OSS V1: remote signing, expiry
  // matrix: OSS V4: remote signing, expiry
  func testRequestDatedAfterItsRuleExpiresIsRejected() throws {
    for version in OSSSignatureVersion.allCases {
      let pending = try OSSFixture.signer(version).prepare(
        OSSFixture.request(.put, "/alice/a"), as: OSSFixture.key.identity,
        in: .at(OSSFixture.date.advanced(by: .seconds(600))))
      func sign(until seconds: Int64) -> SigningRefusal.Code? {
        let end = OSSFixture.date.advanced(by: .seconds(seconds))
        let rules = SigningRules(
          AccessPolicy([AccessRule(.write, objects: .prefix("alice/"), in: "photos", until: end)]))
        do throws(SigningRefusal) {
          _ = try signer.sign(SigningRequest(pending), with: OSSFixture.key, under: rules, at: OSSFixture.date)
          return nil
        } catch {
          return error.code
        }
      }
      XCTAssertEqual(sign(until: 599), .notAllowed)
      XCTAssertNil(sign(until: 601))
    }
  }

  // matrix: OSS V4: remote signing, bad input
  func testSizeAndTypeAreRequiredByTheirConditions() throws {
    let rule = AccessRule(.write, objects: .all, in: "photos", upTo: 10, types: ["image/*"])
    let strict = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou", additionalHeaders: ["content-length"])
    func sign(_ headers: HTTPFields, _ path: String = "/a", _ prepared: OSSSigner? = nil) throws -> Bool {
      let request = OSSFixture.request(.put, path, headers)
      let pending = try (prepared ?? strict).prepare(
        request, as: OSSFixture.key.identity, in: .at(OSSFixture.date))
      let rules = SigningRules(AccessPolicy([rule]))
      return (try? signer.sign(SigningRequest(pending), with: OSSFixture.key, under: rules, at: OSSFixture.date)) != nil
    }
    XCTAssertTrue(try sign([.contentLength: "10", .contentType: "image/png"]))
    XCTAssertFalse(try sign([.contentLength: "11", .contentType: "image/png"]))
    XCTAssertFalse(try sign([.contentLength: "10", .contentType: "text/html"]))
    XCTAssertFalse(try sign([.contentLength: "10"]))
    XCTAssertFalse(try sign([.contentLength: "10", .contentType: "image/png"], "/a", OSSFixture.signer(.v4)))
    XCTAssertFalse(try sign([.contentLength: "10", .contentType: "image/png"], "/a?partNumber=1&uploadId=x"))
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  func testOnlyReadAndUploadParametersAreSigned() throws {
    let rules = SigningRules(RemoteOperations.everything(in: "photos"))
    var count = 0
    for version in OSSSignatureVersion.allCases {
      for method in [HTTPRequest.Method.get, .head, .put, .post, .delete] {
        for (key, name) in ["a", ""].flatMap({ key in RemoteOperations.subresources.map { (key, $0) } }) {
          for value in [nil, "1"] {
            let request = OSSFixture.request(method, "/\(key)?\(name)\(value.map { "=\($0)" } ?? "")")
            let pending = try OSSFixture.signer(version).prepare(
              request, as: OSSFixture.key.identity, in: .at(OSSFixture.date))
            // V1 does not sign each of them: the string is that of the request without the parameter.
            if version == .v1, !pending.stringToSign.contains(name) { continue }
            let isSigned =
              (try? signer.sign(SigningRequest(pending), with: OSSFixture.key, under: rules, at: OSSFixture.date))
              != nil
            let expected = RemoteOperations.isSigned(method, onObject: key == "a", name, value: value)
            XCTAssertEqual(isSigned, expected, "\(version) \(method) /\(key)?\(name)=\(value ?? "")")
            count += 1
          }
        }
      }
    }
    XCTAssertGreaterThan(count, 4_000)
  }
}
