// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import NIOCore
internal import StorageAuth

extension Response {
  /// Creates a response with a JSON document that clients must not cache.
  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    json(document.serialized, status)
  }

  /// Creates a response with serialized JSON that clients must not cache.
  static func json(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
