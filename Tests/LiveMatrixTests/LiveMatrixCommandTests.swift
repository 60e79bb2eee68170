// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LiveMatrix
import LocalCloud
import XCTest

/// Runs the program of `make live`.
final class LiveMatrixCommandTests: XCTestCase {
  func testCheckoutWithoutVariablesSkipsEverythingAndSucceeds() async throws {
    let outcome = try await Programs.run(Programs.path("live-matrix"), [])
    XCTAssertEqual(outcome.status, 0)
    let missing = [
      "OSS_BUCKET, OSS_REGION", "OSS_BUCKET, OSS_REGION", "COS_BUCKET, COS_REGION", "S3_BUCKET, S3_REGION",
      "ASPERA_NODE_URL",
    ]
    let rows = zip(LiveMatrix.services, missing).map { service, names in
      "| \(service) | all | SKIPPED: not set: STORAGE_AUTH_LIVE=1, \(names) | 0 | - |"
    }
    XCTAssertEqual(outcome.output, ([LiveRow.heading] + rows).map { "\($0)\n" }.joined())
    XCTAssertTrue(outcome.errors.contains("Together: at most 0 requests, 0 objects, 0 bytes."), outcome.errors)
    XCTAssertTrue(outcome.errors.contains("0 passed, 5 SKIPPED, 0 failed"), outcome.errors)
    let variable = ["STORAGE_AUTH_LIVE": "1", "OSS_REGION": "cn-hangzhou"]
    let named = try await Programs.run(Programs.path("live-matrix"), [], variable)
    XCTAssertEqual(named.status, 0)
    XCTAssertTrue(named.output.contains("| OSS V4 | all | SKIPPED: not set: OSS_BUCKET |"), named.output)
    XCTAssertTrue(named.output.contains("| Aspera node | all | SKIPPED: not set: ASPERA_NODE_URL |"), named.output)
  }

  func testFailedStepIsTheStatusOfTheProgram() async throws {
    SecretWatch.install()
    let cloud = try await LiveCloud()
    addTeardownBlock { await cloud.server.stop() }
    SecretWatch.add(cloud.key)
    let variables = cloud.environment(ascp: nil).filter {
      ["STORAGE", "S3", "AWS"].contains($0.key.prefix { $0 != "_" })
    }
    let good = try await Programs.run(Programs.path("live-matrix"), [], variables)
    XCTAssertEqual(good.status, 0, good.output)
    XCTAssertFalse(good.output.contains("FAILED"), good.output)
    cloud.server.faults[.s3] = [.malformed()]
    let bad = try await Programs.run(Programs.path("live-matrix"), [], variables)
    XCTAssertEqual(bad.status, 1)
    XCTAssertTrue(bad.output.contains("| S3 V4 | list in pages and by folder | FAILED: "), bad.output)
    XCTAssertTrue(bad.output.contains("| S3 V4 | signed upload, head and download | passed |"), bad.output)
    XCTAssertTrue(bad.output.contains("below s3://live-1250000000/storage-auth-live/"), bad.output)
  }

  func testSignalSkipsTheRestAndRemovesWhatWasCreated() async throws {
    // A shell starts the program, because a test has no handle of a process that it has not ended.
    let script = """
      table=$(mktemp); "$0" --local >"$table" 2>/dev/null & program=$!
      until [ "$(wc -l <"$table")" -ge 4 ]; do sleep 0.01; done
      kill -TERM $program; wait $program; echo "status $?"; cat "$table"; rm "$table"
      """
    let outcome = try await Programs.run("/bin/bash", ["-c", script, Programs.path("live-matrix")])
    XCTAssertTrue(outcome.output.hasPrefix("status 130\n"), outcome.output)
    XCTAssertTrue(outcome.output.contains("| OSS V4 | cleanup | passed |"), outcome.output)
    XCTAssertTrue(outcome.output.contains("SKIPPED: the run was interrupted"), outcome.output)
    XCTAssertFalse(outcome.output.contains("FAILED"), outcome.output)
  }
}
