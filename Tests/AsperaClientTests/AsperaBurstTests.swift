// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import Foundation
import LocalCloud
import ProcessWatching
import StorageClient
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests many sessions of a queue, each a process of the simulator, against a node that revokes tokens.
final class AsperaBurstTests: XCTestCase {
  private static let count = 50

  // matrix: Aspera transfer (issuer): forced refresh, redaction, atomicity
  func testFiftySessionsFinishDespiteRejectedTokensWithoutVisibleSecretsOrRemainingFiles() async throws {
    let node = try await LocalNode(self)
    let (files, temporary) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    // Some tokens fail when a session begins, others when half of the bytes are transferred.
    node.cloud.faults.transfers = [.tokenExpired(.every(6)), .tokenRefused(.every(3), .afterBytes(500))]
    let dynamic = try DynamicKey()
    let sessions = try (1...Self.count).map { number in
      let file = try files.write(pattern(1000 + number), to: "\(number)")
      var spec = TransferSpec(.send, [TransferPath(file.string, to: "\(number)")], destinationRoot: "/burst")
      spec.createsFolder = true
      spec.publicKey = dynamic.publicKey
      return TransferSession(spec)
    }
    let access = StaticCredentialProvider(AsperaNodeAccess.accessKey(id: key.id.string, secret: key.secret))
    let queue = TransferQueue(
      engine: AscpEngine(ascp: node.simulator, temporaryFiles: temporary.url.path),
      account: try AsperaAccount(
        host: "127.0.0.1", user: AsperaAccount.defaultTokenUser, privateKey: dynamic.privateKey,
        hostKey: node.cloud.transferHostKey, requiresToken: true),
      issuer: .setup(
        node: node.cloud.nodeURL, access: access),
      configuration: TransferQueueConfiguration(
        maximumActive: 4, startSpacing: .zero, tokenRenewals: 20, retryDelay: .zero),
      in: ProviderContext(transport: NetworkTransport.shared))
    let watch = ProcessWatch()
    var failures: [String] = []
    var retries: [TransferRetry] = []
    var (finished, issued) = (0, 0)
    for await event in queue.run(sessions) {
      switch event.kind {
      case .finished(.success): finished += 1
      case .finished(.failure(let failure)): failures.append("\(failure)")
      case .retry(let retry): retries.append(retry)
      case .tokenIssued: issued += 1
      default: break
      }
    }
    watch.end()
    XCTAssertEqual(failures, [])
    XCTAssertEqual(finished, Self.count)
    XCTAssertEqual(Set(retries.map(\.cause)), [.token], "only retries for a token are expected")
    let statistics = node.cloud.statistics.transfers
    XCTAssertGreaterThan(retries.count, Self.count / 3)
    XCTAssertEqual(statistics.faults, [34: retries.count])
    XCTAssertEqual(statistics.setups, Self.count + retries.count, "each rejected token must be renewed once")
    XCTAssertEqual(issued, statistics.setups)
    let names = try await node.client(root: "/burst").list().names
    XCTAssertEqual(Set(names), Set((1...Self.count).map { "\($0)" }))
    let seen = watch.seen.filter { $0.contains(node.simulator) }
    XCTAssertFalse(seen.isEmpty && FileManager.default.fileExists(atPath: "/proc/self/cmdline"))
    for arguments in seen { SecretWatch.check(arguments) }
    XCTAssertEqual(try temporary.names, [])
  }
}
