// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
  internal import Dispatch
  internal import Foundation
  internal import StorageAuth

  /// A bounded buffer between the source of a body and the session that sends it.
  ///
  /// Foundation reads a body on the queue of all sessions, and takes a stream without bytes for a complete body. The pipe
  /// therefore pauses its session when it hands out its last bytes, until the source delivers more.
  final class BodyPipe: Sendable {
    private let state = Lock(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// Connects the pipe to the session that reads it.
    func connect(to session: TransportSession) {
      state.withLock { $0.session = session }
    }

    /// Creates a stream that reads from the pipe.
    func makeInputStream() -> InputStream { PipeInputStream(self) }

    /// Waits until the pipe contains bytes, or will receive none.
    func firstBytes() async {
      await withCheckedContinuation { continuation in
        change { $0.firstReader = continuation }
      }
    }

    /// Appends bytes, and waits while the pipe is full.
    ///
    /// - Returns: Whether the pipe is still read.
    func write(_ bytes: [UInt8]) async -> Bool {
      await withCheckedContinuation { continuation in
        change { state in
          state.chunks.append(bytes[...])
          state.byteCount += bytes.count
          state.writer = continuation
        }
      }
      return state.withLock { !$0.isBroken }
    }

    /// Marks the end of the body.
    func finish() {
      change { $0.isFinished = true }
    }

    /// Makes reading fail, so that the session closes the connection.
    func fail() {
      change { $0.isBroken = true }
    }

    /// Returns the next bytes, an empty slice at the end, or `nil` after a failure.
    ///
    /// The method blocks if the session reads although the pipe has paused it.
    func read(upTo count: Int) -> ArraySlice<UInt8>? {
      while true {
        var bytes: ArraySlice<UInt8>?
        let isReadable = change { state in
          let isReadable = state.isReadable
          bytes = state.read(upTo: count)
          state.isReaderBlocked = !isReadable
          return isReadable
        }
        if isReadable { return bytes }
        arrival.wait()
      }
    }

    /// Changes the state, and resumes those who waited for the change.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
      let (result, woken, isReaderBlocked) = state.withLock { state in
        let result = body(&state)
        let woken = state.removeReady()
        defer { state.isReaderBlocked = state.isReaderBlocked && !state.isReadable }
        return (result, woken, state.isReaderBlocked && state.isReadable)
      }
      for continuation in woken { continuation.resume() }
      if isReaderBlocked { arrival.signal() }
      return result
    }

    private struct State {
      /// The number of buffered bytes from which the source has to wait.
      static let limit = 128 * 1_024

      var chunks: [ArraySlice<UInt8>] = []
      var byteCount = 0
      var isFinished = false
      var isBroken = false
      var isReaderBlocked = false
      var session: TransportSession?
      var writer: CheckedContinuation<Void, Never>?
      var firstReader: CheckedContinuation<Void, Never>?

      var isReadable: Bool { byteCount > 0 || isFinished || isBroken }

      /// Removes up to `count` bytes, and returns `nil` if the pipe is broken or has no bytes yet.
      mutating func read(upTo count: Int) -> ArraySlice<UInt8>? {
        if isBroken { return nil }
        guard let chunk = chunks.first else { return isFinished ? [] : nil }
        let bytes = chunk.prefix(count)
        chunks[0] = chunk.dropFirst(count)
        if chunks[0].isEmpty { chunks.removeFirst() }
        byteCount -= bytes.count
        if !isReadable { session?.pause(.source) }
        return bytes
      }

      /// Removes the continuations that need not wait any longer, and lets the session continue.
      mutating func removeReady() -> [CheckedContinuation<Void, Never>] {
        var ready: [CheckedContinuation<Void, Never>?] = []
        if isReadable {
          session?.resume(.source)
          ready.append(firstReader)
          firstReader = nil
        }
        if byteCount < Self.limit || isBroken {
          ready.append(writer)
          writer = nil
        }
        return ready.compactMap(\.self)
      }
    }
  }

  /// A stream that reads from a pipe.
  private final class PipeInputStream: InputStream {
    private let pipe: BodyPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: BodyPipe) {
      self.pipe = pipe
      super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { true }

    override func open() { status = .open }

    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
      guard let bytes = pipe.read(upTo: count) else { return -1 }
      // Safe: the pipe returns at most as many bytes as the caller's buffer has.
      return unsafe UnsafeMutableBufferPointer(start: buffer, count: bytes.count).update(fromContentsOf: bytes)
    }
  }
#endif
