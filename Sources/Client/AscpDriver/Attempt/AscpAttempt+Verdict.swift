// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth

extension AscpAttempt {
  /// The result of a transfer that ascp reported, or that the engine concluded from ascp's behavior.
  enum Verdict: Sendable, Hashable {
    /// The transfer completed.
    case done
    /// The transfer failed with ascp's error code and text.
    case failed(code: Int, text: String)
    /// The transfer was cancelled.
    case cancelled
    /// ascp violated the protocol of the management port in the given way.
    case fault(Fault)
  }

  /// A violation of the protocol of ascp's management port.
  enum Fault: Sendable, Hashable {
    /// ascp did not connect to the management port within the time limit.
    case neverConnected
    /// ascp sent no message within the time limit.
    case silent
    /// The data on the management port are not ascp frames.
    case unreadable(ManagementFrameParser.Problem)
  }
}
