public import HummingbirdCore
internal import Logging

/// How many connections a server holds, and how long a client may keep one of them waiting.
///
/// Without these limits a client that sends half a request, or reads its answer byte by byte, holds a connection for
/// ever, and a few hundred of them hold all that the system gives to a process.
///
/// ```swift
/// let limits = ConnectionLimits()
/// let application = Application(
///   router: router, server: .http1(limits),
///   configuration: .init(availableConnectionsDelegate: limits.availableConnections))
/// ```
public struct ConnectionLimits: Sendable, Hashable {
  /// The greatest number of open connections; those beyond it wait in the queue of the system.
  public var connections: Int

  /// How long the head of a request may take, from the opening of the connection or from its first byte.
  public var headTimeout: Duration

  /// For how long in all a client may leave the server waiting for a body.
  ///
  /// What arrives gives time back, a second for every ``minimumBodyRate`` bytes, and never more than this.
  public var bodyTimeout: Duration

  /// The rate at which a body has to arrive in the long run, in bytes a second.
  public var minimumBodyRate: Int

  /// How long a connection may stay open between two requests.
  public var idleTimeout: Duration

  /// How long a client may leave an answer unread.
  public var writeTimeout: Duration

  /// Sets the limits.
  ///
  /// - Parameters:
  ///   - connections: The greatest number of open connections.
  ///   - headTimeout: How long the head of a request may take.
  ///   - bodyTimeout: For how long in all a client may leave the server waiting for a body.
  ///   - minimumBodyRate: The rate at which a body has to arrive in the long run, in bytes a second.
  ///   - idleTimeout: How long a connection may stay open between two requests.
  ///   - writeTimeout: How long a client may leave an answer unread.
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

  /// The limit on connections, in the form that a server of Hummingbird takes.
  public var availableConnections: MaximumAvailableConnections {
    MaximumAvailableConnections(connections, logger: Logger(label: "connections") { _ in SwiftLogNoOpLogHandler() })
  }
}
