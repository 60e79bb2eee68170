// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// Calls `body` with a span of the elements.
  ///
  /// The property `span` of an array exists on Apple's systems from version 26 on; that of a slice exists on all.
  @inlinable @inline(__always)
  package func withElements<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let elements = self[...]
    return try body(elements.span)
  }
}
