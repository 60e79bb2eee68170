// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An error for a signing request that a signing server refused because of its date, with the times of both clocks.
struct ClockSkewRefusal: Error {
  /// The error to throw if the clocks of the signing server and this machine agree.
  let error: SigningError

  /// The time according to the signing server's clock.
  let serverTime: Timestamp

  /// The uncorrected time according to this machine's clock when the server's response arrived.
  let localTime: Timestamp
}
