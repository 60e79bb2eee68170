// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A signing server's refusal of a request because of its date, with the times of both clocks.
struct ClockSkewRefusal: Error {
  /// The error to throw if the clocks agree.
  let error: SigningError

  /// The time of the server's clock.
  let serverTime: Timestamp

  /// The uncorrected time of this machine's clock when the response arrived.
  let localTime: Timestamp
}
