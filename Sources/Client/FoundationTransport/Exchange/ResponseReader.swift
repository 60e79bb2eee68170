// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// The reader of a response's body, which closes the connection when it is released before the end.
final class ResponseReader: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) {
    self.exchange = exchange
  }

  deinit {
    exchange.end(.failure(.cancelled(host: exchange.request.host)))
  }

  /// A stream of the body's bytes, which retains the reader.
  var stream: ByteStream {
    ByteStream(chunks: { [self] in
      {
        guard let data = try await self.exchange.nextChunk() else { return nil }
        return ReceivedChunk(data: data)
      }
    })
  }
}

/// A chunk of a response's body.
private struct ReceivedChunk: ByteChunk {
  let data: Data

  var byteCount: Int { data.count }

  var array: [UInt8] { Array(data) }

  func withSpan(_ body: (Span<UInt8>) -> Void) { body(data.span) }

  func append(to bytes: inout [UInt8]) { bytes += data }
}
