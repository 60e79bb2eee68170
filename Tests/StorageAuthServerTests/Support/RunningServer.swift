// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Logging
import NIOCore
import StorageAuthServer
import XCTest

/// A Hummingbird application on loopback for the duration of a test.
enum RunningServer {
  /// Starts an application with routes, which stops when the test ends.
  ///
  /// - Returns: Its URL, such as `http://127.0.0.1:8080`.
  static func start<Context: RequestContext>(
    _ router: Router<Context>, _ test: XCTestCase, logger: Logger? = nil
  ) async throws -> String where Context.Source == ApplicationRequestContextSource {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, server: .http1(ConnectionLimits()),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      }, logger: logger)
    let task = Task { try await application.run() }
    test.addTeardownBlock {
      task.cancel()
      _ = await task.result
    }
    let number = await ports.first { _ in true }
    return "http://127.0.0.1:\(try XCTUnwrap(number))"
  }
}
