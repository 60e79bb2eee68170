// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The statistics of Aspera transfers since the start of the server.
  ///
  /// Rejections are counted by code in the statistics of the endpoint `.transfer`, and issued tokens in those of
  /// `.node`.
  public struct TransferStatistics: Sendable, Hashable {
    /// The number of setup calls that succeeded.
    public internal(set) var setups = 0

    /// The number of connections to the transfer desk, including those that only test a login.
    public internal(set) var connections = 0

    /// The number of successful logins.
    public internal(set) var logins = 0

    /// The number of sessions that began, with a valid account and token.
    public internal(set) var sessions = 0

    /// The number of sessions that completed successfully.
    public internal(set) var completed = 0

    /// The number of files that were transferred.
    public internal(set) var files = 0

    /// The number of bytes of content that were transferred, including those of failed sessions.
    public internal(set) var bytes: Int64 = 0

    /// The number of injected faults, by error code.
    public internal(set) var faults: [Int: Int] = [:]
  }
}
