// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The statistics of Aspera transfers since the start of the server.
  ///
  /// The statistics of the endpoint `.transfer` contain the rejected transfers by error code. The statistics of the
  /// endpoint `.node` contain the number of issued tokens.
  public struct TransferStatistics: Sendable, Hashable {
    /// The number of successful transfer setup calls (`upload_setup` and `download_setup`).
    public internal(set) var setups = 0

    /// The number of connections to the transfer server, including connections that only test a login.
    public internal(set) var connections = 0

    /// The number of successful logins to the Aspera transfer server.
    public internal(set) var logins = 0

    /// The number of Aspera transfer sessions that began with a valid account and token.
    public internal(set) var sessions = 0

    /// The number of Aspera transfer sessions that completed successfully.
    public internal(set) var completed = 0

    /// The number of files that Aspera sessions transferred.
    public internal(set) var files = 0

    /// The number of content bytes that Aspera sessions transferred, including the bytes of failed sessions.
    public internal(set) var bytes: Int64 = 0

    /// The numbers of faults that were injected into transfers, by ascp error code.
    public internal(set) var faults: [Int: Int] = [:]
  }
}
