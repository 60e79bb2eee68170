// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import LocalCloud
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests many sessions of a queue with bearer tokens of five seconds that JWT grants lead to.
final class GrantBurstTests: XCTestCase {
  private static let count = 50

  func testFiftySessionsFinishAlthoughTheirBearerTokensExpireInTheMiddleOfTheQueue() async throws {
    // Whole seconds, because the times in grants have no fractions.
    let time = ManualClock(now: Timestamp(unixSeconds: Timestamp.now.unixSeconds))
    let applications = try await LocalApplications(
      self, rules: .init(tokenLifetime: .seconds(5)), clock: { time.now })
    let cloud = applications.cloud
    let files = try TemporaryDirectory(self)
    let accessKey = key.id.string
    let grant = JWTGrant.asperaOnCloud(
      organization: "acme", user: "mia@example.com", clientID: "client-1", clientSecret: Secret("not-a-client-secret"),
      api: cloud.asperaOnCloudURL)
    let cache = CredentialCache(
      NodeGrantProvider(JWTGrantProvider(grant, key: applications.key), accessKey: accessKey),
      in: ProviderContext(transport: NetworkTransport.shared, time: time))
    let used = Lock<[String: CredentialGeneration]>([:])
    let issuer = ClosureTokenIssuer(source: "Aspera on Cloud") { request in
      let rejected = request.reason == .initial ? nil : used.withLock { $0[request.session] }
      let cached = try await cache.credential(lasting: .seconds(1), replacing: rejected)
      used.withLock { $0[request.session] = cached.generation }
      guard case .bearer(let token, _) = cached.credential.method else { return nil }
      return TransferCredential(token: try AsperaToken(Secret("Bearer \(token.reveal())")))
    }
    let sessions = try (1...Self.count).map { number in
      let file = try files.write(pattern(1000 + number), to: "\(number)")
      var spec = TransferSpec(.send, [TransferPath(file.string, to: "\(number)")], destinationRoot: "/burst")
      spec.createsFolder = true
      spec.tags = ["aspera": ["node": ["access_key": .string(accessKey), "file_id": "1"]]]
      return TransferSession(spec)
    }
    let queue = TransferQueue(
      engine: AscpEngine(ascp: applications.simulator, temporaryFiles: files.url.path),
      account: try applications.account(), issuer: issuer,
      configuration: TransferQueueConfiguration(
        maximumActive: 4, startSpacing: .zero, tokenMargin: .zero, tokenRenewals: 20, retryDelay: .zero))
    var failures: [String] = []
    var finished = 0
    var causes: Set<TransferRetry.Cause> = []
    for await event in queue.run(sessions) {
      switch event.kind {
      case .didActivate: time.advance(by: .seconds(2))
      case .finished(.success): finished += 1
      case .finished(.failure(let failure)): failures.append("\(failure)")
      case .retry(let retry): causes.insert(retry.cause)
      default: break
      }
    }
    XCTAssertEqual(failures, [])
    XCTAssertEqual(finished, Self.count)
    XCTAssertEqual(causes.subtracting([.token]), [], "only retries for a token are expected")
    XCTAssertGreaterThan(cloud.statistics[.asperaOnCloud].issued, Self.count / 5)
    let client = StorageClient(
      .aspera(node: cloud.nodeURL, access: .accessKey(id: accessKey, secret: key.secret), root: "/burst"),
      configuration: .test)
    let names = try await client.list().names
    XCTAssertEqual(Set(names), Set((1...Self.count).map { "\($0)" }))
  }
}
