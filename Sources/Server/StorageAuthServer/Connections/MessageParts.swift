// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// A part of a request, without its content.
enum RequestPart {
  case head
  case body(byteCount: Int)
  case end
}

/// The parts of requests and responses in the pipeline of a protocol.
protocol MessageParts: SendableMetatype {
  associatedtype Request
  associatedtype Response

  /// Returns the part of a request that a value in the pipeline is.
  static func part(_ value: Request) -> RequestPart

  /// Returns whether a value in the pipeline is the end of a response.
  static func isEnd(_ value: Response) -> Bool
}

/// The parts directly after the decoder of HTTP/1.1.
enum HTTP1Parts: MessageParts {
  static func part(_ value: HTTPServerRequestPart) -> RequestPart {
    switch value {
    case .head: .head
    case .body(let bytes): .body(byteCount: bytes.readableBytes)
    case .end: .end
    }
  }

  static func isEnd(_ value: HTTPServerResponsePart) -> Bool {
    if case .end = value { true } else { false }
  }
}

/// The parts on a stream of HTTP/2.
enum StreamParts: MessageParts {
  static func part(_ value: HTTPRequestPart) -> RequestPart {
    switch value {
    case .head: .head
    case .body(let bytes): .body(byteCount: bytes.readableBytes)
    case .end: .end
    }
  }

  static func isEnd(_ value: HTTPResponsePart) -> Bool {
    if case .end = value { true } else { false }
  }
}
