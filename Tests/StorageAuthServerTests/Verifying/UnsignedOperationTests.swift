// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import Hummingbird
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests that an unsigned parameter that names an operation does not reach a handler.
final class UnsignedOperationTests: XCTestCase {
  private static let date = VerifyingBench.date
  private static let key = VerifyingBench.key

  private static let operations = [
    "acl", "ACL", "Acl", "%61cl", "acl=", "ACL=1", "aCl=x", "policy=1", "tagging", "TAGGING", "uploads", "Uploads=1",
    "uploadid=1", "UPLOADID=1", "versionid=1", "delete", "DELETE", "lifecycle=", "restore", "append", "position=0",
    "unknown", "%E2%84%AA", "li%E2%84%AA", "imageMogr2/thumbnail/100x", "imageMogr2/thumbnail/100x=1", "ci-process=a",
    "CI-Process=a", "x-image-process=a", "re%C5%BFtore=1",
  ]

  private func start(
    _ verifier: some SignatureVerifier, allowing: Bool = false
  ) async throws -> ServiceEndpoint {
    let middleware = SignatureMiddleware<VerifiedContext>(
      verifier, replays: nil, allowsUnsignedOperations: allowing, time: ManualClock(now: Self.date)
    ) { _ in Self.key }
    let router = Router(context: VerifiedContext.self)
    router.add(middleware: middleware).get("**") { _, context in
      let verified = context.verifiedRequest
      let names = (verified?.unsignedParameters ?? []).map(\.name.string)
      let signed = (verified?.target.parameters ?? []).map(\.name.string)
      return "signed=\(signed.joined(separator: ","));unsigned=\(names.joined(separator: ","))"
    }
    return try ServiceEndpoint(await RunningServer.start(router, self))
  }

  private func send(_ request: HTTPRequest, adding item: String) async throws -> (status: Int?, text: String) {
    let path = request.path ?? "/"
    let target = path + (path.contains("?") ? "&" : "?") + item
    let text = try await RawExchange.answer(
      to: RawExchange.text(request, target: target), at: request.authority ?? "")
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) }, text)
  }

  private func assertRefused(_ request: HTTPRequest, _ items: [String] = operations, line: UInt = #line) async throws {
    for item in items {
      let (status, text) = try await send(request, adding: item)
      XCTAssertTrue(status == 403 || status == 400, "\(item): \(text)", line: line)
    }
  }

  func testCOSParameterIsRefusedUnlessAllowed() async throws {
    for isURL in [false, true] {
      let endpoint = try await start(COSVerifier())
      let plain = try endpoint.request(.get, bucket: VerifyingBench.bucket, key: "a")
      func signed(_ request: HTTPRequest) throws -> HTTPRequest {
        let context = SigningContext(date: Self.date)
        guard isURL else { return try COSSigner().signed(request, with: Self.key, in: context) }
        let link = try COSSigner().presign(request, with: Self.key, validFor: .seconds(60), in: context)
        var copy = request
        copy.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
        return copy
      }
      try await assertRefused(try signed(plain))
      for item in ["prefix=a", "max-keys=1", "marker=", "delimiter", "v=1"] {
        let (status, text) = try await send(try signed(plain), adding: item)
        XCTAssertEqual(status, 200, "\(item): \(text)")
      }
      var own = plain
      own.path = "\(plain.path ?? "")?acl"
      let (status, text) = try await send(try signed(own), adding: "v=1")
      XCTAssertEqual(status, 200, text)
      XCTAssertTrue(text.contains("signed=acl;"), text)

      let lenient = try await start(COSVerifier(), allowing: true)
      let request = try signed(lenient.request(.get, bucket: VerifyingBench.bucket, key: "a"))
      for item in ["acl", "ACL", "uploads=1"] {
        let (status, text) = try await send(request, adding: item)
        XCTAssertEqual(status, 200, "\(item): \(text)")
        let name = String(item.prefix { $0 != "=" })
        XCTAssertTrue(text.contains("signed=;unsigned="), text)
        XCTAssertTrue(text.hasSuffix(name), text)
      }
    }
  }

  func testOSSV1CaseVariantOfASubResourceIsRefused() async throws {
    let endpoint = try await start(OSSVerifier())
    let plain = try endpoint.request(.get, bucket: VerifyingBench.bucket, key: "a")
    let signed = try OSSSigner(.v1).signed(plain, with: Self.key, in: SigningContext(date: Self.date))
    try await assertRefused(signed)
    let (status, text) = try await send(signed, adding: "prefix=a")
    XCTAssertEqual(status, 200, text)
  }

  func testSchemesThatSignEveryParameterRefuseEach() async throws {
    let endpoint = try await start(OSSVerifier(region: "cn-hangzhou"), allowing: true)
    let plain = try endpoint.request(.get, bucket: VerifyingBench.bucket, key: "a")
    let signed = try OSSSigner(.v4, region: "cn-hangzhou").signed(
      plain, with: Self.key, in: SigningContext(date: Self.date))
    try await assertRefused(signed, Self.operations + ["prefix=a"])
  }
}
