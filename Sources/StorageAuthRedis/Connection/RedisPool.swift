// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuthServer
internal import Synchronization

/// A small pool of connections to a Redis server, which the stores of a service share.
///
/// Connections are opened when they are needed, and opened again when they are lost. No call waits longer than the
/// timeouts of the configuration: while the server is away, calls fail at once between two attempts to connect.
///
/// ```swift
/// let redis = RedisPool(try RedisConfiguration(url: "redis://redis.internal:6379"))
/// let service = TokenService(rates: RedisRateStore(redis), keys: RedisKeyStore(redis), source: source)
/// ```
public final class RedisPool: Sendable {
  private struct Slot {
    var connection: EventLoopFuture<RedisConnection>?
    /// The number of the newest connection, so that the end of an old one does not remove a new one.
    var generation = 0
    var failures = 0
    var failure = RedisFailure.closed
    var retry = NIODeadline.uptimeNanoseconds(0)
  }

  private struct State {
    var slots: [Slot]
    var next = 0
    var isShutDown = false
  }

  /// The address of the server and the limits of the connections.
  public let configuration: RedisConfiguration

  private let state: Mutex<State>

  /// Creates a pool without open connections.
  ///
  /// - Parameter configuration: The address of the server and the limits of the connections.
  public init(_ configuration: RedisConfiguration) {
    self.configuration = configuration
    state = Mutex(State(slots: Array(repeating: Slot(), count: configuration.connections)))
  }

  deinit { shutdown() }

  /// Closes all connections; later calls fail.
  public func shutdown() {
    let open = state.withLock { state in
      state.isShutDown = true
      return state.slots.compactMap(\.connection)
    }
    for connection in open { connection.whenSuccess { $0.channel.close(promise: nil) } }
  }

  /// Returns whether Redis answers now, for example for a health check.
  public func isReachable() async -> Bool {
    do throws(RedisFailure) {
      _ = try await connection().reply(to: RedisCommand("PING"))
      return true
    } catch {
      return false
    }
  }

  /// Runs a script, and returns its reply.
  ///
  /// If the connection is lost, the script is run once more on another connection. Scripts must therefore have the same
  /// effect if they run twice.
  func run(
    _ script: RedisScript, _ keys: [String], _ arguments: @Sendable (RedisInformation) throws(RedisFailure) -> [String]
  ) async throws(RedisFailure) -> RedisValue {
    do throws(RedisFailure) {
      return try await runOnce(script, keys, arguments)
    } catch .closed {
      return try await runOnce(script, keys, arguments)
    }
  }

  private func runOnce(
    _ script: RedisScript, _ keys: [String], _ arguments: (RedisInformation) throws(RedisFailure) -> [String]
  ) async throws(RedisFailure) -> RedisValue {
    let connection = try await connection()
    let arguments = try arguments(connection.information)
    var value = try await connection.reply(to: script.command(keys, arguments))
    if case .error(let text) = value, text.hasPrefix("NOSCRIPT") {
      value = try await connection.reply(to: script.fullCommand(keys, arguments))
    }
    if case .error(let text) = value { throw RedisFailure(reply: text) }
    return value
  }

  private func connection() async throws(RedisFailure) -> RedisConnection {
    let future = try state.withLock { state throws(RedisFailure) in
      guard !state.isShutDown else { throw .unreachable("the pool was shut down") }
      state.next = (state.next + 1) % state.slots.count
      let index = state.next
      if let connection = state.slots[index].connection { return connection }
      guard state.slots[index].retry <= .now() else { throw state.slots[index].failure }
      state.slots[index].generation += 1
      let connection = open(index, state.slots[index].generation)
      state.slots[index].connection = connection
      return connection
    }
    do {
      return try await future.get()
    } catch let failure as RedisFailure {
      throw failure
    } catch {
      throw .closed
    }
  }

  private func open(_ index: Int, _ generation: Int) -> EventLoopFuture<RedisConnection> {
    let opening = MultiThreadedEventLoopGroup.singleton.next().makeFutureWithTask { [configuration, weak self] in
      do throws(RedisFailure) {
        let connection = try await RedisConnection.open(configuration)
        self?.opened(connection, index, generation)
        return connection
      } catch {
        self?.failed(error, index, generation)
        throw error
      }
    }
    return opening
  }

  private func opened(_ connection: RedisConnection, _ index: Int, _ generation: Int) {
    let isShutDown = state.withLock { state in
      state.slots[index].failures = 0
      return state.isShutDown
    }
    if isShutDown { connection.channel.close(promise: nil) }
    connection.channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { state in
        if state.slots[index].generation == generation { state.slots[index].connection = nil }
      }
    }
  }

  private func failed(_ failure: RedisFailure, _ index: Int, _ generation: Int) {
    state.withLock { state in
      guard state.slots[index].generation == generation else { return }
      let pause = min(configuration.longestPause, .milliseconds(50) * (1 << min(state.slots[index].failures, 10)))
      state.slots[index].connection = nil
      state.slots[index].failures += 1
      state.slots[index].failure = failure
      state.slots[index].retry = .now() + TimeAmount(pause)
    }
  }
}
