// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
internal import Logging

/// The limits on a server's connections: their number, and the time for which a client may keep the server waiting.
///
/// Without them, a few hundred clients that send half a request, or read their response byte by byte, use up the file
/// descriptors that the system grants to a process.
///
/// ```swift
/// let limits = ConnectionLimits()
/// let application = Application(
///   router: router, server: .http1(limits),
///   configuration: .init(availableConnectionsDelegate: limits.availableConnections))
/// ```
public struct ConnectionLimits: Sendable, Hashable {
  /// The maximum number of open connections; additional connections wait in the system's accept queue.
  ///
  /// The server accepts up to four connections that arrive together, so the number can be exceeded by three.
  public var connections: Int

  /// The maximum time for a TLS handshake, and for receiving the head of a request after the connection was opened,
  /// after the handshake, or after the head's first byte.
  public var headTimeout: Duration

  /// The maximum total time for which the server waits for the client while it receives a body.
  ///
  /// Every ``minimumBodyRate`` received bytes extend the remaining time by one second, up to this value.
  public var bodyTimeout: Duration

  /// The minimum average rate, in bytes per second, at which a client must send a body.
  public var minimumBodyRate: Int
  /// The maximum time for which a connection may stay open between two requests.
  public var idleTimeout: Duration
  /// The maximum time for which a client may leave a response, or the part of it that the server wrote at once, unread.
  public var writeTimeout: Duration

  /// Creates limits; the parameters are the properties, of which the number of connections and the rate are at least 1.
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

  /// The maximum number of connections, in the form that the configuration of a Hummingbird server requires.
  public var availableConnections: MaximumAvailableConnections {
    MaximumAvailableConnections(connections, logger: Logger(label: "connections") { _ in SwiftLogNoOpLogHandler() })
  }
}
