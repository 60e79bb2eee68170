// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The error for a call of the system that failed or, with the name `end`, for a peer that closed the connection.
struct LoopbackError: Error {
  let call: String
  let errorNumber: Int32

  init(call: String) {
    errorNumber = errno
    self.call = call
  }
}

/// A TCP socket on 127.0.0.1 whose calls block for a limited time.
final class LoopbackSocket: Sendable {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Creates a socket that listens on a free port, with a receive buffer of a size for each connection.
  static func listening(receiveBuffer: Int32) throws(LoopbackError) -> LoopbackSocket {
    #if os(Linux) || os(Android)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw LoopbackError(call: "socket") }
    let listener = LoopbackSocket(descriptor: descriptor)
    listener.set(SO_RCVBUF, to: receiveBuffer)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe: the address and its size outlive the call.
    let bindResult = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
    }
    guard bindResult == 0, listen(descriptor, 256) == 0 else { throw LoopbackError(call: "bind") }
    return listener
  }

  var port: Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe: the address and its size outlive the call.
    let result = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
    }
    return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : 0
  }

  func accept(patience: Duration) throws(LoopbackError) -> LoopbackSocket {
    let descriptor = systemAccept(descriptor)
    guard descriptor >= 0 else { throw LoopbackError(call: "accept") }
    let connection = LoopbackSocket(descriptor: descriptor)
    connection.setTimeout(SO_RCVTIMEO, to: patience)
    connection.setTimeout(SO_SNDTIMEO, to: patience)
    return connection
  }

  /// Reads bytes as soon as there are any; an empty result is the end.
  func read() throws(LoopbackError) -> [UInt8] {
    let capacity = 65_536
    var count = 0
    // Safe: the buffer has the capacity that is passed.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, size in
      count = unsafe recv(descriptor, buffer.baseAddress, capacity, 0)
      size = max(count, 0)
    }
    guard count >= 0 else { throw LoopbackError(call: "recv") }
    return bytes
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(LoopbackError) -> Int {
    // Safe: the buffer outlives the call. The flags make a lost connection an error instead of a signal.
    let count = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
    guard count > 0 else { throw LoopbackError(call: "send") }
    return count
  }

  func set(_ option: Int32, to value: Int32) {
    var value = value
    // Safe: the value outlives the call.
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sets the timeout of receiving (`SO_RCVTIMEO`) or sending (`SO_SNDTIMEO`).
  func setTimeout(_ option: Int32, to duration: Duration) {
    var time = timeval()
    time.tv_sec = numericCast(duration.components.seconds)
    time.tv_usec = numericCast(duration.components.attoseconds / 1_000_000_000_000)
    // Safe: the value outlives the call.
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Makes closing the socket reset the connection, as a service that crashes does.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    // Safe: the value outlives the call.
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func shutDown(onlySending: Bool = false) { _ = shutdown(descriptor, Int32(onlySending ? SHUT_WR : SHUT_RDWR)) }

  #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
  #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif
}

/// Calls the system's function, which a method hides in the class.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
