// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import XCTest

/// A TLS connection of a client, on which a test sends and receives bytes.
enum TLSConnection {
  /// Connects to a server and completes the TLS handshake with the first bytes.
  ///
  /// - Parameters:
  ///   - port: The port of the server on 127.0.0.1.
  ///   - protocols: The protocols that the client offers, such as `h2`.
  static func with<Result>(
    _ port: Int, protocols: [String] = ["h2"], maximumTLSVersion: TLSVersion? = nil,
    _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Result
  ) async throws -> Result {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(SecureServer.text("root").utf8)))
    configuration.applicationProtocols = protocols
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = maximumTLSVersion
    let context = try NIOSSLContext(configuration: configuration)
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: nil))
          limitTime(of: channel)
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await body(inbound, outbound)
    }
  }

  /// Fails the test, and closes a connection, if the server has not closed it after half a minute.
  private static func limitTime(of channel: any Channel) {
    let limit = channel.eventLoop.scheduleTask(in: .seconds(30)) {
      XCTFail("The server did not close the connection.")
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in limit.cancel() }
  }

  /// Reads until the server closes the connection, and returns what it sent.
  static func rest(_ bytes: NIOAsyncChannelInboundStream<ByteBuffer>) async -> ByteBuffer {
    var rest = ByteBuffer()
    do {
      for try await buffer in bytes { rest.writeImmutableBuffer(buffer) }
    } catch {
      // The server may close the connection without the message that ends TLS.
    }
    return rest
  }
}

/// The frames of HTTP/2 that the tests send and read.
enum Frame {
  static let preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
  static let settings = bytes(4, 0, 0)
  static let ping: UInt8 = 6
  static let goAway: UInt8 = 7

  /// Returns a frame with its type, its flags, its stream and its payload.
  static func bytes(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> ByteBuffer {
    var frame = ByteBuffer()
    frame.writeInteger(UInt32(payload.count) << 8 | UInt32(type))
    frame.writeInteger(flags)
    frame.writeInteger(stream)
    frame.writeBytes(payload)
    return frame
  }

  /// Returns the head of a request for a path of one character or `/large`, with static entries of HPACK where they exist.
  static func head(_ stream: UInt32, method: UInt8 = 0x82, path: String = "/", endsStream: Bool = true) -> ByteBuffer {
    var block: [UInt8] = method == 0x82 ? [0x82] : [0x02, 3] + Array("PUT".utf8)
    block += [0x87, 0x04, UInt8(path.utf8.count)] + Array(path.utf8)
    block += [0x01, 9] + Array("localhost".utf8)
    return bytes(1, endsStream ? 5 : 4, stream, block)
  }

  /// Returns the types and the payloads of all complete frames in some bytes.
  static func all(in bytes: ByteBuffer) -> [(type: UInt8, flags: UInt8, payload: [UInt8])] {
    var bytes = bytes
    var frames: [(type: UInt8, flags: UInt8, payload: [UInt8])] = []
    while let start = bytes.readInteger(as: UInt32.self), let flags = bytes.readInteger(as: UInt8.self),
      bytes.readInteger(as: UInt32.self) != nil, let payload = bytes.readBytes(length: Int(start >> 8))
    {
      frames.append((UInt8(start & 0xFF), flags, payload))
    }
    return frames
  }
}

extension TLSConnection {
  /// Sends bytes without TLS, and returns whether the server closed the connection.
  static func plain(_ port: Int, _ bytes: ByteBuffer) async throws -> Bool {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          limitTime(of: channel)
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(bytes)
      do {
        for try await _ in inbound {}
      } catch is IOError {
      }
      return true
    }
  }

  /// Returns the expiration, in Unix time, of the certificate that a server presents.
  static func certificate(_ port: Int) async throws -> Int {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .noHostnameVerification
    let context = try NIOSSLContext(configuration: configuration)
    let (results, result) = AsyncStream.makeStream(of: Int.self)
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(
              context: context, serverHostname: nil,
              customVerificationCallback: { certificates, promise in
                result.yield(Int(certificates.first?.notValidAfter ?? 0))
                promise.succeed(.certificateVerified)
              }))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let found = await results.first { _ in true }
    try await channel.close()
    return try XCTUnwrap(found)
  }
}
