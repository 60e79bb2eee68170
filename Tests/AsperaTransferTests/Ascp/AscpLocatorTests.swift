// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests the search for ascp and the parsing of its version.
final class AscpLocatorTests: XCTestCase {
  private func locator(_ programs: Set<String>, _ variables: [String: String] = [:]) -> AscpLocator {
    AscpLocator(environment: { variables[$0] }, home: "/home/mia") { programs.contains($0) }
  }

  private func error(_ locator: AscpLocator, _ path: String? = nil) -> AsperaError? {
    do throws(AsperaError) {
      _ = try locator.locate(path)
      return nil
    } catch {
      return error
    }
  }

  func testExplicitPathPrecedesVariablePathAndInstalledProducts() throws {
    let variables = [AscpLocator.variable: "/named/ascp", "PATH": "relative:/first:/second"]
    let products = AscpLocator.installationPaths.map { $0.replacing("~/", with: "/home/mia/", maxReplacements: 1) }
    let all = Set(["/given/ascp", "/named/ascp", "/second/ascp", "relative/ascp"] + products)
    XCTAssertEqual(try locator(all, variables).locate("/given/ascp"), "/given/ascp")
    XCTAssertEqual(try locator(all, variables).locate(), "/named/ascp")
    XCTAssertEqual(try locator(all, ["PATH": "relative:/first:/second"]).locate(), "/second/ascp")
    XCTAssertEqual(try locator(all, [AscpLocator.variable: ""]).locate(), products.first)
    for place in products { XCTAssertEqual(try locator([place]).locate(), place) }
  }

  func testTildeIsExpandedToTheHomeDirectory() throws {
    XCTAssertEqual(try locator(["/home/mia/bin/ascp"]).locate("~/bin/ascp"), "/home/mia/bin/ascp")
  }

  func testMissingExplicitPathIsAnErrorEvenIfAscpIsElsewhere() {
    let elsewhere = locator(["/usr/bin/ascp"], ["PATH": "/usr/bin"])
    XCTAssertEqual(error(elsewhere, "/given/ascp")?.code, .toolNotFound)
    XCTAssertEqual(error(elsewhere, "/given/ascp")?.message.contains("/given/ascp"), true)
    let named = locator(["/usr/bin/ascp"], ["PATH": "/usr/bin", AscpLocator.variable: "/named/ascp"])
    XCTAssertEqual(error(named)?.message.contains("/named/ascp, which STORAGE_AUTH_ASCP names"), true)
  }

  func testErrorListsTheSearchedLocations() {
    let error = error(locator([], ["PATH": "/first:/second", "CONDA_PREFIX": "/conda"]))
    XCTAssertEqual(error?.code, .toolNotFound)
    for place in ["/first/ascp", "/second/ascp", "/conda/bin/ascp", "/home/mia/.aspera/sdk/ascp"] {
      XCTAssertEqual(error?.message.contains(place), true, place)
    }
  }

  func testUnrunnableFileAndDirectoryAreRejected() throws {
    let fake = try FakeAscp(self)
    XCTAssertEqual(try AscpLocator().locate(fake.program), fake.program)
    for path in [fake.folder.path, fake.file("steps.json")] {
      XCTAssertThrowsError(try AscpLocator().locate(path))
    }
  }

  func testVersionIsFoundAnywhereInTheOutput() async throws {
    let fake = try FakeAscp(
      self, .print("IBM Aspera SDK version 4.3.0.1440\nascp version 4.4.5.1646 abc\nOperating System: Linux\n"),
      .exit(0))
    let version = try await fake.engine().version()
    XCTAssertEqual("\(version)", "4.4.5.1646")
    XCTAssertEqual(version.major, 4)
    XCTAssertEqual(version.notes, [])
    XCTAssertEqual(AscpVersion(output: "ascp version 3.9.0.168302")?.notes.count, 2)
  }

  func testProgramWithoutAVersionIsAnError() async throws {
    for steps: [FakeAscp.Step] in [
      [.print("ascp version unknown\n"), .exit(0)], [.flood(1 << 20), .exit(0)],
      [.print("ascp version 4.4.5\n"), .exit(1)],
    ] {
      let fake = try FakeAscp(self) { _ in steps }
      do {
        _ = try await fake.engine().version()
        XCTFail("a version was read")
      } catch {
        XCTAssertEqual(error.code, .failed)
      }
    }
  }
}
