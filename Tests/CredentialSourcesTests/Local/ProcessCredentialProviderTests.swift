// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import CredentialSources

/// Tests credentials from a command's output.
final class ProcessCredentialProviderTests: XCTestCase {
  private let machine = MemoryMachine()
  private let date = Timestamp(unixSeconds: 1_795_165_200)

  private var provider: BoundCredentialProvider<ProcessCredentialProvider> {
    ProcessCredentialProvider(["vault-key", "--password", Marks.secret]).bound(to: machine.access)
  }

  // matrix: Process: answers
  func testBothOutputFormatsAreRead() async {
    let temporary = AccessKey(id: "STS.1", secret: "s", sessionToken: "t", expiration: date)
    let cases: [(String, AccessKey)] = [
      (
        #"{"AccessKeyId":"STS.1","AccessKeySecret":"s","SecurityToken":"t","Expiration":"2026-11-20T09:00:00Z"}"#,
        temporary
      ),
      (
        #"{"AccessKeyId":"STS.1","AccessKeySecret":"s","SecurityToken":"t","Expiration":"2026-11-20T17:00:00.0+08:00"}"#,
        temporary
      ),
      (#"{"AccessKeyId":"a","AccessKeySecret":"s","Expiration":null}"#, AccessKey(id: "a", secret: "s")),
      (
        #"{"mode":"StsToken","access_key_id":"STS.1","access_key_secret":"s","sts_token":"t","expiration":"2026-11-20T09:00:00Z"}"#,
        temporary
      ),
      (
        #"{"mode":"StsToken","access_key_id":"STS.1","access_key_secret":"s","sts_token":"t","expiration":1795165200}"#,
        temporary
      ),
      (
        #"{"mode":"StsToken","access_key_id":"STS.1","access_key_secret":"s","sts_token":"t","expiration":"1795165200000"}"#,
        temporary
      ),
      (
        "{\"mode\":\"AK\",\r\n\"access_key_id\":\" a \",\"access_key_secret\":\"s\\n\"}\r\n",
        AccessKey(id: "a", secret: "s")
      ),
      ("\u{FEFF}{\"access_key_id\":\"a\",\"access_key_secret\":\"s\"}", AccessKey(id: "a", secret: "s")),
    ]
    for (output, key) in cases {
      machine.answer(output)
      await assertKey(provider, key, output)
    }
  }

  // matrix: Process: bad input
  func testOtherOutputIsRejected() async {
    let refusals = [
      Refusal("empty", " \n", .malformedResponse, "output of vault-key", "empty"),
      Refusal("no JSON", "key: \(Marks.secret)", .malformedResponse, "not a JSON object"),
      Refusal("cut off", #"{"AccessKeyId":"a","AccessKeySecret":"\#(Marks.secret)"#, .malformedResponse, "JSON object"),
      Refusal("array", #"["\#(Marks.secret)"]"#, .malformedResponse, "not a JSON object"),
      Refusal("nothing known", #"{"token":"\#(Marks.token)"}"#, .malformedResponse, "AccessKeyId", "AccessKeySecret"),
      Refusal("no id", #"{"AccessKeySecret":"\#(Marks.secret)"}"#, .malformedResponse, "no “AccessKeyId”"),
      Refusal(
        "no secret", #"{"AccessKeyId":"a","SecurityToken":"\#(Marks.token)"}"#, .malformedResponse,
        "no “AccessKeySecret”"
      ),
      Refusal(
        "line break", #"{"AccessKeyId":"a","AccessKeySecret":"\#(Marks.secret)\nb"}"#, .malformedResponse,
        "cannot be used", "line break"),
      Refusal(
        "null", #"{"AccessKeyId":null,"AccessKeySecret":"\#(Marks.secret)"}"#, .malformedResponse, "no “AccessKeyId”"),
      Refusal(
        "empty id", #"{"AccessKeyId":"","AccessKeySecret":"\#(Marks.secret)"}"#, .malformedResponse, "no “AccessKeyId”"),
      Refusal(
        "number", #"{"AccessKeyId":5,"AccessKeySecret":"\#(Marks.secret)"}"#, .malformedResponse,
        "no string in “AccessKeyId”"),
      Refusal(
        "token of another type", #"{"AccessKeyId":"a","AccessKeySecret":"\#(Marks.secret)","SecurityToken":{"a":1}}"#,
        .malformedResponse, "no string in “SecurityToken”"),
      Refusal(
        "bad time", #"{"AccessKeyId":"a","AccessKeySecret":"\#(Marks.secret)","Expiration":"\#(Marks.token)"}"#,
        .malformedResponse, "no time in “Expiration”"),
      Refusal(
        "no such day", #"{"AccessKeyId":"a","AccessKeySecret":"s","Expiration":"2026-02-30T00:00:00Z"}"#,
        .malformedResponse, "no time in “Expiration”"),
      Refusal(
        "negative time", #"{"AccessKeyId":"a","AccessKeySecret":"s","Expiration":-5}"#, .malformedResponse, "no time"),
      Refusal("mode", #"{"mode":"Magic","access_key_id":"a","access_key_secret":"s"}"#, .malformedResponse, "“Magic”"),
      Refusal(
        "secret as mode", #"{"mode":"\#(Marks.secret)","access_key_id":"a"}"#, .malformedResponse, "a text of 10 bytes"),
      Refusal(
        "no token", #"{"mode":"StsToken","access_key_id":"a","access_key_secret":"\#(Marks.secret)"}"#,
        .malformedResponse,
        "no “sts_token”"),
      Refusal(
        "deep", String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65), .malformedResponse,
        "JSON"),
    ]
    for refusal in refusals {
      machine.answer(refusal.input)
      await assertRefuses(provider, refusal.code, says: refusal.says, refusal.name)
    }
  }

  // matrix: Process: credential redaction
  func testErrorOutputIsNotShown() async {
    machine.answer(Marks.secret, ending: .exited(3), errors: 17)
    let failed = await assertRefuses(provider, .failed, says: ["status 3", "17 bytes", "vault-key with 2 argument(s)"])
    XCTAssertEqual(failed?.isRetryable, true)
    machine.answer(Marks.secret, ending: .signalled(9))
    await assertRefuses(provider, .failed, says: ["signal 9"])
  }

  // matrix: Process: refusal
  func testFailedCommandReportsTheReason() async {
    let cases: [(CommandError, CredentialError.Code, String, Bool)] = [
      (.notFound, .failed, "is not there", false),
      (.notStarted("permission denied"), .failed, "permission denied", false),
      (.timeout, .timeout, "took longer than", true),
      (.outputTooLarge, .malformedResponse, "longer than 65536 bytes", false),
      (.cancelled, .cancelled, "cancelled", false),
    ]
    for (error, code, word, isRetryable) in cases {
      machine.failCommands(with: error)
      let refusal = await assertRefuses(provider, code, says: [word, "vault-key"], "\(error)")
      XCTAssertEqual(refusal?.isRetryable, isRetryable, "\(error)")
      if code == .timeout { XCTAssertEqual(refusal?.remedy.contains("the cache's `timeout`"), true) }
    }
  }

  func testArgumentsAndVariablesAreNotShown() {
    let provider = ProcessCredentialProvider(
      ["vault-key", Marks.secret], environment: ["TOKEN": Marks.token])
    var text = "\(provider) \(String(reflecting: provider)) \([provider])"
    dump(provider, to: &text)
    XCTAssertTrue(text.contains("vault-key with 1 argument(s)"), text)
    XCTAssertFalse(text.contains(Marks.word), text)
  }

  func testMissingRunnerIsNotConfigured() async {
    var access = machine.access
    access.commands = nil
    await assertRefuses(
      ProcessCredentialProvider(["vault-key"]).bound(to: access), .notConfigured,
      says: ["vault-key", "runs no commands"])
  }

  func testShellIsUsedOnlyOnRequest() async {
    machine.answer(#"{"AccessKeyId":"a","AccessKeySecret":"s"}"#)
    await assertKey(
      ProcessCredentialProvider(["a b", "$(c)"]).bound(to: machine.access), AccessKey(id: "a", secret: "s"))
    await assertKey(
      ProcessCredentialProvider(.shell("a | b")).bound(to: machine.access), AccessKey(id: "a", secret: "s"))
    XCTAssertEqual(machine.commandLines, [["a b", "$(c)"], ["/bin/sh", "-c", "a | b"]])
    await assertRefuses(ProcessCredentialProvider([]).bound(to: machine.access), .failed, says: ["no command"])
  }

  func testCommandLineIsSplitLikeInAShellWithoutExpansion() {
    let cases: [(String, [String]?)] = [
      ("get-key --for oss", ["get-key", "--for", "oss"]), ("  a\t b  ", ["a", "b"]),
      (#"a "b c" 'd "e'"#, ["a", "b c", #"d "e"#]),
      (#"a\ b "c\"d\e" ''"#, ["a b", #"c"d\e"#, ""]), ("a $HOME `b` *", ["a", "$HOME", "`b`", "*"]),
      (#"x"y"z"#, ["xyz"]),
      ("", nil), ("   ", nil), ("a 'b", nil), (#"a "b"#, nil), (#"a \"#, nil), (#"'' b"#, nil),
    ]
    for (line, expected) in cases {
      XCTAssertEqual(CredentialCommand(splitting: line)?.arguments, expected, line)
    }
  }
}
