// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import COSAuth
internal import HTTPTypes
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import OSSAuth
internal import S3Auth
internal import StorageAuth

/// Signs requests to one service of a server and sends them.
struct TestClient: Sendable {
  let cloud: LocalCloud
  let provider: LocalCloud.Provider
  var key: AccessKey
  let clock: TestClock

  /// The prefix of the service's own headers.
  var prefix: String {
    switch provider {
    case .oss: "x-oss-"
    case .cos: "x-cos-"
    case .s3: "x-amz-"
    }
  }

  /// The name of the header with the access control of an object.
  var objectAccess: String { "\(prefix)\(provider == .oss ? "object-acl" : "acl")" }

  /// The value of the header that names an object of the bucket as the source of a copy.
  func copySource(_ key: String) -> String {
    let path = "/\(CloudTestCase.bucket)/\(key)"
    return provider != .cos ? path : cloud.cosEndpoint.authority + path
  }

  /// An entity tag in the service's notation.
  func tag(_ hex: String) -> String { "\"\(provider == .oss ? hex.uppercased() : hex)\"" }

  /// Signs a request with the bucket at a position, which otherwise follows from the host.
  func signed(_ request: HTTPRequest, _ style: AddressingStyle? = nil) throws -> HTTPRequest {
    switch provider {
    case .oss: try OSSSigner(region: "cn-hangzhou", style: style).signed(request, with: key, in: .at(clock.now))
    case .cos: try COSSigner().signed(request, with: key, in: .at(clock.now))
    case .s3: try S3Signer(region: "us-east-1").signed(request, with: key, in: .at(clock.now))
    }
  }

  func presigned(_ request: HTTPRequest, validFor duration: Duration) throws -> PresignedRequest {
    switch provider {
    case .oss:
      try OSSSigner(region: "cn-hangzhou").presign(request, with: key, validFor: duration, in: .at(clock.now))
    case .cos:
      try COSSigner().presign(request, with: key, validFor: duration, in: .at(clock.now))
    case .s3:
      try S3Signer(region: "us-east-1").presign(request, with: key, validFor: duration, in: .at(clock.now))
    }
  }

  /// Returns an unsigned request.
  func request(
    _ method: HTTPRequest.Method, _ key: String? = nil, bucket: String? = CloudTestCase.bucket,
    query: KeyValuePairs<String, String?> = [:], headers: [String: String] = [:]
  ) throws -> HTTPRequest {
    var fields: HTTPFields = [:]
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    return try cloud.endpoint(of: provider).request(
      method, bucket: bucket, key: key,
      parameters: query.map { RequestTarget.Parameter(name: $0.key, value: $0.value) }, headers: fields)
  }

  /// Signs and sends a request.
  func send(
    _ method: HTTPRequest.Method, _ key: String? = nil, bucket: String? = CloudTestCase.bucket,
    query: KeyValuePairs<String, String?> = [:], headers: [String: String] = [:], body: [UInt8]? = nil
  ) async throws -> Reply {
    try await send(signed(request(method, key, bucket: bucket, query: query, headers: headers)), body: body)
  }

  /// Sends a request without changing it; the shared HTTP client decompresses the response.
  func send(
    _ request: HTTPRequest, body: [UInt8]? = nil, over http: HTTPClient = .shared
  ) async throws -> Reply {
    var wire = HTTPClientRequest(url: "http://\(request.authority ?? "")\(request.path ?? "")")
    wire.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.headerFields { wire.headers.add(name: field.name.rawName, value: field.value) }
    if let body { wire.body = .bytes(ByteBuffer(bytes: body)) }
    return try await Reply(wire, over: http)
  }
}

/// A response.
struct Reply: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]

  init(_ request: HTTPClientRequest, over http: HTTPClient = .shared) async throws {
    let response = try await http.execute(request, timeout: .seconds(60))
    status = Int(response.status.code)
    headers = response.headers
    body = Array(try await response.body.collect(upTo: 64 * 1024 * 1024).readableBytesView)
  }

  func header(_ name: String) -> String? { headers.first(name: name) }

  /// The body parsed as XML.
  var document: XMLNode {
    get throws { try XMLNode.parse(body) }
  }

  /// The error code in the body.
  var errorCode: String? {
    get throws { try document["Code"]?.text }
  }

  /// The body as a string.
  var text: String { String(decoding: body, as: UTF8.self) }
}
