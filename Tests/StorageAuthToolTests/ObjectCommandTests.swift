// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests `cat`, `mv`, `stat`, `du`, `mb`, `rb` and the list of buckets, and `cp` with standard streams and other services.
final class ObjectCommandTests: XCTestCase {
  private static let variables = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
    "TENCENTCLOUD_SECRET_ID": key.id.string, "TENCENTCLOUD_SECRET_KEY": key.secret.reveal(),
    "AWS_ACCESS_KEY_ID": key.id.string, "AWS_SECRET_ACCESS_KEY": key.secret.reveal(),
  ]
  private static let bucket = "oss://\(Cloud.bucket)"

  private func run(
    _ arguments: [String], _ cloud: Cloud, _ endpoint: ServiceEndpoint? = nil, input: String = "", status: Int32 = 0,
    line: UInt = #line
  ) async throws -> Programs.Outcome {
    let authority = (endpoint ?? cloud.server.ossEndpoint).authority
    let outcome = try await Programs.storageAuth(
      arguments + ["--endpoint", "http://\(authority)"], Self.variables, input: input)
    XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
    return outcome
  }

  // matrix: Pipeline: command line
  func testStandardInputAndOutputAreCopied() async throws {
    let cloud = try await Cloud(self)
    _ = try await run(["cp", "-", "\(Self.bucket)/in.txt"], cloud, input: "from a pipe\n")
    let info = try await cloud.oss().head("in.txt")
    XCTAssertEqual(info.size, 12)
    let copied = try await run(["cp", "\(Self.bucket)/in.txt", "-"], cloud)
    XCTAssertEqual(copied.output, "from a pipe\n")
    let twice = try await run(["cat", "\(Self.bucket)/in.txt", "\(Self.bucket)/in.txt", "--json"], cloud)
    XCTAssertEqual(twice.output, "from a pipe\nfrom a pipe\n")
    let missing = try await run(["cat", "\(Self.bucket)/none"], cloud, status: 1)
    XCTAssertTrue(missing.errors.contains("NoSuchKey"), missing.errors)
  }

  // matrix: Pipeline: command line
  func testFolderWithASlashIsCreated() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1, 2], to: "2026/k")
    let directory = try TemporaryDirectory(self)
    _ = try await run(["cp", "\(Self.bucket)/2026/k", directory.path("new/er/").string + "/"], cloud)
    XCTAssertEqual(try Data(contentsOf: directory.url.appending(path: "new/er/k")), Data([1, 2]))
  }

  // matrix: Pipeline: command line
  func testRecursiveCopyOfNothingOrOfOneObjectIsAnError() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1], to: "one")
    let directory = try TemporaryDirectory(self)
    for (key, words) in [
      ("none", "There are no objects below none/."), ("one", "one is an object; leave out --recursive."),
    ] {
      let outcome = try await run(["cp", "-r", "\(Self.bucket)/\(key)", directory.url.path], cloud, status: 1)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
    }
  }

  // matrix: Pipeline: command line
  func testOneObjectIsCopiedAndMovedBetweenTwoServices() async throws {
    let cloud = try await Cloud(self)
    let attributes = UploadOptions(cacheControl: "no-cache", contentDisposition: "inline")
    try await cloud.oss().upload([1, 2, 3], to: "a.jpg", metadata: ["author": "Mia"], options: attributes)
    let origin = ["--from-endpoint", "http://\(cloud.server.ossEndpoint.authority)"]
    for command in ["cp", "mv"] {
      let target = "cos://\(Cloud.bucket)/\(command)/"
      _ = try await run([command, "\(Self.bucket)/a.jpg", target] + origin, cloud, cloud.server.cosEndpoint)
      let copy = try await cloud.cos().head("\(command)/a.jpg")
      XCTAssertEqual(copy.size, 3)
      XCTAssertEqual(copy.contentType, "image/jpeg")
      XCTAssertEqual(copy.metadata["author"], "Mia")
      XCTAssertEqual(copy.headers[.cacheControl], "no-cache")
      XCTAssertEqual(copy.headers[.contentDisposition], "inline")
    }
    let rest = try await cloud.oss().list(prefix: "a.jpg").reduce(into: []) { $0.append($1.name) }
    XCTAssertEqual(rest, [])
  }

  // matrix: Pipeline: command line
  func testMovedSourcesAreDeletedAndFailedOnesRemain() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let files = try ["a", "b"].map { try directory.write([1], to: $0).string }
    _ = try await run(["mv"] + files + ["\(Self.bucket)/up/"], cloud)
    XCTAssertEqual(try directory.names, [])
    _ = try await run(["mv", "\(Self.bucket)/up/a", "\(Self.bucket)/c"], cloud)
    let failed = try await run(["mv", "\(Self.bucket)/c", "oss://no-such-bucket/c"], cloud, status: 1)
    XCTAssertTrue(failed.errors.contains("NoSuchBucket"), failed.errors)
    let names = try await cloud.oss().list().reduce(into: []) { $0.append($1.name) }
    XCTAssertEqual(names, ["c", "up/b"])
  }

  // matrix: Output of the command line: results
  func testOneCauseIsPrintedOnceForAllItsFiles() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let files = try (0..<9).map { try directory.write([1], to: "\($0)").string }
    let outcome = try await run(["cp"] + files + ["oss://no-such-bucket/"], cloud, status: 1)
    let errors = outcome.errors.split(separator: "\n")
    XCTAssertEqual(errors.count, 2, outcome.errors)
    XCTAssertTrue(errors.first?.contains("The same for 8 more: ") ?? false, outcome.errors)
    XCTAssertEqual(errors.last, "0 copied, 9 failed, 0 not copied")
  }

  // matrix: Output of the command line: results
  func testObjectsAndFoldersAreDescribed() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload(pattern(2048), to: "f/a.txt", metadata: ["author": "Mia"])
    try await cloud.oss().upload([1], to: "f/b")
    let stat = try await run(["stat", "\(Self.bucket)/f/a.txt"], cloud).output
    for line in ["key       f/a.txt", "size      2048 (2.0 KiB)", "type      text/plain", "metadata  author=Mia"] {
      XCTAssertTrue(stat.contains(line), stat)
    }
    let json = try await run(["stat", "\(Self.bucket)/f/a.txt", "--json"], cloud).output
    XCTAssertEqual(try JSONValue(parsing: Array(json.utf8))["metadata"], ["author": "Mia"])
    let usage = try await run(["du", "\(Self.bucket)/f"], cloud).output
    XCTAssertEqual(usage, "2 objects, 2049 bytes (2.0 KiB)\n")
    let single = try await run(["du", "\(Self.bucket)/f/b"], cloud).output
    XCTAssertTrue(single.hasPrefix("1 object, 1 bytes"), single)
  }

  // matrix: Output of the command line: results
  func testBucketsAreListedAndDeleted() async throws {
    let cloud = try await Cloud(self)
    for (scheme, endpoint) in [
      ("oss", cloud.server.ossEndpoint), ("cos", cloud.server.cosEndpoint), ("s3", cloud.server.s3Endpoint),
    ] {
      let (location, region) = ("\(scheme)://new-\(scheme)-1250000000", ["--region", "us-east-1"])
      _ = try await run(["mb", location] + region, cloud, endpoint)
      func names() async throws -> [String?] {
        let listed = try await run(["ls", "\(scheme)://", "--json"] + region, cloud, endpoint).output
        return try listed.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8))["bucket"]?.string }
      }
      let before = try await names()
      XCTAssertEqual(before, ["new-\(scheme)-1250000000", Cloud.bucket])
      _ = try await run(["cp", "-", "\(location)/a"] + region, cloud, endpoint, input: "a")
      let filled = try await run(["rb", location] + region, cloud, endpoint, status: 1)
      XCTAssertTrue(filled.errors.contains("BucketNotEmpty"), filled.errors)
      _ = try await run(["rm", "\(location)/a"] + region, cloud, endpoint)
      _ = try await run(["rb", location] + region, cloud, endpoint)
      let after = try await names()
      XCTAssertEqual(after, [Cloud.bucket])
      let gone = try await run(["rb", location] + region, cloud, endpoint, status: 1)
      XCTAssertTrue(gone.errors.contains("NoSuchBucket"), gone.errors)
    }
  }

  // matrix: Output of the command line: results
  func testPresignedURLOfAnotherHostIsKnownByItsParameters() async throws {
    let cloud = try await Cloud(self)
    let url = try await run(["presign", "\(Self.bucket)/a", "--expires", "1h"], cloud).output
    let verified = try await Programs.storageAuth(["verify", String(url.dropLast())], Self.variables)
    XCTAssertEqual(verified.status, 0, verified.errors)
    XCTAssertTrue(verified.output.hasPrefix("verified\n"), verified.output)
  }

  // matrix: Output of the command line: results
  func testServerEndsItsStartWithThreeLinesToCopy() async throws {
    let script = #"""
      exec 3< <("$0" serve --account id:not-shown); server=$!
      while read -r -u 3 line; do echo "$line"; case "$line" in "storage-auth ls "*) break ;; esac; done
      kill "$server"; wait "$server"
      """#
    let lines = try await Programs.shell(script).output.split(separator: "\n")
    let url = try XCTUnwrap(lines.first { $0.hasPrefix("OSS") }?.split(separator: " ").last)
    XCTAssertEqual(
      lines.suffix(3).map(String.init),
      ["mb oss://photos", "cp README.md oss://photos", "ls oss://photos"].map {
        "storage-auth \($0) --endpoint \(url)"
      })
    XCTAssertFalse(lines.contains { $0.contains("not-shown") })
  }

  // matrix: Output of the command line: results
  func testProgressIsPlainWhereTheTerminalOrTheLocaleIsPlain() async throws {
    let cloud = try await Cloud(self)
    try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed")
    let file = try TemporaryDirectory(self).write(pattern(100), to: "file").string
    let script = #"exec script -qec "$0 cp $1 $2 --endpoint $3" /dev/null"#
    for (variables, isPlain) in [
      (["TERM": "xterm", "LANG": "C.UTF-8"], false), (["TERM": "dumb", "LANG": "C.UTF-8"], true),
      (["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1"], true), (["TERM": "xterm", "LANG": "C"], true),
    ] {
      let shown = try await Programs.shell(
        script, [file, "\(Self.bucket)/p", "http://\(cloud.server.ossEndpoint.authority)"],
        Self.variables.merging(variables) { $1 }
      ).output
      XCTAssertTrue(shown.contains("100 %"), shown)
      XCTAssertEqual(shown.contains("\u{1B}"), !isPlain, "\(variables)")
      XCTAssertEqual(shown.contains("█"), !isPlain, "\(variables)")
    }
  }

  // matrix: Output of the command line: results
  func testProgressFitsIntoTheTerminalAndIsRemovedBeforeOtherLines() async throws {
    let cloud = try await Cloud(self)
    try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed")
    let file = try TemporaryDirectory(self).write(pattern(100), to: "file").string
    let script = #"exec script -qec "stty cols 70; $0 cp -v $1 $2 --endpoint $3" /dev/null"#
    let key = String(repeating: "long-", count: 20) + "end"
    for variables in [["TERM": "xterm", "LANG": "C.UTF-8"], ["TERM": "dumb", "LANG": "C"]] {
      let shown = try await Programs.shell(
        script, [file, "\(Self.bucket)/\(key)", "http://\(cloud.server.ossEndpoint.authority)"],
        Self.variables.merging(variables) { $1 }
      ).output
      let steps = shown.replacing("\u{1B}[K", with: "").split { ["\r", "\n", "\r\n"].contains($0) }
      let bars = steps.filter { $0.contains(" % ") }
      XCTAssertFalse(bars.isEmpty, shown)
      for bar in bars {
        XCTAssertLessThan(bar.count, 70, "\(bar)")
        XCTAssertTrue(bar.contains("end "), "\(bar)")
        XCTAssertTrue(bar.hasPrefix("…") || bar.hasPrefix("..."), "\(bar)")
        XCTAssertFalse(bar.contains("PUT"), "\(bar)")
      }
      XCTAssertTrue(steps.contains { $0.contains("PUT") }, shown)
    }
  }
}
