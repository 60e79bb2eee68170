// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The service for which a request was signed, with its known properties.
///
/// This package supplies `.oss(…)`, `.cos(…)` and `.s3(…)`. Another service supplies a ``SignatureReader``.
public struct SignedService: Sendable, Hashable {
  package let reader: any SignatureReader

  /// Creates a service from a reader.
  ///
  /// - Parameter reader: The reader of the service's signatures and error responses.
  public init(_ reader: some SignatureReader) { self.reader = reader }

  /// Returns whether two services have equal readers.
  public static func == (first: SignedService, second: SignedService) -> Bool {
    AnyHashable(first.reader) == AnyHashable(second.reader)
  }

  /// Hashes the reader of the service into the given hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(reader)) }
}
