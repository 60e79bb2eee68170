// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import StorageAuth

#if canImport(FoundationNetworking)
  /// A bounded buffer between the source of a body and the session that sends it.
  ///
  /// Foundation reads a body on the queue of all sessions, and takes a stream without bytes for a complete body. When
  /// the pipe hands out its last bytes, it therefore pauses its session until the source delivers more.
  final class BodyPipe: Sendable {
    private let state = Lock(State())
    /// Signals that bytes arrived to a session that reads although the pipe has paused it.
    private let readability = DispatchSemaphore(value: 0)

    func connect(to session: TransportSession) { state.withLock { $0.session = session } }
    func makeInputStream() -> InputStream { PipeInputStream(self) }

    func waitForFirstBytes() async {
      await withCheckedContinuation { continuation in changeState { $0.firstReader = continuation } }
    }

    /// Appends bytes, waits while the pipe is full, and returns whether the pipe is still read.
    func write(_ bytes: [UInt8]) async -> Bool {
      await withCheckedContinuation { continuation in
        changeState { state in
          state.chunks.append(bytes[...])
          state.byteCount += bytes.count
          state.writer = continuation
        }
      }
      return state.withLock { !$0.isBroken }
    }

    func finish() { changeState { $0.isFinished = true } }

    /// Makes reading fail, so that the session closes the connection.
    func fail() { changeState { $0.isBroken = true } }

    /// Returns the next bytes, an empty slice at the end, or `nil` after a failure; blocks while the pipe is empty.
    func read(upTo count: Int) -> ArraySlice<UInt8>? {
      while true {
        var bytes: ArraySlice<UInt8>?
        let isReadable = changeState { state in
          let isReadable = state.isReadable
          bytes = state.read(upTo: count)
          state.isReaderBlocked = !isReadable
          return isReadable
        }
        if isReadable { return bytes }
        readability.wait()
      }
    }

    /// Changes the state, and resumes the source and the session that waited for the change.
    private func changeState<Value>(_ change: (inout State) -> Value) -> Value {
      let (result, continuations, endsBlock) = state.withLock { state in
        let result = change(&state)
        let continuations = state.removeReadyContinuations()
        let endsBlock = state.isReaderBlocked && state.isReadable
        if endsBlock { state.isReaderBlocked = false }
        return (result, continuations, endsBlock)
      }
      for continuation in continuations { continuation.resume() }
      if endsBlock { readability.signal() }
      return result
    }

    private struct State {
      static let byteLimit = 128 * 1_024

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
        if !isReadable { session?.pause(.slowBodySource) }
        return bytes
      }

      mutating func removeReadyContinuations() -> [CheckedContinuation<Void, Never>] {
        var readyContinuations: [CheckedContinuation<Void, Never>?] = []
        if isReadable {
          session?.resume(.slowBodySource)
          readyContinuations.append(firstReader)
          firstReader = nil
        }
        if byteCount < Self.byteLimit || isBroken {
          readyContinuations.append(writer)
          writer = nil
        }
        return readyContinuations.compactMap(\.self)
      }
    }
  }

  /// The input stream of a request, which reads from a pipe.
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
#else
  /// A pair of bound streams between the source of a body and the session that sends it.
  final class BodyPipe: Sendable {
    // Safe: set before the initializer returns, and used by the session alone.
    private nonisolated(unsafe) let input: InputStream?
    private let writer: StreamWriter

    init() {
      var input: InputStream?
      var output: OutputStream?
      unsafe Stream.getBoundStreams(withBufferSize: 128 * 1_024, inputStream: &input, outputStream: &output)
      unsafe self.input = input
      writer = StreamWriter(output)
      if let output { CFWriteStreamSetDispatchQueue(output, writer.queue) }
      output?.open()
    }

    func connect(to session: TransportSession) {}
    func makeInputStream() -> InputStream { unsafe input ?? InputStream(data: Data()) }
    func waitForFirstBytes() async {}
    func write(_ bytes: [UInt8]) async -> Bool { await writer.write(bytes) }
    func finish() { writer.close() }
    func fail() { writer.close() }
  }
#endif

/// A writer of bytes into a stream, as fast as the stream accepts them.
final class StreamWriter: NSObject, StreamDelegate, @unchecked Sendable {
  // Safe: after the initializer, all properties are used on this queue only, on which the stream calls its delegate.
  let queue = DispatchQueue(label: "StreamWriter")
  private var output: OutputStream?
  private var unwrittenBytes: ArraySlice<UInt8> = []
  private var writer: CheckedContinuation<Bool, Never>?

  init(_ output: OutputStream?) {
    self.output = output
    super.init()
    setDelegate(self)
  }

  private func setDelegate(_ delegate: StreamWriter?) {
    #if canImport(FoundationNetworking)
      output?.delegate = delegate
    #else
      // Safe: the queue retains this object until `end` has removed it as the delegate.
      unsafe output?.delegate = delegate
    #endif
  }

  /// Writes bytes, waits until the stream has accepted them, and returns whether it has; one call at a time may wait.
  func write(_ bytes: [UInt8]) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        (unwrittenBytes, writer) = (bytes[...], continuation)
        writeAcceptedBytes()
      }
    }
  }

  func close() { queue.async { [self] in end() } }
  func stream(_ stream: Stream, handle event: Stream.Event) { writeAcceptedBytes() }

  private func end() {
    // An event that the queue delivers later must not reach this object, which may be released by then.
    setDelegate(nil)
    output?.close()
    output = nil
    writeAcceptedBytes()
  }

  /// Writes as many bytes as the stream accepts, and resumes the caller of `write` after the last one.
  private func writeAcceptedBytes() {
    while let output, output.hasSpaceAvailable, !unwrittenBytes.isEmpty {
      // Safe: the stream reads at most as many bytes as the memory has.
      let count = unsafe unwrittenBytes.withUnsafeBufferPointer { bytes in
        unsafe bytes.baseAddress.map { unsafe output.write($0, maxLength: bytes.count) } ?? 0
      }
      guard count > 0 else { return end() }
      unwrittenBytes = unwrittenBytes.dropFirst(count)
    }
    guard unwrittenBytes.isEmpty || output == nil else { return }
    writer?.resume(returning: output != nil)
    writer = nil
  }
}
