// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

/// Tests what `storage-auth` does if its standard streams fail, and if it may open only few files.
final class StandardOutputTests: XCTestCase {
  private static let credentials = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
  ]

  private func options(_ cloud: Cloud) -> [String] { ["--endpoint", "http://\(cloud.server.ossEndpoint.authority)"] }

  // matrix: Output of the command line: errors
  func testReaderThatStopsEndsTheProgramSilently() async throws {
    let cloud = try await Cloud(self)
    for number in 0..<20 { try await cloud.oss().upload([1], to: "many/\(number)") }
    for arguments in [["ls", "-r", "oss://\(Cloud.bucket)/many"], ["help", "cp"]] {
      // The reader is gone before the program writes.
      let script = #"{ sleep 0.5; "$0" "$@"; echo $? >&2; } | true"#
      let outcome = try await Programs.shell(
        script, arguments + (arguments[0] == "ls" ? options(cloud) : []), Self.credentials)
      XCTAssertEqual(outcome.errors, "141\n", "\(arguments)")
    }
  }

  // matrix: Output of the command line: errors
  func testOtherFailuresOfStandardOutputAreOneLine() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1], to: "few/a")
    let list = ["ls", "oss://\(Cloud.bucket)/few/"] + options(cloud)
    let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/a"
    for (target, reason) in [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")] {
      for arguments in [list, ["presign", "GET", url], ["help"]] {
        let outcome = try await Programs.shell(#""$0" "$@" >\#(target)"#, arguments, Self.credentials)
        XCTAssertEqual(outcome.status, 1, "\(arguments) \(outcome.errors)")
        XCTAssertEqual(outcome.errors, "Error: Standard output cannot be written: \(reason).\n", "\(arguments)")
      }
      let json = try await Programs.shell(#""$0" "$@" --json >\#(target)"#, list, Self.credentials)
      XCTAssertEqual(
        json.errors,
        #"{"error":{"exitStatus":1,"message":"Standard output cannot be written: \#(reason)."}}"# + "\n")
    }
    let quiet = try await Programs.shell(#""$0" "$@" -v 2>/dev/full"#, list, Self.credentials)
    XCTAssertEqual(quiet.status, 0, "standard error is for the reader, not for the result")
  }

  func testClosedStandardOutputIsNoFileOfATransfer() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload(pattern(100), to: "one")
    let file = try TemporaryDirectory(self).path("one")
    let outcome = try await Programs.shell(
      #""$0" "$@" --json >&- 2>&- <&-"#, ["cp", "oss://\(Cloud.bucket)/one", file.string] + options(cloud),
      Self.credentials)
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(try Data(contentsOf: URL(filePath: file.string)), Data(pattern(100)))
  }

  func testUnreadableStandardInputIsAnError() async throws {
    let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/a"
    for source in ["/", "/dev/null", "&-"] {
      let outcome = try await Programs.shell(#""$0" "$@" <\#(source)"#, ["explain", "GET", url])
      XCTAssertEqual(outcome.status, source == "/dev/null" ? 1 : 64, source)
      XCTAssertFalse(outcome.errors.isEmpty || outcome.errors.contains("Fatal"), outcome.errors)
    }
    let copy = ["cp", "-", "oss://\(Cloud.bucket)/a"] + options(try await Cloud(self))
    let outcome = try await Programs.shell(#""$0" "$@" </"#, copy, Self.credentials)
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("Standard input cannot be read."), outcome.errors)
  }

  // matrix: Output of the command line: errors
  func testConcurrencyFollowsTheLimitOfOpenFiles() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let files = try (0..<40).map { try directory.write(pattern(1000), to: "file-\($0)").string }
    let script = #"ulimit -n "$1"; shift; exec "$0" "$@""#
    for limit in [20, 24, 64] {
      let stored = try await Programs.shell(
        script, ["\(limit)", "cp", "--parallel", "40"] + files + ["oss://\(Cloud.bucket)/\(limit)/"] + options(cloud),
        Self.credentials)
      XCTAssertEqual(stored.status, 0, "\(limit): \(stored.errors)")
      let folder = directory.path("fetched-\(limit)").string
      let fetched = try await Programs.shell(
        script, ["\(limit)", "cp", "-r", "--jobs", "40", "oss://\(Cloud.bucket)/\(limit)/", folder] + options(cloud),
        Self.credentials)
      XCTAssertEqual(fetched.status, 0, "\(limit): \(fetched.errors)")
    }
    for limit in [8, 12, 19] {
      let refused = try await Programs.shell(
        script, ["\(limit)", "ls", "oss://\(Cloud.bucket)/"] + options(cloud), Self.credentials)
      XCTAssertEqual(refused.status, 1, "\(limit): \(refused.errors)")
      XCTAssertTrue(refused.errors.contains("The limit of open files is \(limit)"), refused.errors)
      XCTAssertEqual(refused.errors.split(separator: "\n").count, 1, refused.errors)
    }
  }

  func testNumbersFollowTheLimit() {
    for (count, transfers, loops) in [
      (8, 1, 1), (20, 1, 1), (24, 2, 1), (64, 12, 4), (1024, 252, 64), (.max, .max / 4 - 4, 64),
    ] {
      let limit = OpenFileLimit(count: count)
      XCTAssertEqual(limit.eventLoops(cores: 64), loops, "\(count)")
      if count < .max { XCTAssertEqual(limit.transfers, transfers, "\(count)") }
      XCTAssertEqual(limit.permitsConnections, count >= 20)
    }
    XCTAssertGreaterThan(OpenFileLimit.current.transfers, 1)
  }
}
