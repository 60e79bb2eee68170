// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import XCTest

/// The refusals of object presigners; the conformance suite compares their URLs with those of single calls.
final class ObjectPresignerTests: XCTestCase {
  private let key = AccessKey(id: "AKIDexample", secret: "secret")
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func request(_ host: String, _ path: String?) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "https", authority: host, path: path)
  }

  private func presigner(
    _ signer: some Presigner<AccessKey>, _ host: String, _ path: String?, key: AccessKey? = nil
  ) throws(SigningError) -> ObjectPresigner {
    try signer.presigner(for: request(host, path), with: key ?? self.key, validFor: .seconds(60), in: .at(date))
  }

  private func assertRefuses(
    _ code: SigningError.Code, file: StaticString = #filePath, line: UInt = #line, _ act: () throws -> Void
  ) {
    XCTAssertThrowsError(try act(), file: file, line: line) { error in
      XCTAssertEqual((error as? SigningError)?.code, code, "\(error)", file: file, line: line)
    }
  }

  private static let oss = "photos.oss-cn-hangzhou.aliyuncs.com"

  func testEmptyKeyIsRefused() throws {
    let presigner = try presigner(OSSSigner(bucket: "photos", region: "cn-hangzhou"), Self.oss, "/")
    assertRefuses(.invalidRequest) { _ = try presigner.presign("") }
  }

  func testPathOfAnObjectIsRefused() {
    assertRefuses(.invalidPath) {
      _ = try presigner(OSSSigner(bucket: "photos", region: "cn-hangzhou"), Self.oss, "/a?acl")
    }
    assertRefuses(.invalidPath) { _ = try presigner(COSSigner(), "p-1.cos.ap-guangzhou.myqcloud.com", "/a") }
    assertRefuses(.invalidPath) {
      _ = try presigner(S3Signer(region: "eu-central-1"), "photos.s3.eu-central-1.amazonaws.com", "/a")
    }
  }

  func testRequestWithoutPathIsForTheKeysOfTheHost() throws {
    let signer = OSSSigner(bucket: "photos", region: "cn-hangzhou")
    let single = try signer.presign(request(Self.oss, "/a%20b"), with: key, validFor: .seconds(60), in: .at(date))
    XCTAssertEqual(try presigner(signer, Self.oss, nil).presign("a b"), single)
  }

  func testKeysOfAnotherBucketAreRefused() throws {
    // The path of a bucket can be "/", with which the keys would name the buckets.
    let signers: [(any Presigner<AccessKey>, String)] = [
      (OSSSigner(bucket: "photos", region: "cn-hangzhou", style: .path), "127.0.0.1:9000"),
      (OSSSigner(.v1, bucket: "photos", style: .path), "127.0.0.1:9000"),
      (OSSSigner(region: "cn-hangzhou", style: .path), "127.0.0.1:9000"),
      (S3Signer(region: "eu-central-1", bucket: "photos"), "s3.eu-central-1.amazonaws.com"),
      (S3Signer(region: "eu-central-1"), "127.0.0.1:9000"),
    ]
    for (signer, host) in signers {
      assertRefuses(.invalidRequest) { _ = try presigner(signer, host, "/") }
      XCTAssertNoThrow(try presigner(signer, host, "/photos/"), "\(signer)")
    }
    for (signer, host) in [signers[0], signers[1], signers[3]] {
      assertRefuses(.invalidRequest) { _ = try presigner(signer, host, "/other/") }
    }
  }

  func testQuestionMarkInAKeyIsRefusedForV1() throws {
    let strict = try presigner(OSSSigner(.v1, bucket: "photos"), Self.oss, "/")
    assertRefuses(.invalidPath) { _ = try strict.presign("a?acl") }
    XCTAssertNoThrow(try strict.presign("a&acl=b"))
    assertRefuses(.invalidPath) { _ = try presigner(OSSSigner(.v1, bucket: "photos"), Self.oss, "/a%3Facl/") }
    let lenient = try presigner(OSSSigner(.v1, bucket: "photos", allowsAmbiguousV1: true), Self.oss, "/")
    XCTAssertNoThrow(try lenient.presign("a?acl"))
    XCTAssertNoThrow(
      try presigner(OSSSigner(bucket: "photos", region: "cn-hangzhou"), Self.oss, "/").presign("a?acl"))
  }

  func testErrorsOfASingleURLAreThrownOnce() {
    let signers: [(any Presigner<AccessKey>, String, parameter: String)] = [
      (OSSSigner(bucket: "photos", region: "cn-hangzhou"), Self.oss, "x-oss-signature=a"),
      (OSSSigner(.v1, bucket: "photos"), Self.oss, "Signature=a"),
      (COSSigner(), "p-1.cos.ap-guangzhou.myqcloud.com", "q-signature=a"),
      (S3Signer(region: "eu-central-1"), "photos.s3.eu-central-1.amazonaws.com", "X-Amz-Signature=a"),
    ]
    for (signer, host, parameter) in signers {
      assertRefuses(.invalidPath) { _ = try presigner(signer, host, "/?" + parameter) }
      assertRefuses(.invalidPath) { _ = try presigner(signer, host, "/é/") }
      assertRefuses(.invalidRequest) { _ = try presigner(signer, "a b", "/") }
      assertRefuses(.credentialEndsFirst) {
        let ended = AccessKey(id: "id", secret: "secret", expiration: date.advanced(by: .seconds(59)))
        _ = try presigner(signer, host, "/", key: ended)
      }
      assertRefuses(.invalidCredential) {
        _ = try presigner(signer, host, "/", key: AccessKey(id: "", secret: "secret"))
      }
      XCTAssertThrowsError(try presigner(signer, host, "/", key: .anonymous))
      assertRefuses(.lifetimeOutOfRange) {
        _ = try signer.presigner(for: request(host, "/"), with: key, validFor: .zero, in: .at(date))
      }
    }
  }

  func testLongKeysAndTokensFit() throws {
    let token = String(repeating: "t/+", count: 700)
    let key = AccessKey(id: "AKIDexample", secret: "secret", sessionToken: token)
    let name = String(repeating: "é/", count: 400)
    let signers: [(any Presigner<AccessKey>, String)] = [
      (OSSSigner(bucket: "photos", region: "cn-hangzhou"), Self.oss), (OSSSigner(.v1, bucket: "photos"), Self.oss),
      (COSSigner(), "p-1.cos.ap-guangzhou.myqcloud.com"),
      (S3Signer(region: "eu-central-1"), "photos.s3.eu-central-1.amazonaws.com"),
    ]
    for (signer, host) in signers {
      let path = "/" + ByteExactString(name).percentEncoded(keepingSlashes: true)
      let single = try signer.presign(request(host, path), with: key, validFor: .seconds(60), in: .at(date))
      XCTAssertEqual(try presigner(signer, host, "/", key: key).presign(name), single)
    }
  }
}
