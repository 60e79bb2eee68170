// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import OBSProvider
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// `SignatureMiddleware` and `SigningService` with OBS as an unmodified plug-in.
final class OBSServerTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "OBSEXAMPLETEMPKEY002", secret: "a secret", sessionToken: "a/token+=")
  private let host = "photos.obs.cn-north-4.myhuaweicloud.com"
  private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// A service behind the middleware that responds with the verified target and the length of the body.
  private var service: Router<VerifiedContext> {
    let router = Router(context: VerifiedContext.self)
    let middleware = SignatureMiddleware<VerifiedContext>(
      OBSVerifier(), replays: nil, time: ManualClock(now: date)
    ) { [key] id in id == key.id ? key : nil }
    router.add(middleware: middleware)
    for method in [HTTPRequest.Method.get, .put] {
      router.on("**", method: method) { request, context in
        let body = try await request.body.collect(upTo: 1 << 20)
        let target = context.verifiedRequest?.target
        return "\(target?.bucket ?? "")/\(target?.key ?? "") \(body.readableBytes)"
      }
    }
    return router
  }

  private func answer<Context: RequestContext>(
    _ router: Router<Context>, _ request: HTTPRequest, body: String = ""
  ) async throws -> (status: Int, text: String) where Context.Source == ApplicationRequestContextSource {
    let context = Context(
      source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Self.quiet))
    let response = try await router.buildResponder().respond(
      to: Request(head: request, body: RequestBody(buffer: ByteBuffer(string: body))), context: context)
    let text = Answer()
    try await response.body.write(text.writer)
    return (response.status.code, text.text)
  }

  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: fields)
  }

  func testSignedRequestsReachTheHandler() async throws {
    let signer = OBSSigner()
    let signed = try signer.signed(request(.put, "/a%20b?prefix=x"), with: key, in: .at(date))
    let header = try await answer(service, signed, body: "bytes")
    XCTAssertEqual(header.text, "photos/a b 5")
    let url = try signer.presign(request(.get, "/cat.jpg"), with: key, validFor: .seconds(60), in: .at(date))
    let path = String(url.url.dropFirst("https://\(host)".utf8.count))
    let query = try await answer(service, request(.get, path))
    XCTAssertEqual(query.text, "photos/cat.jpg 0")
  }

  func testErrorsUseTheCodesOfOBS() async throws {
    let signer = OBSSigner()
    let unsigned = try await answer(service, request(.get, "/a"))
    XCTAssertEqual(unsigned.status, 403)
    XCTAssertTrue(unsigned.text.contains("<Code>AccessDenied</Code>"), unsigned.text)
    var changed = try signer.signed(request(.get, "/a"), with: key, in: .at(date))
    changed.path = "/b"
    let mismatch = try await answer(service, changed)
    XCTAssertTrue(mismatch.text.contains("<Code>SignatureDoesNotMatch</Code>"), mismatch.text)
    XCTAssertTrue(mismatch.text.contains("<StringToSign>GET"), mismatch.text)
    XCTAssertFalse(mismatch.text.contains("a/token+="), mismatch.text)
    let late = try signer.signed(request(.get, "/a"), with: key, in: .at(date.advanced(by: .seconds(-901))))
    let skewed = try await answer(service, late)
    XCTAssertTrue(skewed.text.contains("<Code>RequestTimeTooSkewed</Code>"), skewed.text)
    let stranger = AccessKey(id: "another", secret: "a secret")
    let unknown = try await answer(service, signer.signed(request(.get, "/a"), with: stranger, in: .at(date)))
    XCTAssertTrue(unknown.text.contains("<Code>InvalidAccessKeyId</Code>"), unknown.text)
    let url = try signer.presign(
      request(.get, "/a"), with: key, validFor: .seconds(60), in: .at(date.advanced(by: .seconds(-61))))
    let expired = try await answer(service, request(.get, String(url.url.dropFirst("https://\(host)".utf8.count))))
    XCTAssertTrue(expired.text.contains("<Code>RequestTimeTooSkewed</Code>"), expired.text)
  }

  /// The hash is the hash of an empty body.
  func testBodyHashIsChecked() async throws {
    let name = try XCTUnwrap(HTTPField.Name("x-obs-content-sha256"))
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let signed = try OBSSigner().signed(request(.put, "/a", [name: hash]), with: key, in: .at(date))
    let wrong = try await answer(service, signed, body: "bytes")
    XCTAssertEqual(wrong.status, 400, wrong.text)
    let right = try await answer(service, signed)
    XCTAssertEqual(right.text, "photos/a 0")
  }

  func testSigningServiceSignsOBSStrings() async throws {
    let router = Router()
    SigningService<BasicRequestContext>(
      SigningAccount(OBSStringToSignSigner(), credentials: StaticCredentialProvider(key)), time: ManualClock(now: date)
    ) { _ in SigningRules(AccessPolicy([AccessRule(.write, objects: .prefix("mine/"), in: "photos")])) }
    .addRoutes(to: router)
    let signer = OBSSigner()

    func sign(_ pending: PendingSignature) async throws -> (status: Int, answer: [String: String]) {
      let body = try JSONSerialization.data(withJSONObject: [
        "provider": pending.scheme.service, "version": pending.scheme.version,
        "method": pending.request.method.rawValue, "stringToSign": pending.stringToSign,
      ])
      let response = try await answer(router, request(.post, "/sign"), body: String(decoding: body, as: UTF8.self))
      let object = try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: String]
      return (response.status, object ?? [:])
    }

    let mine = try signer.prepare(request(.put, "/mine/a"), as: key.identity, in: .at(date))
    let allowed = try await sign(mine)
    XCTAssertEqual(allowed.status, 200)
    XCTAssertEqual(allowed.answer["accessKeyId"], key.id.string)
    let signed = try signer.finish(mine, signature: XCTUnwrap(allowed.answer["signature"]))
    XCTAssertEqual(signed, try signer.signed(request(.put, "/mine/a"), with: key, in: .at(date)))

    let other = try await sign(signer.prepare(request(.put, "/other/a"), as: key.identity, in: .at(date)))
    XCTAssertEqual(other.status, 403)
    XCTAssertEqual(other.answer["code"], "notAllowed")
  }
}

/// The context of the service under test.
private struct VerifiedContext: VerifiedRequestContext {
  var coreContext: CoreRequestContextStorage
  var verifiedRequest: VerifiedRequest?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// A response writer that keeps the body.
private final class Answer {
  fileprivate(set) var text = ""

  var writer: Writer { Writer(answer: self) }

  struct Writer: ResponseBodyWriter {
    let answer: Answer

    mutating func write(_ buffer: ByteBuffer) async throws { answer.text += String(buffer: buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
