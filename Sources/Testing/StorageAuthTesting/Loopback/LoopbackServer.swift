// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import StorageAuth

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A server on 127.0.0.1 that runs a function for each connection, on a thread of its own.
final class LoopbackServer: Sendable {
  let port: Int
  private let sockets: Sockets
  private let acceptSource: Lock<any DispatchSourceRead>

  /// Starts a server whose connections are closed after the function returns.
  ///
  /// Each call on a connection throws if it takes longer than `patience`.
  init(patience: Duration, _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void) throws(LoopbackError) {
    let listener = try LoopbackSocket.listening(receiveBuffer: 65_536)
    let sockets = Sockets(listener)
    let queue = DispatchQueue(label: "LoopbackServer")
    let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: queue)
    source.setEventHandler {
      guard let socket = try? sockets.listener?.accept(patience: patience) else { return }
      sockets.connections.withLock { $0[socket.descriptor] = socket }
      DispatchQueue(label: "LoopbackConnection").async {
        // An error only ends the connection, because a client that gives up causes one.
        try? serve(LoopbackConnection(socket))
        sockets.connections.withLock { $0[socket.descriptor] = nil }
      }
    }
    source.setCancelHandler { sockets.closeListener() }
    source.activate()
    port = listener.port
    self.sockets = sockets
    acceptSource = Lock(source)
  }

  deinit { stop() }

  /// Closes the port and all connections, and returns when the port refuses connections.
  func stop() {
    acceptSource.withLock { $0.cancel() }
    sockets.listenerIsClosed.wait()
    // Another call of this method must not wait forever.
    sockets.listenerIsClosed.signal()
    for socket in sockets.connections.withLock({ Array($0.values) }) { socket.shutDown() }
  }

  /// The sockets, apart from the server so that the source's handlers do not retain it.
  private final class Sockets: Sendable {
    let connections = Lock<[Int32: LoopbackSocket]>([:])
    let listenerIsClosed = DispatchSemaphore(value: 0)
    private let listening: Lock<LoopbackSocket?>

    init(_ listener: LoopbackSocket) { listening = Lock(listener) }

    var listener: LoopbackSocket? { listening.withLock { $0 } }

    func closeListener() {
      listening.withLock { $0 = nil }
      listenerIsClosed.signal()
    }
  }
}

/// A request as it was received; the body is empty if the server has not read it.
struct WireRequest: Sendable {
  let line: String
  let fields: [(name: String, value: String)]
  var body: [UInt8] = []

  /// Parses a head without the empty line after it.
  init(_ head: [UInt8]) {
    let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    line = String(decoding: lines.first ?? [], as: UTF8.self)
    fields = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
      return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
  }

  var path: String {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    return words.count == 3 ? String(words[1]) : ""
  }

  var method: String { line.split(separator: " ").first.map(String.init) ?? "" }

  /// Returns the values of a field with a lowercase name.
  func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }
  var contentLength: Int { values("content-length").first.flatMap { Int(digits: $0) } ?? 0 }
}

/// A connection of the loopback server, whose calls block, and throw if they take too long.
final class LoopbackConnection {
  private let socket: LoopbackSocket
  private var unreadBytes: ArraySlice<UInt8> = []

  init(_ socket: LoopbackSocket) { self.socket = socket }

  func readHead() throws(LoopbackError) -> WireRequest {
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let separatorRange = unreadBytes.firstRange(of: separator) {
        defer { unreadBytes = unreadBytes[separatorRange.upperBound...] }
        return WireRequest(Array(unreadBytes[..<separatorRange.lowerBound]))
      }
      guard try readMore() else { throw LoopbackError(call: "end") }
    }
  }

  func readRequest() throws(LoopbackError) -> WireRequest {
    var request = try readHead()
    try readBody(request.contentLength) { request.body += $0 }
    return request
  }

  /// Reads bytes up to a count or the end of the connection, passes on each chunk, and returns their number.
  @discardableResult
  func readBody(_ byteCount: Int, _ receive: ([UInt8]) -> Void = { _ in }) throws(LoopbackError) -> Int {
    var remainingByteCount = byteCount
    while remainingByteCount > 0 {
      if unreadBytes.isEmpty, try !readMore() { break }
      let bytes = Array(unreadBytes.prefix(remainingByteCount))
      unreadBytes = unreadBytes.dropFirst(bytes.count)
      remainingByteCount -= bytes.count
      receive(bytes)
    }
    return byteCount - remainingByteCount
  }

  /// Reads the next bytes, and returns `false` at the end of the connection.
  private func readMore() throws(LoopbackError) -> Bool {
    let bytes = try socket.read()
    unreadBytes = unreadBytes.isEmpty ? bytes[...] : unreadBytes + bytes
    return !bytes.isEmpty
  }

  func send(_ text: String) throws(LoopbackError) { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws(LoopbackError) {
    var unsentBytes = bytes[...]
    while !unsentBytes.isEmpty { unsentBytes = unsentBytes.dropFirst(try socket.write(unsentBytes)) }
  }

  /// Sends bytes until the peer accepts none during a pause, and returns how many it accepted.
  func sendZeros(_ byteCount: Int, untilStalledFor pause: Duration) -> Int {
    socket.set(SO_SNDBUF, to: Int32(65_536))
    socket.setTimeout(SO_SNDTIMEO, to: pause)
    let block = [UInt8](repeating: 0, count: 65_536)
    var remainingByteCount = byteCount
    while remainingByteCount > 0, let sentByteCount = try? socket.write(block.prefix(remainingByteCount)) {
      remainingByteCount -= sentByteCount
    }
    return byteCount - remainingByteCount
  }

  func endSending() { socket.shutDown(onlySending: true) }

  /// Reads until the peer closes the connection, and returns whether it did so before a read took too long.
  func waitForEnd() -> Bool {
    while true {
      do throws(LoopbackError) { if try socket.read().isEmpty { return true } } catch {
        return error.errorNumber == ECONNRESET
      }
    }
  }

  func resetOnClose() { socket.resetOnClose() }
}
