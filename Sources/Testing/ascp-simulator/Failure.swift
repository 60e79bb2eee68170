// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A failure of the simulator with an ascp error code and a text without secrets.
struct Failure: Error, Sendable, Equatable {
  let code: Int
  let text: String

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  /// Creates the failure for an invalid command line or environment.
  static func usage(_ text: String) -> Failure { Failure(8, text) }

  /// The failure of a session that the client cancelled.
  static let cancelled = Failure(28, "Session cancelled")

  /// Converts a transport error to a failure.
  ///
  /// The failure depends on whether the failed request was the first request to the transfer desk.
  init(_ error: TransportError, isFirst: Bool) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .connectionFailed where isFirst: self.init(44, "Failed to open TCP connection to the transfer desk")
    case .timeout: self.init(15, "The transfer desk did not respond in time")
    default: self.init(16, "The connection to the transfer desk was lost")
    }
  }
}
