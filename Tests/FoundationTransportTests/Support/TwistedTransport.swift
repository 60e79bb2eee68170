// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

/// A transport that differs from another one in what a closure changes.
struct TwistedTransport: HTTPTransport {
  typealias Twist =
    @Sendable (SocketTransport, HTTPRequest, HTTPBody) async throws(TransportError) -> HTTPStreamingResponse

  var base = SocketTransport()
  let twist: Twist

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    try await twist(base, request, body)
  }
}

extension HTTPBody {
  /// The content as a stream.
  var stream: ByteStream {
    switch content {
    case .none: ByteStream([])
    case .bytes(let bytes): ByteStream(bytes)
    case .stream(let stream): stream
    }
  }

  /// Returns a body whose chunks a closure changes, and appends to at the end.
  ///
  /// - Parameter change: A closure that receives the number of bytes before a chunk, and the chunk or `nil` at the end.
  func changed(_ change: @escaping @Sendable (Int, [UInt8]?) -> [UInt8]?) -> HTTPBody {
    let stream = stream
    return .stream(
      ByteStream {
        let iterator = stream.makeAsyncIterator()
        var position = 0
        return {
          let chunk = change(position, try await iterator.next())
          position += chunk?.count ?? 0
          return chunk
        }
      }, length: length)
  }

  /// Returns a body that ends where reading fails.
  var withoutErrors: HTTPBody {
    let stream = stream
    return .stream(
      ByteStream {
        let iterator = stream.makeAsyncIterator()
        return { try? await iterator.next() }
      }, length: length)
  }

  /// Returns a body that is filled with zeros up to its length.
  var filled: HTTPBody {
    changed { [length] position, chunk in
      chunk ?? (position < Int(length) ? [UInt8](repeating: 0, count: Int(length) - position) : nil)
    }
  }
}

extension HTTPStreamingResponse {
  /// Returns the response with another body.
  func with(_ body: ByteStream) -> HTTPStreamingResponse {
    var copy = self
    copy.body = body
    return copy
  }

  /// Returns the response with a body that has been read completely.
  func buffered() async throws(TransportError) -> HTTPStreamingResponse {
    do {
      var bytes: [UInt8] = []
      for try await chunk in body { bytes += chunk }
      return with(ByteStream(bytes))
    } catch let error as TransportError {
      throw error
    } catch {
      throw TransportError(.connectionLost, "\(type(of: error))", remedy: "Try again.")
    }
  }
}
