// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests accounts that come from a cache, and that are replaced while a queue runs.
final class QueueAccountTests: XCTestCase {
  private func account(_ password: String) throws -> AsperaAccount {
    try AsperaAccount(host: "aspera.test", user: "mia", password: Secret(password))
  }

  // matrix: Aspera transfer (password): forced refresh
  func testAttemptAfterAReplacementUsesTheNewAccount() async throws {
    let time = ManualClock()
    let accounts = CredentialCache(try account("old-word"), time: time)
    let passwords = Lock<[Secret?]>([])
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        passwords.withLock { $0.append(attempt.spec.remotePassword) }
        return TransferSummary(bytes: 1, files: 1)
      }, accounts: accounts, time: time)
    bench.queue.add(.sample("a"))
    _ = await bench.finished("a")
    accounts.replace(with: try account("new-word"))
    bench.queue.add(.sample("b"))
    _ = await bench.finished("b")
    XCTAssertEqual(passwords.withLock { $0 }, [Secret("old-word"), Secret("new-word")])
  }

  func testAccountOfTheSessionPrecedesThatOfTheQueue() async throws {
    let time = ManualClock()
    let passwords = Lock<[Secret?]>([])
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        passwords.withLock { $0.append(attempt.spec.remotePassword) }
        return TransferSummary(bytes: 1, files: 1)
      }, accounts: CredentialCache(try account("of-the-queue"), time: time), time: time)
    var session = TransferSession.sample("a")
    session.account = try account("of-the-session")
    bench.queue.add(session)
    _ = await bench.finished("a")
    XCTAssertEqual(passwords.withLock { $0 }, [Secret("of-the-session")])
  }

  // matrix: Aspera transfer (password): bad input
  func testAccountIsRequestedFromItsProviderAndAFailureEndsTheSession() async throws {
    let time = ManualClock()
    let answers = Lock<[AsperaAccount?]>([nil, try account("pass-word")])
    let accounts = CredentialCache<AsperaAccount>(source: "vault", time: time) {
      answers.withLock { $0.removeFirst() }
    }
    let bench = try QueueBench(accounts: accounts, time: time)
    bench.queue.add(.sample("a"))
    let first = await bench.finished("a")
    XCTAssertEqual(first?.failure?.kind, .account)
    XCTAssertTrue(
      first?.failure?.message.hasPrefix("vault provided no account:") == true, "\(String(describing: first))")
    time.advance(by: .seconds(60))
    bench.queue.add(.sample("b"))
    let second = await bench.finished("b")
    XCTAssertEqual(second?.isSuccess, true)
    XCTAssertTrue(bench.engine.attempts.allSatisfy { $0.session == "b" })
  }
}
