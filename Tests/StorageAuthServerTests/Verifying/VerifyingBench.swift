// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import COSAuth
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Counts calls on any thread.
final class Counter: Sendable {
  private let number = Lock(0)

  var value: Int { number.withLock { $0 } }

  func count() { number.withLock { $0 += 1 } }
}

/// The context of the service under test.
struct VerifiedContext: VerifiedRequestContext {
  var coreContext: CoreRequestContextStorage
  var verifiedRequest: VerifiedRequest?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// A service that protects all of its routes with signatures and returns the request as the handler received it.
struct VerifyingBench {
  static let date = Timestamp(unixSeconds: 1_795_161_600)
  static let key = AccessKey(id: "LTAItest", secret: "not-a-secret")
  static let temporary = AccessKey(id: "STS.test", secret: "not-a-secret-either", sessionToken: "to+ken/=")
  static let bucket = "photos-1250000000"

  static let withK = AccessKey(id: "AKIDtest", secret: "not-a-secret-at-all")

  enum Service: String, CaseIterable {
    case ossV4, ossV1, cos
    /// COS as older SDKs sign it; `cos` is its strict mode.
    case cosCompatible
    case s3

    static let allCases: [Service] = [.ossV4, .ossV1, .cos, .s3]

    var isCOS: Bool { self == .cos || self == .cosCompatible }
  }

  let service: Service
  let endpoint: ServiceEndpoint
  let time: ManualClock
  /// The number of key lookups.
  let lookups: Counter
  /// The number of handler calls.
  let handled: Counter
  /// The log of the service.
  let log = LogLines()

  init(
    _ service: Service, _ test: XCTestCase, answers: RefusalFormat = .xml,
    replays: ReplayGuard? = ReplayGuard(), limits: VerificationLimits = VerificationLimits()
  ) async throws {
    self.service = service
    let time = ManualClock(now: Self.date)
    let (lookups, handled) = (Counter(), Counter())
    let keys: @Sendable (AccessKeyID) async throws -> AccessKey? = { id in
      lookups.count()
      return [Self.key, Self.temporary, Self.withK].first { $0.id == id }
    }
    let middleware =
      switch service {
      case .ossV4, .ossV1:
        SignatureMiddleware<VerifiedContext>(
          OSSVerifier(region: "cn-hangzhou", limits: limits), responses: answers, replays: replays, time: time,
          lookup: keys)
      case .cos, .cosCompatible:
        SignatureMiddleware<VerifiedContext>(
          COSVerifier(mode: service == .cos ? .strict : .compatible, limits: limits), responses: answers,
          replays: replays, time: time, lookup: keys)
      case .s3:
        SignatureMiddleware<VerifiedContext>(
          S3Verifier(region: "cn-hangzhou", limits: limits), responses: answers, replays: replays, time: time,
          lookup: keys)
      }
    let router = Router(context: VerifiedContext.self)
    let routes = router.add(middleware: middleware)
    for method in [HTTPRequest.Method.get, .put, .post, .delete] {
      routes.on("**", method: method) { request, context in
        let body = try await request.body.collect(upTo: 1 << 20)
        handled.count()
        let target = context.verifiedRequest?.target
        let parameters = (target?.parameters ?? []).map { "\($0.name)=\($0.value ?? "")" }.joined(separator: ",")
        return "\(target?.bucket ?? "")|\(target?.key ?? "")|\(parameters)|\(body.readableBytes)"
      }
    }
    endpoint = try ServiceEndpoint(await RunningServer.start(router, test, logger: log.logger))
    self.time = time
    self.lookups = lookups
    self.handled = handled
  }

  var prefix: String { service == .s3 ? "x-amz-" : service.isCOS ? "x-cos-" : "x-oss-" }

  func request(
    _ method: HTTPRequest.Method = .get, _ key: String? = "a", bucket: String = bucket,
    parameters: [RequestTarget.Parameter] = [], headers: HTTPFields = [:]
  ) throws -> HTTPRequest {
    var fields = headers
    if method == .put, fields[.contentLength] == nil { fields[.contentLength] = "5" }
    return try endpoint.request(method, bucket: bucket, key: key, parameters: parameters, headers: fields)
  }

  func signed(
    _ request: HTTPRequest, with key: AccessKey = key, region: String = "cn-hangzhou", product: String = "oss",
    policy: COSHeaderPolicy = .standard, at date: Timestamp? = nil
  ) throws -> HTTPRequest {
    let context = SigningContext(date: date ?? time.now)
    return switch service {
    case .ossV4: try OSSSigner(.v4, region: region, product: product).signed(request, with: key, in: context)
    case .ossV1: try OSSSigner(.v1).signed(request, with: key, in: context)
    case .cos, .cosCompatible: try COSSigner(policy: policy).signed(request, with: key, in: context)
    case .s3: try S3Signer(region: region).signed(request, with: key, in: context)
    }
  }

  func presigned(_ request: HTTPRequest, with key: AccessKey = key) throws -> HTTPRequest {
    let context = SigningContext(date: time.now)
    let link =
      switch service {
      case .ossV4:
        try OSSSigner(.v4, region: "cn-hangzhou").presign(request, with: key, validFor: .seconds(60), in: context)
      case .ossV1: try OSSSigner(.v1).presign(request, with: key, validFor: .seconds(60), in: context)
      case .cos, .cosCompatible: try COSSigner().presign(request, with: key, validFor: .seconds(60), in: context)
      case .s3: try S3Signer(region: "cn-hangzhou").presign(request, with: key, validFor: .seconds(60), in: context)
      }
    var copy = request
    copy.headerFields = link.headers
    copy.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
    return copy
  }

  /// Sends a request unchanged; one with a Content-Length gets the body `hello`.
  func send(_ request: HTTPRequest, body: String = "hello") async throws -> (status: Int, text: String) {
    var wire = HTTPClientRequest(url: "http://\(endpoint.authority)\(request.path ?? "")")
    wire.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.headerFields where field.name != .contentLength {
      wire.headers.add(name: field.name.rawName, value: field.value)
    }
    if let authority = request.authority, authority != endpoint.authority {
      wire.headers.replaceOrAdd(name: "Host", value: authority)
    }
    if request.method == .put { wire.body = .bytes(ByteBuffer(string: body)) }
    let response = try await HTTPClient.shared.execute(wire, timeout: .seconds(60))
    let bytes = try await response.body.collect(upTo: 1 << 20)
    return (Int(response.status.code), String(buffer: bytes))
  }

  /// The S3 codes for the codes of the other services.
  private static let wordsOfS3: [String: [String]] = [
    "InvalidArgument": ["AuthorizationHeaderMalformed", "AuthorizationQueryParametersError", "InvalidRequest"],
    "InvalidSecurityToken": ["InvalidToken"],
  ]

  /// Sends a request that must be rejected before it reaches a handler.
  func assertRefused(
    _ request: HTTPRequest, _ codes: Set<String>, _ name: String, line: UInt = #line
  ) async throws {
    let before = handled.value
    let codes = service == .s3 ? codes.union(codes.flatMap { Self.wordsOfS3[$0] ?? [] }) : codes
    let (status, text) = try await send(request)
    XCTAssertTrue([400, 403].contains(status), "\(service) \(name): \(status) \(text)", line: line)
    XCTAssertEqual(handled.value, before, "\(service) \(name): the handler was reached", line: line)
    XCTAssertTrue(
      codes.contains { text.contains("<Code>\($0)</Code>") }, "\(service) \(name): \(text)", line: line)
    XCTAssertFalse(text.contains("to+ken") || text.contains("to%2Bken"), "\(service) \(name): \(text)", line: line)
  }
}
