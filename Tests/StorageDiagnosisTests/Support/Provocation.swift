// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import LocalCloud
import NIOCore
import NIOPosix
import OSSAuth
import StorageAuth
import StorageDiagnosis
import XCTest

/// A harness that signs requests, changes them on the way to a LocalCloud, and explains its responses.
struct Provocation {
  static let now = Timestamp(unixSeconds: 1_795_161_600)
  static let key = AccessKey(id: "LTAItest", secret: "not-a-secret")
  static let token = "token/+of==the-test"
  static let temporaryKey = AccessKey(id: "STS.test", secret: "not-a-secret", sessionToken: token)
  static let endedKey = AccessKey(
    id: "STS.ended", secret: "not-a-secret", sessionToken: token, expiration: now.advanced(by: .seconds(-1)))
  static let ossHost = "photos.oss-cn-hangzhou.aliyuncs.com"
  static let cosHost = "photos-1250000000.cos.ap-guangzhou.myqcloud.com"

  let cloud: LocalCloud

  init(_ test: XCTestCase, isStrict: Bool = false) async throws {
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(Self.key), .init(Self.temporaryKey), .init(Self.endedKey)],
        buckets: ["photos", "photos-1250000000"], region: "cn-hangzhou", isStrict: isStrict, clock: { Self.now }))
    test.addTeardownBlock { await cloud.stop() }
    self.cloud = cloud
  }

  /// Returns an unsigned request.
  static func request(
    _ method: HTTPRequest.Method, _ path: String, host: String = ossHost, _ headers: [String: String] = [:]
  ) -> HTTPRequest {
    var request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { request.headerFields[name] = value }
    }
    return request
  }

  /// Sends a request unchanged, byte for byte.
  func send(_ request: HTTPRequest, to provider: LocalCloud.Provider) async throws -> RejectedResponse {
    RejectedResponse(try await exchange(request, with: cloud.endpoint(of: provider)))
  }

  /// Sends a request that was changed on the way, and explains the response.
  func explain(
    _ signed: HTTPRequest, for service: SignedService = .oss(), signing stringToSign: String? = nil,
    canonicalRequest: String? = nil, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> SignatureDiagnosis? {
    var changed = signed
    change(&changed)
    let provider: LocalCloud.Provider = service == .cos() ? .cos : .oss
    let diagnosis = SignatureDiagnosis(
      of: try await send(changed, to: provider), to: signed, signedFor: service, stringToSign: stringToSign,
      canonicalRequest: canonicalRequest)
    if let diagnosis {
      XCTAssertFalse(diagnosis.description.contains(Self.token), diagnosis.description)
      XCTAssertFalse(diagnosis.description.contains(Self.token.percentEncodedToken), diagnosis.description)
    }
    return diagnosis
  }

  private func exchange(_ request: HTTPRequest, with endpoint: ServiceEndpoint) async throws -> String {
    let port = try XCTUnwrap(endpoint.authority.split(separator: ":").last.flatMap { Int($0) })
    var lines = ["\(request.method) \(request.path ?? "/") HTTP/1.1", "Host: \(request.authority ?? "")"]
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    lines += ["Connection: close", "", ""]
    let head = lines.joined(separator: "\r\n")
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: head))
      var answer = ""
      for try await chunk in inbound { answer += String(buffer: chunk) }
      return answer
    }
  }
}

extension String {
  /// The token of the tests in its URL form.
  fileprivate var percentEncodedToken: String {
    replacing("/", with: "%2F").replacing("+", with: "%2B").replacing("=", with: "%3D")
  }
}

extension HTTPRequest {
  /// Returns the request signed for OSS at the tests' date.
  func oss(
    _ version: OSSSignatureVersion = .v4, with key: AccessKey = Provocation.key, region: String = "cn-hangzhou",
    product: String = "oss", bucket: String? = nil, style: AddressingStyle? = nil, additional: Set<String> = [],
    at date: Timestamp = Provocation.now
  ) throws -> HTTPRequest {
    try OSSSigner(
      version, bucket: bucket, region: region, product: product, style: style, additionalHeaders: additional
    ).signed(self, with: key, in: .at(date))
  }

  /// Returns the request signed for COS at the tests' date.
  func cos(
    _ policy: COSHeaderPolicy = .standard, with key: AccessKey = Provocation.key, at date: Timestamp = Provocation.now
  ) throws -> HTTPRequest {
    try COSSigner(policy: policy).signed(self, with: key, in: .at(date))
  }

  subscript(_ name: String) -> String? {
    get { HTTPField.Name(name).flatMap { headerFields[$0] } }
    set {
      if let name = HTTPField.Name(name) { headerFields[name] = newValue }
    }
  }
}

extension PresignedRequest {
  /// The request that fetches the URL.
  var request: HTTPRequest {
    let rest = url.split(separator: "://", maxSplits: 1)[1]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var request = HTTPRequest(
      method: method, scheme: "http", authority: String(rest[..<slash]), path: String(rest[slash...]))
    request.headerFields = headers
    return request
  }
}

/// Asserts the properties of a diagnosis.
func assertDiagnosis(
  _ diagnosis: SignatureDiagnosis?, _ cause: SignatureDiagnosis.Cause, line: String? = nil, sent: String? = nil,
  received: String? = nil, file: StaticString = #filePath, at number: UInt = #line
) {
  guard let diagnosis else { return XCTFail("no diagnosis", file: file, line: number) }
  XCTAssertEqual(diagnosis.cause, cause, "\(diagnosis)", file: file, line: number)
  XCTAssertFalse(diagnosis.explanation.isEmpty || diagnosis.remedy.isEmpty, file: file, line: number)
  if let line { XCTAssertEqual(diagnosis.line, line, file: file, line: number) }
  if let sent { XCTAssertEqual(diagnosis.sent, sent, file: file, line: number) }
  if let received { XCTAssertEqual(diagnosis.received, received, file: file, line: number) }
}
