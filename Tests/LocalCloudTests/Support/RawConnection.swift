// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth

/// Sends bytes over a socket without changing them.
enum RawConnection {
  /// Sends text and reads until the server closes the connection or `enough` returns true.
  ///
  /// - Parameters:
  ///   - rest: The text that is sent as soon as the first response has arrived.
  ///   - prepare: An action between that response and the rest.
  static func exchange(
    _ text: String, then rest: String? = nil, after prepare: @escaping @Sendable () async throws -> Void = {},
    with endpoint: ServiceEndpoint, closing: Bool = false,
    until enough: @escaping @Sendable (String) -> Bool = { $0.contains("\r\n\r\n") }
  ) async throws -> String {
    guard let port = endpoint.authority.split(separator: ":").last.flatMap({ Int($0) }) else { return "" }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      if closing { return "" }
      var answer = ""
      var rest = rest
      for try await chunk in inbound {
        answer += String(buffer: chunk)
        if let next = rest {
          try await prepare()
          try await outbound.write(ByteBuffer(string: next))
          rest = nil
        }
        if enough(answer) { break }
      }
      return answer
    }
  }

  /// The status codes of the responses in a text.
  static func statuses(in text: String) -> [Int] {
    text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
  }

  /// The head of a request with the given lines.
  static func head(_ lines: [String]) -> String {
    lines.joined(separator: "\r\n") + "\r\n\r\n"
  }
}
