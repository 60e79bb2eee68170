// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The storage attributes that a client specified for an object.
///
/// The server stores and returns the attributes. Only a customer-provided encryption key and an archive storage class
/// have an effect.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The name of the storage class, or `nil` for the standard storage class.
  var storageClass: String?

  /// The tags of the object, percent-decoded.
  var tags: [ObjectDescription.Header] = []

  /// The headers for server-side encryption, with names that omit the service's prefix.
  var encryption: [ObjectDescription.Header] = []

  /// The digest of the customer-provided encryption key, or `nil` if the client provided no key.
  var customerKey: CustomerKey?
}
