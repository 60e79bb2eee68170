// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The storage attributes that a client specified for an object.
///
/// They are stored and returned; only the customer-provided key and an archive storage class have an effect.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The storage class, or `nil` for the standard one.
  var storageClass: String?

  /// The tags, percent-decoded.
  var tags: [ObjectDescription.Header] = []

  /// The headers for server-side encryption, named without the service's prefix.
  var encryption: [ObjectDescription.Header] = []

  /// The customer-provided encryption key.
  var customerKey: CustomerKey?
}
