// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A temporary key that is issued to a caller.
public struct VendedKey: Sendable, Equatable {
  /// The key.
  public let key: AccessKey

  /// The current time by the clock of the cloud that issued the key.
  ///
  /// A device can measure the key's lifetime from this time, whatever its own clock shows.
  public let date: Timestamp

  /// The expiration of the key by the same clock.
  public let expiration: Timestamp
}
