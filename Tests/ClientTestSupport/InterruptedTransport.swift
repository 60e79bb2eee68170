// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import StorageAuth
package import StorageClient

/// A transport that counts the requests for parts and ranges, and can fail some of them.
package final class InterruptedTransport: HTTPTransport {
  /// A request, described by its method, and the value of a query parameter or of the range.
  package struct Sent: Sendable, Hashable {
    package let method: HTTPRequest.Method
    package let query: String
    package let range: String?

    /// The number of the uploaded part, or `nil` if the request uploads no part.
    package var part: Int? {
      guard method == .put else { return nil }
      return query.split(separator: "&").first { $0.hasPrefix("partNumber=") }.flatMap { Int($0.dropFirst(11)) }
    }

    /// Whether the request completes a multipart upload.
    package var completes: Bool { method == .post && query.contains("uploadId=") }
  }

  package typealias Fault = @Sendable (Sent) async -> Interruption?

  /// A failure of a request.
  package enum Interruption: Sendable {
    /// The request does not reach the service.
    case before
    /// The request reaches the service, and its response is lost.
    case after
    /// The body of the response ends after a number of bytes.
    case inBody(Int)
  }

  private let base: any HTTPTransport
  /// The number of answered parts after which a failure happens, whatever the order of concurrent requests.
  private let answersBefore: Int
  private let fault: Fault
  private let requests = Lock<(sent: [Sent], answered: [Sent])>(([], []))

  package init(
    _ base: any HTTPTransport = NetworkTransport.shared, answersBefore: Int = 0,
    fault: @escaping Fault = { _ in nil }
  ) {
    self.base = base
    self.answersBefore = answersBefore
    self.fault = fault
  }

  package var sent: [Sent] { requests.withLock { $0.sent } }

  /// The numbers of the parts that were sent, in order.
  package var parts: [Int] { sent.compactMap(\.part).sorted() }

  /// The numbers of the parts whose responses arrived, in order.
  package var answeredParts: [Int] { requests.withLock { $0.answered }.compactMap(\.part).sorted() }

  /// The number of bytes of the ranges that were requested.
  package var rangeBytes: Int64 {
    sent.filter { $0.method == .get }.compactMap(\.range).reduce(0) { sum, range in
      let ends = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
      return ends.count == 2 ? sum + ends[1] - ends[0] + 1 : sum
    }
  }

  package func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let query = (request.path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let sent = Sent(method: request.method, query: String(query), range: request.headerFields[.range])
    requests.withLock { $0.sent.append(sent) }
    let lost = TransportError(.connectionLost, "The process ended.", remedy: "Start it again.")
    let interruption = await fault(sent)
    while interruption != nil, answeredParts.count < answersBefore, !Task.isCancelled { await Task.yield() }
    switch interruption {
    case nil:
      let reply = try await base.send(request, body: body)
      requests.withLock { $0.answered.append(sent) }
      return reply
    case .before: throw lost
    case .after:
      _ = try await base.send(request, body: body)
      throw lost
    case .inBody(let count):
      let reply = try await base.send(request, body: body)
      let bytes: [UInt8]
      do {
        bytes = try await reply.body.collected(upTo: 16 << 20) ?? []
      } catch {
        throw lost
      }
      return HTTPStreamingResponse(
        response: reply.response,
        body: ByteStream {
          var rest: [UInt8]? = Array(bytes.prefix(count))
          return {
            guard let chunk = rest else { throw lost }
            rest = nil
            return chunk
          }
        })
    }
  }
}

/// A place in memory for the checkpoint of a transfer, as another process would find it.
package final class MemoryCheckpoint<Checkpoint: Codable & Sendable>: CheckpointStorage {
  private let state = Lock<(value: Checkpoint?, saves: [Checkpoint])>((nil, []))

  package init(_ value: Checkpoint? = nil) {
    state.withLock { $0.value = value }
  }

  package var value: Checkpoint? {
    get { state.withLock { $0.value } }
    set { state.withLock { $0.value = newValue } }
  }

  /// All checkpoints that were saved, in order.
  package var saves: [Checkpoint] { state.withLock { $0.saves } }

  package func load() -> Checkpoint? { value }

  package func save(_ checkpoint: Checkpoint) {
    state.withLock { state in
      state.value = checkpoint
      state.saves.append(checkpoint)
    }
  }

  package func remove() { value = nil }
}
