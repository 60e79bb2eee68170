// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A chunk of bytes in its source's representation, so that the chunk can be passed on without copying.
package protocol ByteChunk: Sendable {
  var byteCount: Int { get }

  var array: [UInt8] { get }

  func withSpan(_ body: (Span<UInt8>) -> Void)

  func append(to bytes: inout [UInt8])
}

extension [UInt8]: ByteChunk {
  package var byteCount: Int { count }

  package var array: [UInt8] { self }

  package func withSpan(_ body: (Span<UInt8>) -> Void) { withElements(body) }

  package func append(to bytes: inout [UInt8]) { bytes += self }
}
