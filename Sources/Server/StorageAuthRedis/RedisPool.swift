// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth

/// A small pool of connections to a Redis server, which the stores of a service share.
///
/// Connections are opened when they are needed. A lost connection is replaced, as is that to a server that no longer
/// serves after a failover; the host name is looked up each time. No call waits longer than the timeouts of the
/// configuration for each connection; while the server is away, calls fail at once between two attempts to connect.
///
/// ```swift
/// let redis = RedisPool(try RedisConfiguration(url: "redis://redis.internal:6379"))
/// let service = TokenService(rates: RedisRateStore(redis), keys: RedisKeyStore(redis), source: source)
/// ```
public final class RedisPool: Sendable {
  private struct Slot {
    var connection: EventLoopFuture<RedisConnection>?
    /// The number of removed connections, by which the end of an old connection does not remove a new one.
    var generation = 0
    /// The number of failures since the last reply of a server that serves.
    var failureCount = 0
    var lastFailure = RedisFailure.closed
    var retryTime = NIODeadline.uptimeNanoseconds(0)

    mutating func removeConnection() {
      connection = nil
      generation += 1
    }
  }

  private struct BorrowedConnection {
    let connection: RedisConnection
    let slotIndex: Int
    let generation: Int
  }

  private struct State {
    var slots: [Slot]
    var lastUsedIndex = 0
    var isShutDown = false
  }

  private static let initialPause = Duration.milliseconds(50)
  /// The number of failures after which the pause no longer doubles, so that it does not overflow.
  private static let doublingLimit = 10

  /// The address of the server and the limits of the connections.
  public let configuration: RedisConfiguration
  private let state: Lock<State>

  /// Creates a pool without open connections.
  ///
  /// - Parameter configuration: The address of the server and the limits of the connections.
  public init(_ configuration: RedisConfiguration) {
    self.configuration = configuration
    state = Lock(State(slots: Array(repeating: Slot(), count: configuration.connections)))
  }

  deinit { shutdown() }

  /// Closes all connections; later calls fail.
  public func shutdown() {
    let connections = state.withLock { state in
      state.isShutDown = true
      return state.slots.compactMap(\.connection)
    }
    for connection in connections { connection.whenSuccess { $0.channel.close(promise: nil) } }
  }

  /// Returns whether Redis replies and can store data, for example for a health check.
  public func isReachable() async -> Bool {
    let information = try? await withConnection { borrowed throws(RedisFailure) in
      let reply = try await borrowed.connection.reply(to: RedisCommand("INFO"))
      if case .error(let text) = reply { throw RedisFailure(reply: text) }
      return try RedisInformation(reply, openedAt: .now())
    }
    return information != nil
  }

  /// Runs a script, and returns its reply.
  ///
  /// If the connection is lost, or the server does not serve, the script is run on another connection, until each
  /// connection was replaced once. Scripts must therefore have the same effect if they run twice.
  func run(
    _ script: RedisScript, _ keys: [String], _ arguments: @Sendable (RedisInformation) throws(RedisFailure) -> [String]
  ) async throws(RedisFailure) -> RedisValue {
    for _ in 0..<configuration.connections {
      do throws(RedisFailure) {
        return try await runOnce(script, keys, arguments)
      } catch .closed, .notServing {
        continue
      }
    }
    return try await runOnce(script, keys, arguments)
  }

  private func runOnce(
    _ script: RedisScript, _ keys: [String], _ arguments: (RedisInformation) throws(RedisFailure) -> [String]
  ) async throws(RedisFailure) -> RedisValue {
    try await withConnection { borrowed throws(RedisFailure) in
      let arguments = try arguments(borrowed.connection.information)
      var value = try await borrowed.connection.reply(to: script.command(keys, arguments))
      if case .error(let text) = value, RedisFailure(reply: text) == .refused("NOSCRIPT") {
        value = try await borrowed.connection.reply(to: script.sourceCommand(keys, arguments))
      }
      if case .error(let text) = value { throw RedisFailure(reply: text) }
      updateSlot(borrowed.slotIndex, generation: borrowed.generation) { $0.failureCount = 0 }
      return value
    }
  }

  /// Uses a connection, and removes it from the pool if it has ended or its server does not serve.
  private func withConnection<Value>(
    _ body: (BorrowedConnection) async throws(RedisFailure) -> Value
  ) async throws(RedisFailure) -> Value {
    let borrowed = try await borrowConnection()
    do throws(RedisFailure) {
      return try await body(borrowed)
    } catch .closed {
      updateSlot(borrowed.slotIndex, generation: borrowed.generation) { $0.removeConnection() }
      throw .closed
    } catch .notServing(let code) {
      borrowed.connection.channel.close(promise: nil)
      updateSlot(borrowed.slotIndex, generation: borrowed.generation) { slot in
        slot.removeConnection()
        // The first time, another server may have taken its place, and is tried at once.
        delayRetry(of: &slot, after: .notServing(code), isFirst: slot.failureCount == 0)
      }
      throw .notServing(code)
    }
  }

