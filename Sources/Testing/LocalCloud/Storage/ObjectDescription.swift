// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The headers that a client specified for an object, and that the server returns with the object.
struct ObjectDescription: Sendable, Equatable {
  /// The headers that describe the content, such as `Content-Type` and `Cache-Control`.
  var headers: [Header] = []
  /// The user metadata headers, with names that omit the service's prefix.
  var metadata: [Header] = []

  /// The start of the names of the metadata that a client which encrypts stores with an object.
  static let clientEncryptionPrefix = "client-side-encryption-"

  struct Header: Sendable, Equatable, Codable {
    let name: String
    let value: String
  }

  /// Adds the media type of another description, unless this one has one, and its metadata of client-side encryption.
  mutating func keepType(of other: ObjectDescription) {
    if !headers.contains(where: { $0.name == "Content-Type" }) {
      headers += other.headers.filter { $0.name == "Content-Type" }
    }
    metadata += other.metadata.filter { header in
      header.name.hasBytePrefix(Self.clientEncryptionPrefix) && !metadata.contains { $0.name == header.name }
    }
  }
}

/// The storage attributes that a client specified for an object.
///
/// The server stores and returns the attributes. Only a customer-provided encryption key and an archive storage class
/// have an effect.
struct ObjectAttributes: Sendable, Codable, Equatable {
  /// The name of the storage class, or `nil` for the standard storage class.
  var storageClass: String?
  /// The key of the object to which a symbolic link points, or `nil` if the object is no link.
  var linkTarget: String?
  /// The tags of the object, percent-decoded.
  var tags: [ObjectDescription.Header] = []
  /// The headers for server-side encryption, with names that omit the service's prefix.
  var encryption: [ObjectDescription.Header] = []
  /// The digest of the customer-provided encryption key, or `nil` if the client provided no key.
  var customerKey: CustomerKey?
  /// The number of the account that stored the object, or `nil` if it is that of the bucket.
  var owner: String?
}
