// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)
  internal import Foundation

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
    func firstBytes() async {}
    func write(_ bytes: [UInt8]) async -> Bool { await writer.write(bytes) }
    func finish() { writer.close() }
    func fail() { writer.close() }
  }
#endif