  /// Changes a slot, unless a newer connection has taken it.
  private func updateSlot(_ index: Int, generation: Int, _ change: (inout Slot) -> Void) {
    state.withLock { state in
      if state.slots[index].generation == generation { change(&state.slots[index]) }
    }
  }

  private func delayRetry(of slot: inout Slot, after failure: RedisFailure, isFirst: Bool) {
    let pause = min(configuration.longestPause, Self.initialPause * (1 << min(slot.failureCount, Self.doublingLimit)))
    slot.failureCount += 1
    slot.lastFailure = failure
    slot.retryTime = .now() + (isFirst ? .zero : TimeAmount(pause))
  }

  private func borrowConnection() async throws(RedisFailure) -> BorrowedConnection {
    let (future, index, generation) = try state.withLock { state throws(RedisFailure) in
      guard !state.isShutDown else { throw .unreachable("the pool was shut down") }
      state.lastUsedIndex = (state.lastUsedIndex + 1) % state.slots.count
      let index = state.lastUsedIndex
      if let connection = state.slots[index].connection { return (connection, index, state.slots[index].generation) }
      guard state.slots[index].retryTime <= .now() else { throw state.slots[index].lastFailure }
      let connection = openConnection(in: index, generation: state.slots[index].generation)
      state.slots[index].connection = connection
      return (connection, index, state.slots[index].generation)
    }
    do {
      return BorrowedConnection(connection: try await future.get(), slotIndex: index, generation: generation)
    } catch {
      throw error as? RedisFailure ?? .closed
    }
  }

  /// Opens the connection of a slot, which is removed again if it cannot be opened.
  private func openConnection(in index: Int, generation: Int) -> EventLoopFuture<RedisConnection> {
    MultiThreadedEventLoopGroup.singleton.next().makeFutureWithTask { [configuration, weak self] in
      do throws(RedisFailure) {
        let connection = try await RedisConnection.open(configuration)
        self?.observeEnd(of: connection, in: index, generation: generation)
        return connection
      } catch {
        self?.updateSlot(index, generation: generation) { slot in
          slot.removeConnection()
          self?.delayRetry(of: &slot, after: error, isFirst: false)
        }
        throw error
      }
    }
  }

  /// Removes a connection from its slot when it ends, and closes it if the pool has been shut down.
  private func observeEnd(of connection: RedisConnection, in index: Int, generation: Int) {
    let isShutDown = state.withLock(\.isShutDown)
    if isShutDown { connection.channel.close(promise: nil) }
    connection.channel.closeFuture.whenComplete { [weak self] _ in
      self?.updateSlot(index, generation: generation) { $0.removeConnection() }
    }
  }
}

/// The report of a Redis server about itself when a connection is opened.
struct RedisInformation: Sendable {
  /// The maximum error of the server's uptime: a second of rounding, and one for the wall clock.
  private static let uptimeTolerance = Duration.seconds(2)

  let openTime: NIODeadline
  /// The uptime of the server process at that time, in whole seconds.
  private let uptimeSeconds: Int64
  /// Whether the server removes keys before they expire when its memory is full.
  let evictsKeys: Bool

  /// Parses the reply to `INFO`, or throws the failure with which the server would refuse to store data.
  init(_ report: RedisValue, openedAt openTime: NIODeadline) throws(RedisFailure) {
    var fields: [Substring: Substring] = [:]
    for line in (report.text ?? "").split(whereSeparator: \.isNewline) {
      let pair = line.split(separator: ":", maxSplits: 1)
      if pair.count == 2 { fields[pair[0]] = pair[1] }
    }
    guard let uptimeSeconds = fields["uptime_in_seconds"].flatMap({ Int64(digits: $0) }) else { throw .malformed }
    self.uptimeSeconds = uptimeSeconds
    self.openTime = openTime
    let hasMemoryLimit = fields["maxmemory"].map { $0 != "0" } ?? false
    // `INFO` still uses the old name of a replica.
    let isReplica = fields["role"] == "slave" && fields["slave_read_only"] != "0"
    evictsKeys = hasMemoryLimit && fields["maxmemory_policy"].map { $0 != "noeviction" } ?? false
    if fields["loading"] == "1" { throw .notServing("LOADING") }
    if isReplica { throw .notServing("READONLY") }
  }

  /// The time for which the server process has certainly run.
  var age: Duration {
    let timeSinceOpening = NIODeadline.now() - openTime
    return max(.zero, .seconds(uptimeSeconds) + .nanoseconds(timeSinceOpening.nanoseconds) - Self.uptimeTolerance)
  }
}
