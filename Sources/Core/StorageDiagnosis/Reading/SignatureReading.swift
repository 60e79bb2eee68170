// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The unverified statements of a request about its signature, and the strings that the signature covers.
public struct SignatureReading: Sendable {
  /// The ID of the access key with which the request claims to be signed.
  public var accessKeyID: AccessKeyID

  /// Whether the request contains a session token where the service reads it.
  public var hasToken: Bool

  /// The signing time or the start of the validity window, or `nil` if the request does not contain it.
  public var signedAt: Timestamp?

  /// The expiration of the signature, or `nil` if the request does not contain it.
  public var expiration: Timestamp?

  /// The headers and query parameters that have an effect but are not listed as signed.
  public var unsignedParts: [SignedPart]

  /// The strings that the signature covers.
  public var texts: SignedTexts

  /// Creates a reading of a request's signature.
  ///
  /// The parameters are the properties.
  public init(
    accessKeyID: AccessKeyID, hasToken: Bool, signedAt: Timestamp?, expiration: Timestamp?,
    unsignedParts: [SignedPart] = [], texts: SignedTexts
  ) {
    self.accessKeyID = accessKeyID
    self.hasToken = hasToken
    self.signedAt = signedAt
    self.expiration = expiration
    self.unsignedParts = unsignedParts
    self.texts = texts
  }
}
