// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import CredentialSources
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the runner of credential commands: output, limits, timeouts and cancellation.
final class SubprocessCommandRunnerTests: XCTestCase {
  /// Runs a shell command line.
  private static func run(
    _ line: String, environment: [String: String] = [:], timeout: Duration = .seconds(60), limit: Int = 1_000
  ) async throws(CommandError) -> CommandResult {
    try await SubprocessCommandRunner().run(
      ["/bin/sh", "-c", line], environment: environment, timeout: timeout, outputLimit: limit)
  }

  private func error(_ act: () async throws(CommandError) -> CommandResult) async -> CommandError? {
    do throws(CommandError) {
      _ = try await act()
      return nil
    } catch {
      return error
    }
  }

  func testOutputStatusAndLengthOfErrorOutputAreReported() async throws {
    let good = try await Self.run("printf '%s' \"$GREETING\"; printf oops >&2", environment: ["GREETING": "hello"])
    XCTAssertEqual(good.standardOutput, Array("hello".utf8))
    XCTAssertEqual(good.ending, .exited(0))
    XCTAssertEqual(good.standardErrorLength, 4)
    let bad = try await Self.run("exit 3")
    XCTAssertEqual(bad.ending, .exited(3))
    let killed = try await Self.run("kill -9 $$")
    XCTAssertEqual(killed.ending, .signalled(9))
  }

  func testEnvironmentOfThisProcessIsInherited() async throws {
    let result = try await Self.run("test -n \"$PATH\" && printf yes", environment: ["A": "b"])
    XCTAssertEqual(result.standardOutput, Array("yes".utf8))
  }

  func testProgramIsFoundThroughThePath() async throws {
    let result = try await SubprocessCommandRunner().run(
      ["printf", "%s", "a b; $HOME"], environment: [:], timeout: .seconds(60), outputLimit: 100)
    XCTAssertEqual(result.standardOutput, Array("a b; $HOME".utf8))
  }

  func testStandardInputIsEmptyAndThereIsNoTerminal() async throws {
    let result = try await Self.run("cat; (: < /dev/tty) 2>/dev/null && printf terminal; printf end")
    XCTAssertEqual(result.standardOutput, Array("end".utf8))
  }

  func testMissingProgramAndDirectoryAreErrors() async throws {
    for program in ["no-such-program-at-all", "/no/such/program", ""] {
      let error = await error { () async throws(CommandError) in
        try await SubprocessCommandRunner().run([program], environment: [:], timeout: .seconds(60), outputLimit: 1)
      }
      XCTAssertEqual(error, .notFound, program)
    }
    let folder = try TemporaryDirectory(self)
    let error = await error { () async throws(CommandError) in
      try await SubprocessCommandRunner().run(
        [folder.url.path], environment: [:], timeout: .seconds(60), outputLimit: 1)
    }
    guard case .notStarted = error else { return XCTFail("\(String(describing: error))") }
  }

  func testTooMuchOutputTerminatesTheProgram() async throws {
    let exact = try await Self.run("printf 12345", limit: 5)
    XCTAssertEqual(exact.standardOutput.count, 5)
    for line in ["printf 123456", "while :; do printf 1234567890; done", "while :; do printf 1234567890 >&2; done"] {
      let error = await error { () async throws(CommandError) in try await Self.run(line, limit: 5) }
      XCTAssertEqual(error, .outputTooLarge, line)
    }
  }

  // matrix: Process: time limit
  func testTimeoutTerminatesTheProgramAndItsChildren() async throws {
    let time = ManualClock()
    let folder = try TemporaryDirectory(self)
    let file = folder.path("started").string
    let run = Task {
      try await SubprocessCommandRunner(time: time).run(
        ["/bin/sh", "-c", "sleep 600 & echo $! > '\(file)'; wait"], environment: [:], timeout: .seconds(60),
        outputLimit: 100)
    }
    var pid = ""
    while pid.isEmpty {
      await Task.yield()
      pid = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").trimmingCharacters(in: .newlines)
    }
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(60))
    let outcome = await run.result
    XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual($0 as? CommandError, .timeout) }
    // A killed process is listed as a zombie until its new parent has waited for it.
    let lives = "kill -0 \(pid) 2> /dev/null && ! grep -qs '^State:[[:space:]]*Z' /proc/\(pid)/status"
    var isAlive = true
    for _ in 0..<1_000 where isAlive {
      isAlive = try await Self.run(lives).ending == .exited(0)
    }
    XCTAssertFalse(isAlive)
  }

  func testPipeHeldOpenByAChildDoesNotBlockTheRunner() async throws {
    let held = try await Self.run("sleep 600 & printf key")
    XCTAssertEqual(held.standardOutput, Array("key".utf8))
  }

  func testCancellationTerminatesTheProgram() async throws {
    let task = Task {
      try await SubprocessCommandRunner().run(
        ["/bin/sh", "-c", "while :; do :; done"], environment: [:], timeout: .seconds(600), outputLimit: 1)
    }
    for _ in 0..<100 { await Task.yield() }
    task.cancel()
    do {
      _ = try await task.value
      XCTFail("the program was not terminated")
    } catch {
      XCTAssertEqual(error as? CommandError, .cancelled)
    }
  }

  func testCommandProvidesAKey() async throws {
    var machine = ProviderContext(transport: RecordingTransport(replies: []), commands: SubprocessCommandRunner())
    machine.environment = { _ in nil }
    let provider = ProcessCredentialProvider(
      ["printf", #"{"AccessKeyId":"AKIDexample","AccessKeySecret":"secret"}"#]).bound(to: machine)
    let key = try await provider.credential()
    XCTAssertEqual(key, AccessKey(id: "AKIDexample", secret: "secret"))
  }
}
