// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AsyncIteratorProtocol {
  /// Returns the next element, or `nil` at the end, as `next(isolation:)` does on systems that have it.
  @inlinable
  package mutating func nextElement(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { return try await next(isolation: actor) }
    // Safe: the caller does not use the iterator until the call returns.
    nonisolated(unsafe) var iterator = self
    defer { self = unsafe iterator }
    return try await unsafe iterator.next()
  }
}
