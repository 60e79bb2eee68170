// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import NIOCore

extension InboundCall {
  private static let byteLimit = 256 * 1024

  /// Reads the whole body of a request.
  ///
  /// - Parameters:
  ///   - request: The request whose body has not been read yet.
  ///   - limit: The maximum size of the body, in bytes.
  /// - Returns: The body, or `nil` if it is longer than `limit`.
  static func body(of request: Request, limit: Int = byteLimit) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for try await chunk in request.body {
      guard bytes.count + chunk.readableBytes <= limit else { return nil }
      bytes += chunk.readableBytesView
    }
    return bytes
  }
}
