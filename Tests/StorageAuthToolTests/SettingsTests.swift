// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageClient
import XCTest

@testable import storage_auth

/// Tests the arguments that settings of `storage-auth` become.
final class SettingsTests: XCTestCase {
  /// Returns the arguments of a command with those for the settings, without the option that names the file.
  private func arguments(
    _ command: String, _ rest: [String] = [], file text: String = "{}", environment: [String: String] = [:]
  ) async throws -> [String] {
    let path = try TemporaryDirectory(self).write(Array(text.utf8), to: "settings.json").string
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let settings = try await Settings([command, "--config", path] + rest, environment: environment)
    return settings.arguments.filter { $0 != "--config" && $0 != path }
  }

  func testFlagThatIsOffReplacesNoAlternative() async throws {
    for text in [#"{"verbose": true, "quiet": false}"#, #"{"quiet": false, "verbose": true}"#] {
      let ofFile = try await arguments("presign", file: text)
      XCTAssertEqual(ofFile, ["presign", "--verbose"], text)
    }
    for (value, expected) in [("false", "--verbose"), ("true", "--quiet")] {
      let ofBoth = try await arguments(
        "presign", file: #"{"verbose": true}"#, environment: ["STORAGE_AUTH_QUIET": value])
      XCTAssertEqual(ofBoth, ["presign", expected], value)
    }
    let off = try await arguments("presign", file: #"{"quiet": true}"#, environment: ["STORAGE_AUTH_QUIET": "false"])
    XCTAssertEqual(off, ["presign"])
  }

  func testFlagWithAnInverseIsSwitchedOffAndReplacesItsInverse() async throws {
    let variable = "STORAGE_AUTH_TOKEN_SERVER_HTTP2"
    for (settings, environment, given, expected) in [
      (#"{"http2": false}"#, [:], [], "--no-http2"), (#"{"no-http2": false}"#, [:], [], "--http2"),
      ("{}", [variable: "false"], [], "--no-http2"), (#"{"no-http2": true}"#, [variable: "true"], [], "--http2"),
      (#"{"http2": true}"#, [variable: "false"], [], "--no-http2"),
      (#"{"http2": false}"#, [:], ["--http2"], "--http2"), (#"{"no-http2": true}"#, [:], ["--http2"], "--http2"),
      (#"{"http2": true}"#, [variable: "true"], ["--no-http2"], "--no-http2"),
    ] as [(String, [String: String], [String], String)] {
      let arguments = try await arguments(
        "token-server", given, file: #"{"token-server": \#(settings)}"#, environment: environment)
      XCTAssertEqual(arguments, ["token-server", expected], "\(settings) \(environment) \(given)")
    }
    let copy = try await arguments("cp", file: #"{"no-metadata": false, "cp": {"metadata": ["a=b"]}}"#)
    XCTAssertEqual(copy, ["cp", "--metadata=a=b"], "An option is no inverse of a flag.")
  }

  func testEmptyVariablesAreIgnored() async throws {
    let variables = ["STORAGE_AUTH_CLIENT_ATTEMPTS": "", "STORAGE_AUTH_REGION": "", "STORAGE_AUTH_QUIET": "true"]
    let arguments = try await arguments("presign", environment: variables)
    XCTAssertEqual(arguments, ["presign", "--quiet"])
  }

  func testOnlyHelpBeforeTheEndOfTheOptionsDisablesTheSettings() async throws {
    let text = #"{"cp": {"parallel": 3}}"#
    let copy = try await arguments("cp", ["--", "-h", "oss://b/"], file: text)
    XCTAssertEqual(copy, ["cp", "--parallel=3", "--", "-h", "oss://b/"])
    let help = try await arguments("cp", ["-h"], file: text)
    XCTAssertEqual(help, ["cp", "-h"])
  }

  func testElementsOfAListThatAreNoStringsAreReported() async throws {
    do {
      _ = try await arguments("presign", file: #"{"http": {"proxy": {"exclusions": ["a.test", 1]}}}"#)
      XCTFail("an element of the list was dropped")
    } catch {
      XCTAssertTrue("\(error)".contains("http.proxy.exclusions contains an element"), "\(error)")
    }
  }
}
