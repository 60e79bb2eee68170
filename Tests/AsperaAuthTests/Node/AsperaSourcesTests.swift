// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests access to a node from the environment and from the profile file.
final class AsperaSourcesTests: XCTestCase {
  private let user = ["ASPERA_NODE_USER": "mia", "ASPERA_NODE_PASSWORD": "c4nary0pw"]
  private let key = ["ASPERA_ACCESS_KEY_ID": "ak", "ASPERA_ACCESS_KEY_SECRET": "c4nary0secret"]
  private let token = ["ASPERA_ACCESS_KEY_ID": "ak", "ASPERA_NODE_TOKEN": "c4nary0token"]
  private let path = "/home/mia/.aspera/storage-auth.json"

  private func assertFails(
    _ provider: some CredentialProvider<AsperaNodeAccess>, _ code: CredentialError.Code, _ says: String...,
    file: StaticString = #filePath, line: UInt = #line
  ) async {
    do {
      let access = try await provider.credential()
      XCTFail("access was returned: \(access)", file: file, line: line)
    } catch {
      XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
      for text in says {
        XCTAssertTrue(error.message.contains(text), "no “\(text)” in \(error)", file: file, line: line)
      }
      XCTAssertTrue(error.remedy.hasSuffix("."), "\(error)", file: file, line: line)
      XCTAssertEqual(DisplayedTexts(of: error).containing(["c4nary0"]), [], file: file, line: line)
    }
  }

  private func environment(_ variables: [String: String]) -> BoundCredentialProvider<AsperaEnvironmentProvider> {
    AsperaEnvironmentProvider().bound(to: NodeMachine(environment: variables).access)
  }

  private func file(_ text: String, _ variables: [String: String] = [:]) -> BoundCredentialProvider<
    ProfileCredentialProvider<AsperaNodeAccess>
  > {
    ProfileCredentialProvider.asperaProfile().bound(to: NodeMachine(environment: variables, files: [path: text]).access)
  }

  // matrix: Environment: answers
  func testEachMethodIsReadFromTheEnvironment() async throws {
    let cases: [([String: String], AsperaNodeAccess)] = [
      (user, .basic(user: "mia", password: Secret("c4nary0pw"))),
      (key, .accessKey(id: "ak", secret: Secret("c4nary0secret"))),
      (token, .bearer(Secret("c4nary0token"), accessKey: "ak")),
      (user.mapValues { " \($0)\n" }, .basic(user: "mia", password: Secret("c4nary0pw"))),
      (user.merging(["ASPERA_NODE_TOKEN": " "]) { $1 }, .basic(user: "mia", password: Secret("c4nary0pw"))),
    ]
    for (variables, access) in cases {
      let read = try await environment(variables).credential()
      XCTAssertEqual(read, access, "\(variables.keys)")
    }
  }

  // matrix: Environment: bad input
  func testIncompleteAndAmbiguousVariablesAreErrors() async {
    await assertFails(environment([:]), .notConfigured, "sets none of ASPERA_NODE_USER, ")
    await assertFails(environment(["ASPERA_NODE_USER": " "]), .notConfigured)
    await assertFails(
      environment(["ASPERA_NODE_USER": "mia"]), .failed, "has ASPERA_NODE_USER but no ASPERA_NODE_PASSWORD")
    await assertFails(environment(["ASPERA_NODE_PASSWORD": "c4nary0"]), .failed, "but no ASPERA_NODE_USER")
    await assertFails(
      environment(["ASPERA_ACCESS_KEY_ID": "ak"]), .failed, "but no ASPERA_ACCESS_KEY_SECRET or ASPERA_NODE_TOKEN")
    await assertFails(environment(["ASPERA_NODE_TOKEN": "c4nary0"]), .failed, "but no ASPERA_ACCESS_KEY_ID")
    await assertFails(environment(["ASPERA_ACCESS_KEY_SECRET": "c4nary0"]), .failed, "but no ASPERA_ACCESS_KEY_ID")
    for variables in [
      user.merging(key) { $1 }, key.merging(token) { $1 }, user.merging(["ASPERA_ACCESS_KEY_ID": "ak"]) { $1 },
      ["ASPERA_NODE_USER": "mia", "ASPERA_ACCESS_KEY_SECRET": "c4nary0"],
      ["ASPERA_NODE_TOKEN": "c4nary0", "ASPERA_ACCESS_KEY_SECRET": "c4nary0"],
    ] {
      await assertFails(environment(variables), .failed, "do not belong together")
    }
    await assertFails(
      environment(["ASPERA_NODE_USER": "a:c4nary0", "ASPERA_NODE_PASSWORD": "b"]), .failed, "cannot be used", "colon")
  }

  func testExpiredTokenIsRejected() async throws {
    let machine = NodeMachine()
    let key = try TokenVectors().bearerKey()
    let token = try await BearerAccessProvider(
      accessKey: "ak", userID: "mia", key: key, lifetime: .seconds(60)
    ).bound(to: ProviderContext(time: machine.time)).credential()
    guard case .bearer(let secret, _) = token.method else { return XCTFail("\(token)") }
    var copy = machine
    copy.environment = ["ASPERA_ACCESS_KEY_ID": "ak", "ASPERA_NODE_TOKEN": secret.reveal()]
    let provider = AsperaEnvironmentProvider().bound(to: copy.access)
    machine.time.advance(by: .seconds(59))
    let read = try await provider.credential()
    XCTAssertEqual(read.expiration, Timestamp(unixSeconds: 1_800_000_060))
    machine.time.advance(by: .seconds(1))
    await assertFails(provider, .failed, "expired at 2027-01-15T08:01:00Z")
  }

