// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Hummingbird
import Logging
import StorageAuth

/// A server that responds with a fixed body, for the cost of Hummingbird alone.
struct HummingbirdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hummingbird", abstract: "Serve a fixed body of 1 KiB on loopback until a signal, and print the port.")

  mutating func run() async throws {
    let router = Router()
    let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1024)
    router.get("object") { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: body)) }
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        StandardStream.print(channel.localAddress?.port ?? 0)
        flushOutput()
      }, logger: Logger(label: "hummingbird") { _ in SwiftLogNoOpLogHandler() })
    try await application.runService()
  }
}
