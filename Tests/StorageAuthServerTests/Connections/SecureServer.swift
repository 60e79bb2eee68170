// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Logging
import NIOCore
import StorageAuth
import StorageAuthServer
import XCTest

/// An HTTPS server on loopback for the duration of a test.
struct SecureServer {
  let port: Int
  let certificate: ServerCertificate

  /// Returns the text of a file with certificates or with a key.
  static func text(_ name: String) throws -> String {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "Certificates/\(name)", withExtension: "pem"))
    return try String(contentsOf: url, encoding: .utf8)
  }

  /// Returns a certificate of the tests, which are valid for 127.0.0.1 and issued by `root`.
  static func certificate(_ name: String) throws -> ServerCertificate {
    try ServerCertificate(chain: text(name), key: Secret(text("\(name)-key")))
  }

  /// Starts a server, which stops when the test ends.
  ///
  /// `GET /` returns a short text, `GET /large` one megabyte, and `PUT /` the number of received bytes.
  init(_ limits: ConnectionLimits, allowsHTTP2: Bool = true, _ test: XCTestCase) async throws {
    let certificate = try Self.certificate("first")
    let router = Router()
    router.get("/") { _, _ in "hello" }
    router.get("/large") { _, _ in String(repeating: "x", count: 1 << 20) }
    router.put("/") { request, _ in "\(try await request.body.collect(upTo: 1 << 20).readableBytes)" }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var quiet = Logger(label: "StorageAuthServerTests")
    quiet.logLevel = .critical
    let application = Application(
      router: router, server: .https(limits, certificate: certificate, allowsHTTP2: allowsHTTP2),
      configuration: .init(
        address: .hostname("127.0.0.1", port: 0), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      }, logger: quiet)
    let task = Task { try await application.run() }
    test.addTeardownBlock {
      task.cancel()
      _ = await task.result
    }
    let number = await ports.first { _ in true }
    self.port = try XCTUnwrap(number)
    self.certificate = certificate
  }
}
