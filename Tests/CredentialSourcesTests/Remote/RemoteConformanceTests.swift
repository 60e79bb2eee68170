// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests that every HTTP provider conforms to the rules of credential providers.
final class RemoteConformanceTests: XCTestCase {
  private let secrets = ["s3cretOfTheAnswer", "tokenOfTheAnswer", "s3cretThatAsks", "tokenThatAsks"]

  /// Returns a transport that sends the same response to every request for the key.
  private func transport(_ answer: @escaping @Sendable () -> HTTPStreamingResponse) -> ScriptedTransport {
    ScriptedTransport { request in
      if request.path == "/latest/api/token" { return .text("metadata-token") }
      if request.path.hasSuffix("security-credentials/") { return .text("role") }
      return answer()
    }
  }

  private func report(
    _ provider: some CredentialProvider<AccessKey>, _ failing: [any CredentialProvider<AccessKey>],
    _ waiting: any CredentialProvider<AccessKey>, _ time: any SigningClock
  ) async -> ConformanceReport {
    await ProviderConformance(
      provider, failing: failing, waiting: waiting, secrets: secrets, concurrency: 20, in: ProviderContext(time: time)
    ).report()
  }

  func testEveryProviderConforms() async {
    for service in RemoteService.all {
      let time = ManualClock(now: RemoteService.now)
      let body = service.answer
      let leaking = #"{"code":1,"Code":"No","Message":"\#(RemoteService.ownSecret) \#(RemoteService.ownToken)"}"#
      let sends = service.name.contains("AssumeRole") && !service.name.contains("With")
      let failing = [
        service.provider(transport { .json(String(body.dropLast(9))) }, time),
        service.provider(transport { .json(sends ? leaking : "{}", status: 403) }, time),
        service.provider(transport { .status(503) }, time),
      ]
      let held = transport { .json(body) }
      held.hold()
      let report = await report(
        service.provider(transport { .json(body) }, time), failing, service.provider(held, time), time)
      XCTAssertTrue(report.isConforming, "\(service.name): \(report)")
    }
  }
}
