// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import OSSAuth
import StorageAuth
import StorageClient

/// A command that uploads and downloads small objects through the client, its transport only, and AsyncHTTPClient only.
///
/// All of them send requests for the same objects to the same server, in turn; those of the lower layers are signed
/// before the clock starts. The cost of a lower layer is the lower bound of the one above. A client without a transport
/// gets the first response to each method again, so that its cost is that of the client's own layers.
struct RequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "Measures requests a second, and the processor time of one in microseconds.")

  @Option(help: "The endpoint of an OSS server that verifies signatures.")
  var endpoint: String

  @Option(help: "The bucket, which must exist.")
  var bucket: String

  @Option(help: "The key, in the form id:secret.")
  var key: String

  @Option(help: "The number of bytes of an object.")
  var bytes = 1024

  @Option(help: "The number of objects in a round.")
  var objects = 4000

  @Option(help: "The number of concurrent requests.")
  var tasks = 16

  @Option(help: "The number of rounds; the fastest of each row counts.")
  var rounds = 3

  @Option(help: "Measure only the row with this name, for a profiler.")
  var only: String?

  @Flag(help: "Print tab-separated rows: name, requests a second, microseconds of processor time.")
  var tsv = false

  func run() async throws {
    let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw ValidationError("The key does not have the form id:secret.") }
    let client = try self.client(parts)
    let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let plain = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.plainConfiguration)
    let rows = try await [
      clientRows("client", client, content),
      clientRows("client without a transport", self.client(parts, transport: ReplayTransport()), content),
      transportRows(client, content), plainRows(client, content, plain),
    ].joined().filter { only == nil || $0.name == only }
    var results = [(rate: Double, cost: Double)](repeating: (0, .infinity), count: rows.count)
    for _ in 0..<rounds {
      for (index, row) in rows.enumerated() {
        let (rate, cost) = try await measure(row.act)
        results[index] = (max(results[index].rate, rate), min(results[index].cost, cost))
      }
    }
    try await plain.shutdown()
    for (row, result) in zip(rows, results) {
      StandardStream.print(
        tsv
          ? "\(row.name)\t\(Int(result.rate))\t\(rounded(result.cost))"
          : "\(row.name): \(Int(result.rate)) a second, \(rounded(result.cost)) µs of processor time")
    }
  }

  private struct Row {
    let name: String
    let act: @Sendable (Int) async throws -> Void
  }

  private struct WrongAnswer: Error {}

  private func client(
    _ key: [String], transport: any HTTPTransport = .platformDefault
  ) throws -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: bucket, region: "cn-hangzhou", endpoint: try ServiceEndpoint(endpoint)),
      credentials: AccessKey(id: key[0], secret: key[1]), transport: transport)
  }

  private func clientRows(_ name: String, _ client: StorageClient<OSSProvider>, _ content: [UInt8]) -> [Row] {
    [
      Row(name: "put, \(name)") { _ = try await client.upload(content, to: "object-\($0)") },
      Row(name: "get, \(name)") { index in
        guard try await client.download("object-\(index)", upTo: 1 << 20) == content else { throw WrongAnswer() }
      },
    ]
  }

  private func transportRows(_ client: StorageClient<OSSProvider>, _ content: [UInt8]) async throws -> [Row] {
    let transport = AsyncHTTPClientTransport()
    @Sendable func send(_ request: HTTPRequest, _ body: HTTPBody, expecting length: Int) async throws {
      let reply = try await transport.send(request, body: body)
      var count = 0
      for try await chunk in reply.body { count += chunk.count }
      guard reply.response.status == .ok, count == length else { throw WrongAnswer() }
    }
    let puts = try await signed(.put, client, content)
    let gets = try await signed(.get, client, content)
    return [
      Row(name: "put, transport") { try await send(puts[$0], .bytes(content), expecting: 0) },
      Row(name: "get, transport") { try await send(gets[$0], .none, expecting: content.count) },
    ]
  }

  private func plainRows(
    _ client: StorageClient<OSSProvider>, _ content: [UInt8], _ plain: HTTPClient
  ) async throws -> [Row] {
    func plainRequests(_ requests: [HTTPRequest], _ body: HTTPClientRequest.Body?) -> [HTTPClientRequest] {
      requests.map { request in
        var plain = HTTPClientRequest(
          url: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        plain.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { plain.headers.add(name: field.name.rawName, value: field.value) }
        plain.body = body
        return plain
      }
    }
    @Sendable func send(_ request: HTTPClientRequest, expecting length: Int) async throws {
      let answer = try await plain.execute(request, deadline: .distantFuture)
      var count = 0
      for try await chunk in answer.body { count += chunk.readableBytes }
      guard answer.status == .ok, count == length else { throw WrongAnswer() }
    }
    let puts = plainRequests(try await signed(.put, client, content), .bytes(ByteBuffer(bytes: content)))
    let gets = plainRequests(try await signed(.get, client, content), nil)
    return [
      Row(name: "put, AsyncHTTPClient") { try await send(puts[$0], expecting: 0) },
      Row(name: "get, AsyncHTTPClient") { try await send(gets[$0], expecting: content.count) },
    ]
  }

  /// Returns requests for all objects, signed as by the client.
  private func signed(
    _ method: HTTPRequest.Method, _ client: StorageClient<OSSProvider>, _ content: [UInt8]
  ) async throws -> [HTTPRequest] {
    var headers = HTTPFields()
    if method == .put {
      headers[.contentLength] = "\(content.count)"
      headers[.contentType] = "application/octet-stream"
    }
    let credential = try await client.credentials.credential()
    return try (0..<objects).map { index in
      let request = try client.provider.endpoint.request(
        method, bucket: bucket, key: "object-\(index)", headers: headers)
      return try client.provider.signer.signed(request, with: credential, in: .now)
    }
  }

  private static var plainConfiguration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    return configuration
  }

  /// Runs an operation once for each object, and returns the operations a second and the microseconds of processor time
  /// of one.
  private func measure(_ act: @escaping @Sendable (Int) async throws -> Void) async throws -> (
    rate: Double, cost: Double
  ) {
    let clock = ContinuousClock()
    let before = Usage.now.processorNanoseconds
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { [objects, tasks] in
          for index in stride(from: task, to: objects, by: tasks) { try await act(index) }
        }
      }
      try await group.waitForAll()
    }
    let seconds = (clock.now - start) / .seconds(1)
    let cost = (Usage.now.processorNanoseconds - before) / 1000 / Double(objects)
    return (Double(objects) / seconds, cost)
  }
}

/// A transport that sends the first request with each method, and returns copies of its response to all others.
private final class ReplayTransport: HTTPTransport {
  private let transport = AsyncHTTPClientTransport()
  private let responses = Lock<[HTTPRequest.Method: (HTTPResponse, [UInt8])]>([:])

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    if let (response, bytes) = responses.withLock({ $0[request.method] }) {
      return HTTPStreamingResponse(response: response, body: ByteStream(bytes))
    }
    let received = try await transport.send(request, body: body)
    guard let bytes = try? await received.body.collected(upTo: 1 << 20) else {
      throw TransportError(.connectionLost, "The body of the response is incomplete.", remedy: "Run it again.")
    }
    responses.withLock { $0[request.method] = (received.response, bytes) }
    return HTTPStreamingResponse(response: received.response, body: ByteStream(bytes))
  }
}
