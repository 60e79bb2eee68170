// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An error of the simulator with an error code of ascp, without secrets.
struct Failure: Error, Sendable, Equatable {
  let code: Int
  let text: String

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  /// Creates the error for a command line or an environment that cannot be used.
  static func usage(_ text: String) -> Failure { Failure(8, text) }

  /// The error after the client has cancelled the session.
  static let cancelled = Failure(28, "Session cancelled")

  /// Converts an error of the transport, whose meaning depends on whether the transfer desk has been reached before.
  init(_ error: TransportError, isFirst: Bool) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .connectionFailed where isFirst: self.init(44, "Failed to open TCP connection to the transfer desk")
    case .timeout: self.init(15, "The transfer desk did not respond in time")
    default: self.init(16, "The connection to the transfer desk was lost")
    }
  }
}
