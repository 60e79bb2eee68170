// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// A base class of tests that run the simulator against a server.
class SimulatorTestCase: AsperaTestCase {
  static let password = ["ASPERA_SCP_PASS": "mia-password"]

  /// The arguments of a transfer whose sources precede its destination.
  func arguments(
    _ mode: String, _ cloud: LocalCloud, user: String = "mia", _ sources: [String] = [], to destination: String,
    _ more: [String] = []
  ) -> [String] {
    ["-q", "--mode", mode, "--host", "127.0.0.1", "--user", user, "-P", "\(cloud.transferPort)", "-O", "33001"] + more
      + ["--dest64"] + sources + [base64(destination)]
  }

  /// Runs a transfer into a folder, as the account `mia`.
  func run(
    _ mode: String, _ cloud: LocalCloud, _ sources: [String], to destination: String, _ more: [String] = []
  ) async throws -> SimulatorOutcome {
    try await Simulator.run(arguments(mode, cloud, sources, to: destination, ["-d"] + more), Self.password)
  }

  /// Sets the modification time of a local file or folder, in seconds since 1970.
  func setModified(_ seconds: Int64, of path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
  }

  /// The modification time of a local file or folder, in seconds since 1970.
  func modified(_ path: String) throws -> Int64 {
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    return Int64(try XCTUnwrap(date).timeIntervalSince1970)
  }

  /// The paths of everything in a local folder, relative to it.
  func tree(_ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
  }

  /// Writes a file below a directory and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String, in directory: String) throws -> String {
    let url = URL(fileURLWithPath: directory).appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  func read(_ name: String, in directory: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: directory).appendingPathComponent(name)))
  }

  /// Bytes that differ from their neighbours.
  func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  /// Sends a small file as a user and returns the outcome, which is expected to be a failure.
  func refusal(
    _ cloud: LocalCloud, user: String = "xfer", to destination: String = "/up", token: String? = nil,
    _ more: [String] = []
  ) async throws -> SimulatorOutcome {
    let file = try write([1, 2, 3], to: "a.bin", in: makeDirectory())
    var environment = ["ASPERA_SCP_PASS": "\(user)-password"]
    environment["ASPERA_SCP_TOKEN"] = token
    return try await Simulator.run(
      arguments("send", cloud, user: user, [file], to: destination, ["-d"] + more), environment)
  }
}
