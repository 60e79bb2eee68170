// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
internal import Logging

/// The limits on the connections of a server: their number, and how long a client may keep one of them waiting.
///
/// Without these limits a client that sends half a request, or reads its response byte by byte, holds a connection
/// indefinitely, and a few hundred such clients use up the file descriptors that the system grants to a process.
///
/// ```swift
/// let limits = ConnectionLimits()
/// let application = Application(
///   router: router, server: .http1(limits),
///   configuration: .init(availableConnectionsDelegate: limits.availableConnections))
/// ```
public struct ConnectionLimits: Sendable, Hashable {
  /// The maximum number of open connections; further connections wait in the system's accept queue.
  public var connections: Int

  /// The maximum time for receiving the head of a request, from the opening of the connection or from its first byte.
  public var headTimeout: Duration

  /// The maximum total time that the server waits for the client while it receives a body.
  ///
  /// Received bytes extend the remaining time by one second for every ``minimumBodyRate`` bytes, up to this value.
  public var bodyTimeout: Duration

  /// The minimum average rate of a body, in bytes per second.
  public var minimumBodyRate: Int

  /// The maximum time that a connection may stay open between two requests.
  public var idleTimeout: Duration

  /// The maximum time that a client may leave a response unread.
  public var writeTimeout: Duration

  /// Creates the limits.
  ///
  /// - Parameters:
  ///   - connections: The maximum number of open connections, at least 1.
  ///   - headTimeout: The maximum time for receiving the head of a request.
  ///   - bodyTimeout: The maximum total time that the server waits for the client while it receives a body.
  ///   - minimumBodyRate: The minimum average rate of a body, in bytes per second, at least 1.
  ///   - idleTimeout: The maximum time that a connection may stay open between two requests.
  ///   - writeTimeout: The maximum time that a client may leave a response unread.
  public init(
    connections: Int = 500, headTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(30),
    minimumBodyRate: Int = 1024, idleTimeout: Duration = .seconds(60), writeTimeout: Duration = .seconds(60)
  ) {
    self.connections = max(1, connections)
    self.headTimeout = headTimeout
    self.bodyTimeout = bodyTimeout
    self.minimumBodyRate = max(1, minimumBodyRate)
    self.idleTimeout = idleTimeout
    self.writeTimeout = writeTimeout
  }

  /// The limit on connections, as the configuration of a Hummingbird server expects it.
  public var availableConnections: MaximumAvailableConnections {
    MaximumAvailableConnections(connections, logger: Logger(label: "connections") { _ in SwiftLogNoOpLogHandler() })
  }
}
