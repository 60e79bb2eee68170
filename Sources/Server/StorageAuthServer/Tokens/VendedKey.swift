// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A temporary key that a token service has issued to a caller.
public struct VendedKey: Sendable, Equatable {
  /// The issued key, with its secret and its session token.
  public let key: AccessKey

  /// The time of the response according to the issuing cloud's clock.
  ///
  /// A device can measure the key's lifetime from this time, even if its own clock is wrong.
  public let date: Timestamp

  /// The expiration of the key according to the issuing cloud's clock.
  public let expiration: Timestamp
}
