// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import XCTest

/// The result of one run of the simulator.
struct SimulatorOutcome: Sendable {
  let status: Int32
  let frames: [ManagementFrame]
  let output: String
  let errors: String

  /// The types of the frames as strings.
  var kinds: [String] { frames.map { $0.kind?.rawValue ?? "" } }

  /// The error code of the last frame.
  var code: Int? { frames.last?.code }

  /// The error description of the last frame.
  var text: String { frames.last?.errorDescription ?? "" }
}

/// Runs `ascp-simulator` as a process and listens on its management port.
struct Simulator: Sendable {
  /// Returns the commands with which the client responds to a frame; `nil` closes the connection.
  typealias Answers = @Sendable (ManagementFrame) throws -> [ManagementFrame]?

  /// The location of the program, which is built next to the tests.
  static var program: URL {
    get throws {
      let places = [Bundle(for: AsperaTestCase.self).bundleURL, Bundle.main.bundleURL].flatMap {
        [$0, $0.deletingLastPathComponent()]
      }
      let programs = places.map { $0.appendingPathComponent("ascp-simulator") }
      return try XCTUnwrap(
        programs.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "ascp-simulator is not built")
    }
  }

  /// Runs the simulator until it exits.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without those of the management port.
  ///   - environment: The complete environment of the process.
  ///   - isInterrupted: Whether the process is interrupted as soon as it closes the management connection, as aspera-cli
  ///     does.
  ///   - answers: The management client's response to each frame.
  static func run(
    _ arguments: [String], _ environment: [String: String] = [:], interruptingAtClose isInterrupted: Bool = false,
    answering answers: @escaping Answers = { _ in [] }
  ) async throws -> SimulatorOutcome {
    let running = Lock<pid_t?>(nil)
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let port = try XCTUnwrap(server.channel.localAddress?.port)
    async let frames = listen(server, answers) {
      if isInterrupted, let pid = running.withLock({ $0 }) { kill(pid, SIGINT) }
    }
    let ended = try await runProcess(["-M", "\(port)"] + arguments, environment) { pid in
      running.withLock { $0 = pid }
    }
    try await sayThatItEnded(to: port)
    return SimulatorOutcome(
      status: ended.status, frames: try await frames, output: ended.output, errors: ended.errors)
  }

  /// Runs the simulator without a management port.
  static func runAlone(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> SimulatorOutcome {
    let ended = try await runProcess(arguments, environment) { _ in }
    return SimulatorOutcome(status: ended.status, frames: [], output: ended.output, errors: ended.errors)
  }

  /// The message that the listener receives when the simulator has exited, whether it connected or not.
  private static let farewell = ByteBuffer(string: "the simulator ended")

  private static func sayThatItEnded(to port: Int) async throws {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port).get()
    try await channel.writeAndFlush(farewell)
    // The listener may have closed the connection before.
    try? await channel.close()
  }

  private static func listen(
    _ server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>, _ answers: @escaping Answers,
    closed: @escaping @Sendable () -> Void
  ) async throws -> [ManagementFrame] {
    try await server.executeThenClose { connections in
      var frames: [ManagementFrame] = []
      for try await connection in connections {
        guard let more = try await converse(connection, answers) else { break }
        closed()
        frames += more
      }
      return frames
    }
  }

  /// Reads the frames of a connection.
  ///
  /// - Returns: The frames, or `nil` if the simulator has exited.
  private static func converse(
    _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ answers: @escaping Answers
  ) async throws -> [ManagementFrame]? {
    try await connection.executeThenClose { inbound, outbound in
      var parser = ManagementFrameParser()
      var frames: [ManagementFrame] = []
      for try await bytes in inbound {
        if bytes == farewell { return nil }
        for case .frame(let frame) in parser.feed(bytes.readableBytesView) {
          frames.append(frame)
          guard let commands = try answers(frame) else { return frames }
          for command in commands { try await outbound.write(ByteBuffer(string: command.text)) }
        }
      }
      return frames
    }
  }

  private static func runProcess(
    _ arguments: [String], _ environment: [String: String], started: (pid_t) -> Void
  ) async throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = try program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { end.yield($0.terminationStatus) }
    try process.run()
    started(process.processIdentifier)
    let status = await ends.first { _ in true }
    return (
      try XCTUnwrap(status), String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
      String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    )
  }
}
