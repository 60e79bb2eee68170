// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import StorageAuth

/// The observers of a local server's requests.
final class RequestFeed: Sendable {
  private struct State {
    var observers: [Int: AsyncStream<LocalCloud.RequestEvent>.Continuation] = [:]
    var nextObserver = 0
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Lock(State())

  private var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Adds an observer, which is removed when its sequence is released or cancelled.
  func observe(_ limit: Int) -> AsyncStream<LocalCloud.RequestEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LocalCloud.RequestEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let id: Int? = state.withLock { state in
      if state.isFinished { return nil }
      state.nextObserver += 1
      state.observers[state.nextObserver] = continuation
      return state.nextObserver
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
    return stream
  }

  func finish() {
    let observers = state.withLock { state in
      state.isFinished = true
      return Array(state.observers.values)
    }
    for observer in observers { observer.finish() }
  }

  /// Returns a request handler that reports each request when it has ended, if there is an observer when it arrives.
  func reporting(
    at now: @escaping @Sendable () -> Timestamp,
    _ respond:
      @escaping @Sendable @concurrent (Request, consuming ResponseWriter, RequestRecord?) async throws -> Void
  ) -> HTTPService.Responder {
    { request, writer in
      guard self.isObserved else { return try await respond(request, writer, nil) }
      let record = RequestRecord(request.head, at: now())
      var isComplete = false
      defer { self.publish(record, isComplete: isComplete) }
      try await respond(request, writer, record)
      isComplete = true
    }
  }

  private func publish(_ record: RequestRecord, isComplete: Bool) {
    state.withLock { state in
      state.lastNumber += 1
      let event = record.event(number: state.lastNumber, isComplete: isComplete)
      for observer in state.observers.values { observer.yield(event) }
    }
  }
}
