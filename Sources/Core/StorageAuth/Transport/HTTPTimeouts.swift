// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The time limits of a transport for connections and requests.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The time limit for establishing a connection.
  public var connect: Duration

  /// The time limit for a connection on which no bytes are sent or received.
  public var idle: Duration

  /// The time limit from the start of a request to the head of its response, or `nil` for no limit.
  ///
  /// The limit includes the time for sending the body.
  public var request: Duration?

  /// Creates the time limits of a transport.
  ///
  /// - Parameters:
  ///   - connect: The time limit for establishing a connection.
  ///   - idle: The time limit for a connection on which no bytes are sent or received.
  ///   - request: The time limit from the start of a request to the head of its response, or `nil` for no limit.
  public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), request: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.request = request
  }
}
