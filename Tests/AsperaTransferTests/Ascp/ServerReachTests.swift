// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import NIOCore
import NIOPosix
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests the check of a transfer server that precedes ascp.
final class ServerReachTests: XCTestCase {
  /// A TCP port of the loopback interface that counts its connections.
  private struct Port {
    private static let accepted = Lock<[Int: Int]>([:])
    let server: any Channel

    init() async throws {
      server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          Port.accepted.withLock { $0[channel.localAddress?.port ?? 0, default: 0] += 1 }
          return channel.eventLoop.makeSucceededVoidFuture()
        }
        .bind(host: "127.0.0.1", port: 0).get()
    }

    var number: Int { server.localAddress?.port ?? 0 }

    /// Closes the port, and returns its number.
    func close() async throws -> Int {
      let number = number
      try await server.close().get()
      return number
    }

    static func connections(of number: Int) -> Int { accepted.withLock { $0[number] ?? 0 } }
  }

  private func spec(_ port: Int, _ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
    var spec = TransferSpec.sample
    spec.remoteHost = "127.0.0.1"
    spec.sshPort = port
    change(&spec)
    return spec
  }

  private func fake(_ last: String = Frames.done) throws -> FakeAscp {
    try FakeAscp(self, .connect, .send(Frames.initial, Frames.session, Frames.statistics(1)), .send(last))
  }

  private func engine(_ fake: FakeAscp, _ reach: ServerReach = ServerReach()) -> AscpEngine {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return AscpEngine(
      ascp: fake.program, time: ManualClock(), temporaryFiles: fake.temporaryFiles,
      environment: { $0 == "PATH" ? path : nil }, reach: reach)
  }

  func testClosedPortIsReportedByItsNameBeforeAscpIsStarted() async throws {
    let port = try await Port().close()
    let fake = try fake()
    let failure = await engine(fake).start(spec(port)).failure
    XCTAssertEqual(failure?.kind, .transport)
    XCTAssertEqual(failure?.neverReachedServer, true)
    XCTAssertEqual(
      failure?.message, "The transfer server 127.0.0.1:\(port) was not reached: it refuses connections at this port.")
    XCTAssertFalse(FileManager.default.fileExists(atPath: fake.file("started")))
  }

  func testServerIsCheckedOnceAndAgainAfterAFailureOfTheNetwork() async throws {
    let port = try await Port()
    let reach = ServerReach()
    for _ in 1...2 { _ = try await engine(fake(), reach).run(spec(port.number), additions: nil) { _ in } }
    await eventually("the server accepts") { Port.connections(of: port.number) == 1 }
    let lost = try await engine(fake(Frames.error(44, "Failed to open TCP connection")), reach)
      .start(spec(port.number)).failure
    XCTAssertEqual(lost?.code, 44)
    let number = try await port.close()
    XCTAssertEqual(Port.connections(of: number), 1)
    let closed = try await engine(fake(), reach).start(spec(number)).failure
    XCTAssertEqual(closed?.message.contains("127.0.0.1:\(number) was not reached"), true, "\(closed as Any)")
    XCTAssertEqual(closed?.neverReachedServer, false, "the server was reached before")
  }

  func testTransfersThatDoNotConnectDirectlyAreNotChecked() async throws {
    let port = try await Port().close()
    let ways: [(inout TransferSpec) -> Void] = [
      { $0.proxy = Secret("dnat://127.0.0.1:9") }, { $0.fields["use_system_ssh"] = true }, { $0.httpFallback = .force },
    ]
    for (index, way) in ways.enumerated() {
      let spec = spec(port, way)
      do {
        try await ServerReach().requireReachable(spec, with: AscpOptions(), within: .seconds(5))
      } catch {
        XCTFail("\(index): \(error)")
      }
    }
  }

  func testPortOfTheProtocolThatAscpUsesIsChecked() async throws {
    let (first, port) = (try await Port(), try await Port())
    let closed = try await first.close()
    let spec = spec(port.number) {
      ($0.offersWebSocket, $0.webSocketPort, $0.udpPort) = (true, closed, 33001)
    }
    var options = AscpOptions()
    options.webSocket = .whereNeeded
    let reach = ServerReach()
    try await reach.requireReachable(spec, with: options, within: .seconds(5))
    reach.repeatCheck(of: spec, with: options)
    let number = try await port.close()
    for (options, expected) in [(options, number), (AscpOptions(), closed)] {
      do {
        try await reach.requireReachable(spec, with: options, within: .seconds(5))
        XCTFail("the port \(expected) is closed")
      } catch {
        XCTAssertTrue(error.message.contains("127.0.0.1:\(expected) "), error.message)
      }
    }
  }

  func testCancellationEndsTheCheck() async throws {
    // The address is of a block that is reserved for documentation (RFC 5737): packets to it are lost or refused.
    let spec = spec(9) { $0.remoteHost = "192.0.2.1" }
    let task = Task { try await ServerReach().requireReachable(spec, with: AscpOptions(), within: .seconds(600)) }
    task.cancel()
    do {
      try await task.value
      XCTFail("no error was thrown")
    } catch {
      XCTAssertEqual((error as? TransferFailure)?.kind, .cancelled)
    }
  }

  func testQueueRepeatsAnAttemptWithAnUnreachedServerTwice() async throws {
    let bench = try QueueBench(
      ScriptedEngine { _ throws(TransferFailure) in
        var failure = TransferFailure(.transport, "Closed.", remedy: "Open it.")
        failure.neverReachedServer = true
        throw failure
      })
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.retries(of: "a").map(\.number), [1, 2])
    XCTAssertEqual(bench.ends.first?.result.failure?.message, "Closed. 3 consecutive attempts failed.")
    XCTAssertLessThanOrEqual(bench.time.uptime, .seconds(8))
  }
}
