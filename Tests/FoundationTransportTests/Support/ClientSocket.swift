// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A connection to a server on 127.0.0.1, whose calls block a thread of its own.
final class ClientSocket: Sendable {
  /// The error of a call on a socket.
  struct Failure: Error {
    let code: Int32
  }

  private let descriptor: Int32
  private let reads = DispatchQueue(label: "ClientSocket.reads")
  private let writes = DispatchQueue(label: "ClientSocket.writes")

  /// Connects to a port, and limits the duration of each call.
  init(port: UInt16, idle: Duration) throws(Failure) {
    #if os(Linux) || os(Android)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    var limit = timeval()
    limit.tv_sec = numericCast(idle.components.seconds)
    limit.tv_usec = numericCast(idle.components.attoseconds / 1_000_000_000_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else { throw Failure(code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Returns the next bytes; an empty result is the end.
  func read() async throws -> [UInt8] {
    try await Self.run(on: reads) { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count >= 0 else { throw Failure(code: errno) }
      return Array(bytes.prefix(count))
    }
  }

  /// Sends all bytes.
  func write(_ bytes: [UInt8]) async throws {
    try await Self.run(on: writes) { [self] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
        guard count > 0 else { throw Failure(code: errno) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Ends both directions, and the calls that block.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private static func run<Value: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: body)) }
    }
  }

  #if os(Linux) || os(Android)
    private static let flags = Int32(MSG_NOSIGNAL)
  #else
    private static let flags: Int32 = 0
  #endif
}
