// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

@testable import StorageAuthTesting

/// Transports that each break one rule.
enum TransportMutants {
  /// Returns a transport that breaks a rule and follows all others.
  static func transport(breaking rule: TransportRule) -> TwistedTransport {
    switch rule {
    case .informational: TwistedTransport(base: SocketTransport(leniency: .informationalHead), twist: honest)
    case .truncatedHead: TwistedTransport(base: SocketTransport(leniency: .truncatedHead), twist: honest)
    case .malformed: TwistedTransport(base: SocketTransport(leniency: .lowStatus), twist: honest)
    case .trailer: TwistedTransport(base: SocketTransport(leniency: .trailer), twist: honest)
    default: TwistedTransport(twist: request(rule) ?? upload(rule) ?? response(rule) ?? ending(rule) ?? honest)
    }
  }

  /// The unchanged behavior of the transport over sockets.
  static let honest: TwistedTransport.Twist = { base, request, body throws(TransportError) in
    try await base.send(request, body: body)
  }

  /// Sends requests that a closure has changed.
  private static func changing(
    _ change: @escaping @Sendable (inout HTTPRequest, HTTPBody) -> Void
  ) -> TwistedTransport.Twist {
    { base, request, body throws(TransportError) in
      var request = request
      change(&request, body)
      return try await base.send(request, body: body)
    }
  }

  private static func request(_ rule: TransportRule) -> TwistedTransport.Twist? {
    switch rule {
    case .path: changing { request, _ in request.path = request.path?.replacing("+", with: "%2B") }
    case .unusualPath:
      changing { request, _ in
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        request.path = ([parts[0].replacing("/../", with: "/")] + parts.dropFirst()).joined(separator: "?")
      }
    case .headers:
      changing { request, _ in
        for field in request.headerFields where field.value.contains("  ") {
          request.headerFields[field.name] = field.value.replacing("  ", with: " ")
        }
      }
    case .unusualHeaders:
      changing { request, _ in
        for name in Set(request.headerFields.map(\.name)) {
          request.headerFields[name] = request.headerFields[values: name].joined(separator: ", ")
        }
      }
    case .addedHeaders:
      changing { request, body in
        guard request.headerFields[.contentType] == nil, body.length > 0 else { return }
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
      }
    case .contentLength:
      changing { request, body in
        if case .bytes(let bytes) = body.content, bytes.count == 100_000 {
          request.headerFields[.transferEncoding] = "identity"
        }
      }
    default: nil
    }
  }

  private static func upload(_ rule: TransportRule) -> TwistedTransport.Twist? {
    switch rule {
    case .lazyUpload:
      { base, request, body throws(TransportError) in
        guard body.length > 16 << 20, body.length < 1 << 30 else { return try await base.send(request, body: body) }
        let all = try? await body.stream.collected(upTo: Int(body.length))
        return try await base.send(request, body: .stream(ByteStream(all ?? []), length: body.length))
      }
    case .repeatedBody: consumingBodies()
    case .shortBody: { base, request, body throws(TransportError) in try await base.send(request, body: body.filled) }
    case .longBody:
      { base, request, body throws(TransportError) in
        let cut = body.changed { [length = Int(body.length)] position, chunk in
          position < length ? chunk.map { Array($0.prefix(length - position)) } : nil
        }
        return try await base.send(request, body: body.length == 20_000 ? cut : body)
      }
    case .failingBody:
      { base, request, body throws(TransportError) in
        let isFailing = (try? await body.stream.collected(upTo: 20_000)) == nil
        guard isFailing, body.length == 20_000 else { return try await base.send(request, body: body) }
        return try await base.send(request, body: body.withoutErrors.filled)
      }
    case .earlyResponse:
      { base, request, body throws(TransportError) in
        let sent = Tally()
        let counted = body.changed { _, chunk in
          sent.add(chunk?.count ?? 0)
          return chunk
        }
        let response = try await base.send(request, body: body.length > 1 << 20 ? counted : body)
        guard body.length <= 1 << 20 || sent.count == Int(body.length) else { throw lost }
        return response
      }
    default: nil
    }
  }

  /// Sends zeros in place of a body after a response with status 503.
  private static func consumingBodies() -> TwistedTransport.Twist {
    let isConsumed = Lock(false)
    return { base, request, body throws(TransportError) in
      let body = isConsumed.withLock { $0 } ? body.changed { _, chunk in chunk.map { $0.map { _ in 0xff } } } : body
      let response = try await base.send(request, body: body)
      if response.response.status.code == 503 { isConsumed.withLock { $0 = true } }
      return response
    }
  }

  static let lost = TransportError(.connectionLost, "The connection was lost.", remedy: "Try again.")
}
