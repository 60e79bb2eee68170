// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests to the metadata services of both clouds, and which of their failures let a chain continue.
final class InstanceMetadataTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let alibabaPath = "/latest/meta-data/ram/security-credentials/"

  private func alibaba(
    role: String? = nil, allowsV1: Bool = true, _ script: @escaping ScriptedTransport.Script
  ) -> (BoundCredentialProvider<AlibabaInstanceMetadataProvider>, ScriptedTransport) {
    let transport = ScriptedTransport(script)
    return (
      AlibabaInstanceMetadataProvider(role: role, allowsV1: allowsV1).bound(
        to: ProviderContext(transport: transport, time: time)), transport
    )
  }

  private func tencent(
    role: String? = nil, _ script: @escaping ScriptedTransport.Script
  ) -> (BoundCredentialProvider<TencentInstanceMetadataProvider>, ScriptedTransport) {
    let transport = ScriptedTransport(script)
    return (
      TencentInstanceMetadataProvider(role: role).bound(to: ProviderContext(transport: transport, time: time)),
      transport
    )
  }

  private static func alibabaAnswer(to path: String, token status: Int = 200) -> HTTPStreamingResponse {
    switch path {
    case "/latest/api/token": .text(" the-token\n", status: status)
    case "/latest/meta-data/ram/security-credentials/": .text(" my-role \n")
    case "/latest/meta-data/ram/security-credentials/my-role": .json(RemoteService.alibabaMetadata.answer)
    default: .status(404)
    }
  }

  func testTokenModeIsTriedFirst() async throws {
    let (provider, transport) = alibaba { Self.alibabaAnswer(to: $0.path) }
    _ = try await provider.credential()
    let sent = transport.requests
    XCTAssertEqual(
      sent.map(\.url),
      ["/latest/api/token", alibabaPath, alibabaPath + "my-role"].map { "http://100.100.100.200" + $0 })
    XCTAssertEqual(sent.map(\.method), [.put, .get, .get])
    XCTAssertEqual(sent[0].header("X-aliyun-ecs-metadata-token-ttl-seconds"), "21600")
    XCTAssertEqual(sent.map { $0.header("X-aliyun-ecs-metadata-token") }, [nil, "the-token", "the-token"])
  }

  func testUnsupportedTokenModeFallsBackToPlainRequests() async throws {
    for status in [400, 403, 404, 405, 501] {
      let (provider, transport) = alibaba { Self.alibabaAnswer(to: $0.path, token: status) }
      _ = try await provider.credential()
      XCTAssertEqual(transport.requests.count, 3)
      XCTAssertTrue(transport.requests.allSatisfy { $0.header("X-aliyun-ecs-metadata-token") == nil })

      let (strict, asked) = alibaba(allowsV1: false) { Self.alibabaAnswer(to: $0.path, token: status) }
      let error = await failure(of: strict)
      XCTAssertEqual(error?.code, .failed)
      XCTAssertEqual(error?.message.contains("not allowed"), true)
      XCTAssertEqual(asked.requests.count, 1)
    }
    let (broken, asked) = alibaba { Self.alibabaAnswer(to: $0.path, token: 500) }
    let error = await failure(of: broken)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.isRetryable, true)
    XCTAssertEqual(asked.requests.count, 1)
  }

  func testTokenThatCannotBeSentIsMalformed() async throws {
    for token in ["", " \n", "two words", "line\nbreak", "é", String(repeating: "x", count: 4097)] {
      let (provider, transport) = alibaba { $0.path == "/latest/api/token" ? .text(token) : .status(404) }
      let error = await failure(of: provider)
      XCTAssertEqual(error?.code, .malformedResponse)
      XCTAssertEqual(transport.requests.count, 1)
    }
  }

  func testConfiguredRoleIsNotRequested() async throws {
    let (provider, transport) = alibaba(role: "my-role") { Self.alibabaAnswer(to: $0.path) }
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.map(\.path), ["/latest/api/token", alibabaPath + "my-role"])

    let (unknown, _) = alibaba(role: "other") { Self.alibabaAnswer(to: $0.path) }
    let error = await failure(of: unknown)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.message.contains("other"), true)
  }

  func testRoleThatWouldLeaveThePathIsRejected() async throws {
    for role in ["../../user-data", "a/b", "a?b", "a b", "", ".", "..", "<html>", String(repeating: "r", count: 129)] {
      let (given, transport) = alibaba(role: role) { Self.alibabaAnswer(to: $0.path) }
      let error = await failure(of: given, role)
      XCTAssertEqual(error?.code, .malformedResponse, role)
      XCTAssertEqual(transport.requests.count, 1, role)
      guard !role.isEmpty else { continue }
      let (discovered, _) = tencent { _ in .text(role) }
      let second = await failure(of: discovered, role)
      XCTAssertEqual(second?.code, .malformedResponse, role)
    }
  }

  func testInstanceWithoutARoleIsNotConfigured() async throws {
    for list in [HTTPStreamingResponse.status(404), .text(""), .text("\n \n")] {
      let (first, _) = alibaba { $0.path == "/latest/api/token" ? .text("token") : list }
      let (second, _) = tencent { _ in list }
      for provider in [first, second] as [any CredentialProvider<AccessKey>] {
        let error = await failure(of: provider)
        XCTAssertEqual(error?.code, .notConfigured)
        XCTAssertEqual(error?.message, "The instance has no role.")
      }
    }
  }

  func testMachineThatIsNotAnInstanceIsNotConfigured() async throws {
    for code in [TransportError.Code.connectionFailed, .connectionLost, .timeout] {
      let script: ScriptedTransport.Script = { _ throws(TransportError) in
        throw TransportError(code, "No route.", remedy: "None.")
      }
      for provider in [alibaba(script).0, tencent(script).0] as [any CredentialProvider<AccessKey>] {
        let error = await failure(of: provider)
        XCTAssertEqual(error?.code, .notConfigured)
        XCTAssertEqual(error?.message.contains("No route."), true)
      }
    }
  }

  // matrix: Instance metadata: time limit
  func testUnresponsiveAddressIsNotConfiguredAfterASecond() async throws {
    for service in [RemoteService.alibabaMetadata, .tencentMetadata] {
      let time = ManualClock(now: RemoteService.now)
      let transport = ScriptedTransport([])
      transport.hold()
      let provider = service.provider(transport, time)
      async let failed = failure(of: provider)
      await transport.wait(forRequests: 1)
      await time.wait(forSleeps: 1)
      time.advance(by: .seconds(1))
      let error = await failed
      XCTAssertEqual(error?.code, .notConfigured)
      XCTAssertEqual(transport.requests.count, 1)
    }
  }

  func testInterruptedResponseIsAFailure() async throws {
    for service in [RemoteService.alibabaMetadata, .tencentMetadata, .amazonMetadata] {
      let reply = HTTPStreamingResponse.text("some text").cut(afterBytes: 3)
      let provider = service.provider(ScriptedTransport([reply]), time)
      let error = await failure(of: provider)
      XCTAssertEqual(error?.code, .failed)
      XCTAssertEqual(error?.isRetryable, true)
    }
  }

  func testServiceThatRespondedBeforeFailsWhenUnreachable() async throws {
    let isDown = Lock(false)
    let (provider, _) = alibaba { request throws(TransportError) in
      if isDown.withLock({ $0 }) { throw TransportError(.connectionFailed, "No route.", remedy: "None.") }
      return Self.alibabaAnswer(to: request.path)
    }
    _ = try await provider.credential()
    isDown.withLock { $0 = true }
    let error = await failure(of: provider)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.isRetryable, true)
  }

  // matrix: Instance metadata: refusal
  func testErrorIsReportedWithItsCode() async throws {
    for service in [RemoteService.alibabaMetadata, .tencentMetadata, .amazonMetadata] {
      let body = try service.answer(with: "InternalError", at: ["Code"])
      let error = await failure(of: service.answering(.json(body)))
      XCTAssertEqual(error?.code, .failed)
      XCTAssertEqual(error?.message.contains("InternalError"), true)
      let without = try service.answer(with: nil, at: ["Code"])
      let second = await failure(of: service.answering(.json(without)))
      XCTAssertEqual(second?.code, .malformedResponse)
      XCTAssertEqual(second?.message.contains("Code"), true)
    }
  }

  func testTencentPathsWithAndWithoutLatestAreRequested() async throws {
    let (provider, transport) = tencent { request in
      switch request.path {
      case "/meta-data/cam/security-credentials/": .text("first\nsecond\n")
      case "/meta-data/cam/security-credentials/first": .json(RemoteService.tencentMetadata.answer)
      default: .status(404)
      }
    }
    _ = try await provider.credential()
    XCTAssertEqual(
      transport.requests.map(\.url),
      [
        "/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/",
        "/meta-data/cam/security-credentials/first",
      ].map { "http://metadata.tencentyun.com" + $0 })

    let (given, asked) = tencent(role: "mine") { _ in .status(404) }
    let error = await failure(of: given)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(asked.requests.count, 2)
  }

  func testTencentRoleThatIsListedWithoutKeyIsAnError() async throws {
    let (provider, _) = tencent { request in
      request.path == "/latest/meta-data/cam/security-credentials/" ? .text("mine") : .status(404)
    }
    let error = await failure(of: provider)
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.message.contains("mine"), true, "\(String(describing: error))")
  }

  func testEndpointCanBeSetInCode() async throws {
    let transport = ScriptedTransport { Self.alibabaAnswer(to: $0.path) }
    let provider = AlibabaInstanceMetadataProvider(endpoint: "http://127.0.0.1:8080").bound(
      to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.first?.url, "http://127.0.0.1:8080/latest/api/token")
    let broken = AlibabaInstanceMetadataProvider(endpoint: "100.100.100.200").bound(
      to: ProviderContext(transport: transport, time: time))
    let error = await failure(of: broken)
    XCTAssertEqual(error?.code, .failed)
  }
}
