// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import COSAuth
import Foundation
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

@testable import storage_auth

/// A local cloud with a console.
struct ConsoleBench {
  static let now = Timestamp(unixSeconds: 1_795_161_600)
  static let key = AccessKey(id: "LTAItest", secret: "M4RK-not-a-secret")
  static let other = AccessKey(id: "LTAIother", secret: "M4RK-of-the-other")
  static let temporary = AccessKey(id: "STS.test", secret: "M4RK-temporary", sessionToken: "M4RK/token+of=the=test")
  static let bucket = "photos-1250000000"

  let cloud: LocalCloud
  /// The URL of the console, with a slash at its end.
  let url: String
  let time = ManualClock()

  init(
    _ test: XCTestCase, withConsole: Bool = true, limits: RequestLog.Limits = RequestLog.Limits(),
    isStrict: Bool = false
  ) async throws {
    let cloud = try await LocalCloud.start(
      .init(
        accounts: [.init(Self.key), .init(Self.other), .init(Self.temporary)], buckets: [Self.bucket],
        region: "cn-hangzhou", isStrict: isStrict, clock: { Self.now }))
    test.addTeardownBlock { await cloud.stop() }
    self.cloud = cloud
    guard withConsole else {
      url = ""
      return
    }
    let console = try await LocalConsole.start(for: cloud, port: 0, limits: limits) { [time] in
      try await time.sleep(for: $0)
    }
    test.addTeardownBlock { await console.stop() }
    url = console.url
  }

  // MARK: Requests to the cloud

  func request(_ method: HTTPRequest.Method, _ key: String, of provider: LocalCloud.Provider) throws -> HTTPRequest {
    try cloud.endpoint(of: provider).request(method, bucket: Self.bucket, key: key, parameters: [], headers: [:])
  }

  func sign(
    _ request: HTTPRequest, of provider: LocalCloud.Provider, with key: AccessKey = key, region: String? = nil,
    at date: Timestamp = now
  ) throws -> HTTPRequest {
    switch provider {
    case .oss: try OSSSigner(region: region ?? "cn-hangzhou").signed(request, with: key, in: .at(date))
    case .cos: try COSSigner().signed(request, with: key, in: .at(date))
    case .s3: try S3Signer(region: region ?? "us-east-1").signed(request, with: key, in: .at(date))
    }
  }

  /// Returns a signed call to Amazon STS.
  func signToken(_ request: HTTPRequest, body: [UInt8]) throws -> HTTPRequest {
    var request = request
    request.headerFields[.known("x-amz-content-sha256")] = SHA256.hash(body).hex
    return try S3Signer(region: "us-east-1", service: "sts", style: .path).signed(
      request, with: Self.key, in: .at(Self.now))
  }

  /// Returns a signed request for an object.
  func signed(_ key: String, of provider: LocalCloud.Provider, _ method: HTTPRequest.Method = .get) throws
    -> HTTPRequest
  {
    try sign(request(method, key, of: provider), of: provider)
  }

  /// Sends a request unchanged, and returns the status of the response.
  @discardableResult
  func send(_ request: HTTPRequest, body: [UInt8]? = nil) async throws -> Int {
    var wire = HTTPClientRequest(url: "http://\(request.authority ?? "")\(request.path ?? "")")
    wire.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.headerFields { wire.headers.add(name: field.name.rawName, value: field.value) }
    if let body { wire.body = .bytes(ByteBuffer(bytes: body)) }
    let response = try await HTTPClient.shared.execute(wire, timeout: .seconds(60))
    _ = try await response.body.collect(upTo: 1 << 20)
    return Int(response.status.code)
  }

  // MARK: Requests to the console

  /// Sends a request to the console, by default a GET request.
  func get(
    _ path: String, _ headers: [String: String] = [:], method: HTTPMethod = .GET, body: [UInt8]? = nil
  ) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: url + path)
    request.method = method
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
  }

  func text(_ path: String) async throws -> String {
    String(buffer: try await get(path).body.collect(upTo: 1 << 20))
  }

  func json(_ path: String) async throws -> JSONValue {
    try JSONValue(parsing: Array(try await text(path).utf8))
  }

  /// Opens the events of the console.
  func events(after id: String? = nil) async throws -> EventReader {
    EventReader(try await get("events", id.map { ["Last-Event-ID": $0] } ?? [:]))
  }

  /// Sends a request that is rejected, and returns the summary and the explanation that the console shows.
  func explanation(of request: HTTPRequest) async throws -> (summary: JSONValue, detail: JSONValue) {
    var events = try await events()
    let before = try await events.next("hello")
    XCTAssertNotNil(before)
    try await send(request)
    while true {
      let summary = try await events.next("request")
      let number = try XCTUnwrap(summary["n"]?.integer)
      let detail = try await json("requests/\(number)")
      if summary["target"]?.string == SecretMask.namedValues.applied(to: request.path ?? "") {
        return (summary, detail["explanation"] ?? .null)
      }
    }
  }
}

/// A reader of server-sent events.
struct EventReader {
  let status: Int
  let headers: HTTPHeaders
  private var blocks: AsyncStream<String>.AsyncIterator

  init(_ response: HTTPClientResponse) {
    status = Int(response.status.code)
    headers = response.headers
    let (blocks, received) = AsyncStream.makeStream(of: String.self)
    let body = response.body
    let reading = Task {
      defer { received.finish() }
      var text = ""
      for try await bytes in body {
        text += String(buffer: bytes)
        while let end = text.range(of: "\n\n") {
          received.yield(String(text[..<end.lowerBound]))
          text = String(text[end.upperBound...])
        }
      }
    }
    // A missing event fails the test that waits for it, which would wait forever otherwise.
    let watching = Task {
      try await Task.sleep(for: .seconds(60))
      received.yield("no event and no end within a minute")
      received.finish()
    }
    received.onTermination = { _ in
      reading.cancel()
      watching.cancel()
    }
    self.blocks = blocks.makeAsyncIterator()
  }

  /// Returns the next block of lines, or `nil` at the end of the response.
  mutating func block() async -> String? { try? await blocks.nextElement() }

  /// Returns the data of the next event of a type.
  mutating func next(_ type: String) async throws -> JSONValue {
    while let block = await block() {
      let lines = block.split(separator: "\n")
      guard lines.contains("event: \(type)"), let data = lines.first(where: { $0.hasPrefix("data: ") }) else {
        continue
      }
      return try JSONValue(parsing: Array(data.dropFirst(6).utf8))
    }
    throw EndOfEvents()
  }
}

/// The error if the events end before the expected one.
struct EndOfEvents: Error {}
