// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests to a credentials URI.
final class CredentialsURITests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)

  func testURIIsRequestedUnchanged() async throws {
    let transport = ScriptedTransport([.json(RemoteService.credentialsURI.answer)])
    let provider = CredentialsURIProvider("http://localhost:7002/keys?for=me").bound(
      to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.map(\.url), ["http://localhost:7002/keys?for=me"])
    XCTAssertEqual(transport.requests.map(\.method), [.get])
    XCTAssertEqual(provider.source, "credentials URI http://localhost:7002/keys")
  }

  func testSuccessCodeIsIgnored() async throws {
    let body = #"{"Code":"Success","# + RemoteService.credentialsURI.answer.dropFirst()
    let key = try await RemoteService.credentialsURI.answering(.json(body)).credential()
    XCTAssertEqual(key.id, "STS.id")
  }

  // matrix: Credentials URI: refusal
  func testErrorIsReportedWithItsCode() async {
    for status in [200, 400, 404] {
      let error = await failure(of: RemoteService.credentialsURI.answering(alibabaRefusal("NoRole", status: status)))
      XCTAssertEqual(error?.code, .rejected)
      XCTAssertEqual(error?.message.contains("NoRole: No. (request R-7)"), true)
    }
  }

  func testPlainHTTPToAnotherMachineIsRejected() async throws {
    let transport = ScriptedTransport([.json(RemoteService.credentialsURI.answer)])
    let error = await failure(
      of: CredentialsURIProvider("http://10.0.0.1/keys").bound(to: ProviderContext(transport: transport, time: time)))
    XCTAssertEqual(error?.code, .failed)
    XCTAssertTrue(transport.requests.isEmpty)
    _ = try await CredentialsURIProvider(
      "http://10.0.0.1/keys", allowsPlainHTTP: true
    ).bound(to: ProviderContext(transport: transport, time: time)).credential()
    let broken = await failure(
      of: CredentialsURIProvider("keys").bound(to: ProviderContext(transport: transport, time: time)))
    XCTAssertEqual(broken?.code, .failed)
  }
}