  // matrix: Files: answers
  func testEachMethodIsReadFromTheFile() async throws {
    let text = #"""
      {"default": {"user": "mia", "password": "c4nary0pw", "access_key_id": "", "token": null, "url": 7},
       "archive": {"access_key_id": "ak", "access_key_secret": "c4nary0secret"},
       "guest": {"access_key_id": "ak", "token": "Bearer c4nary0token"}}
      """#
    let machine = NodeMachine(files: [path: text])
    let user = try await ProfileCredentialProvider.asperaProfile().bound(to: machine.access).credential()
    XCTAssertEqual(user, .basic(user: "mia", password: Secret("c4nary0pw")))
    let archive = try await file(text, ["ASPERA_PROFILE": "archive"]).credential()
    XCTAssertEqual(archive, .accessKey(id: "ak", secret: Secret("c4nary0secret")))
    let guest = try await ProfileCredentialProvider.asperaProfile("guest").bound(to: machine.access).credential()
    XCTAssertEqual(guest.identity, "ak")
    let elsewhere = NodeMachine(
      environment: ["ASPERA_CREDENTIALS_FILE": "/etc/node.json"], files: ["/etc/node.json": text])
    let moved = try await ProfileCredentialProvider.asperaProfile().bound(to: elsewhere.access).credential()
    XCTAssertEqual(moved, user)
    XCTAssertEqual(machine.warnings.all, [])
  }

  func testFileReadableByOthersCausesAWarning() async throws {
    let machine = NodeMachine(files: [path: #"{"default":{"user":"mia","password":"c4nary0"}}"#], permissions: 0o644)
    _ = try await ProfileCredentialProvider.asperaProfile().bound(to: machine.access).credential()
    let warning = try XCTUnwrap(machine.warnings.all.first)
    XCTAssertTrue(warning.remedy.contains("chmod 600 \(path)"), "\(warning)")
  }

  // matrix: Files: bad input
  func testInvalidFileIsAnErrorAndAMissingOneIsNotConfigured() async {
    await assertFails(
      ProfileCredentialProvider.asperaProfile().bound(to: NodeMachine().access), .notConfigured,
      "~/.aspera/storage-auth.json")
    await assertFails(file("{}"), .notConfigured, "profile “default” in \(path) is not there")
    await assertFails(file(#"{"default":null}"#), .notConfigured, "is not there")
    await assertFails(file(#"{"default":{}}"#), .notConfigured, "has no credential")
    for text in ["", "{", "c4nary0", #"{"default":{"password":"c4nary0}"#] {
      await assertFails(file(text), .malformedResponse, path, "not JSON", "at byte")
    }
    await assertFails(file("[]"), .malformedResponse, "not a JSON object")
    await assertFails(file(#"{"default":["c4nary0"]}"#), .malformedResponse, "“default”", "not a JSON object")
    await assertFails(
      file(#"{"default":{"user":"mia","password":["c4nary0"]}}"#), .malformedResponse, "no string in “password”")
    await assertFails(file(#"{"default":{"password":"c4nary0"}}"#), .failed, "has password but no user")
    await assertFails(
      file(#"{"default":{"user":"mia","password":"c4nary0","token":"c4nary0"}}"#), .failed, "do not belong together")
    await assertFails(file(#"{"default":{"user":"mia","password":"c4nary0\n"}}"#), .failed, "cannot be used")
    await assertFails(file("{}", ["ASPERA_PROFILE": "archive"]), .failed, "“archive”", "A profile was named.")
    await assertFails(
      ProfileCredentialProvider.asperaProfile("archive").bound(to: NodeMachine().access), .failed,
      "A profile was named.")
    await assertFails(
      ProfileCredentialProvider.asperaProfile(path: "/nowhere").bound(to: NodeMachine().access), .failed, "/nowhere",
      "is not there")
  }

  func testDefaultSourcesAreTheEnvironmentThenTheFile() async throws {
    let text = #"{"default":{"user":"file","password":"c4nary0"}}"#
    let both = NodeMachine(environment: user, files: [path: text]).access
    let first = try await AsperaCredentials().chain.issue(in: both)
    XCTAssertEqual(first.credential.identity, "mia")
    XCTAssertEqual(first.source, "environment (Aspera)")
    var sources = AsperaCredentials()
    sources.environment = nil
    let second = try await sources.chain.issue(in: both)
    XCTAssertEqual(second.credential.identity, "file")
    XCTAssertEqual(second.source, "Aspera profile")
    let cache = CredentialCache(.asperaDefault, in: both)
    let cached = try await cache.credential()
    XCTAssertEqual(cached.identity, "mia")
    let half = NodeMachine(environment: ["ASPERA_NODE_USER": "mia"], files: [path: text]).access
    await assertFails(AsperaCredentials().chain.bound(to: half), .failed, "ASPERA_NODE_PASSWORD")
    await assertFails(
      AsperaCredentials().chain.bound(to: NodeMachine().access), .notConfigured, "None of the 2 sources")
  }
}
