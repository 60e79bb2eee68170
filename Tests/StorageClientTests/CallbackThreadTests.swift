// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import COSAuth
import ClientTestSupport
import CredentialSources
import Foundation
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageClient
import XCTest

/// Tests that the app's functions are called on threads other than the main thread, as by the vendors' SDKs: each is
/// called for `@MainActor` code and records its thread.
final class CallbackThreadTests: XCTestCase {
  /// Records for each call whether it was on the main thread.
  private final class Witness: Sendable {
    private let calls = Lock<[Bool]>([])

    /// Records the current thread and returns `value`.
    func note<Value>(_ value: Value) -> Value {
      calls.withLock { $0.append(isOnMainThread()) }
      return value
    }

    var wasOnMainThread: [Bool] { calls.withLock { $0 } }
  }

  private struct Callback {
    let name: String
    /// Causes a call of the function from the main actor; the result is ignored.
    let call: @MainActor (Witness) async throws -> Void
  }

  private static let signature = SigningResponse(
    accessKeyID: "LTAItest", signature: String(repeating: "a", count: 64))
  private static let identity = Identity(id: "LTAItest")

  private static func client(_ signing: RemoteSigning) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), signing: signing, configuration: .test,
      transport: RecordingTransport { _ async throws(TransportError) in HTTPStreamingResponse(200) })
  }

  private static func signed() throws -> HTTPRequest {
    let request = HTTPRequest(
      method: .get, scheme: "https", authority: "photos.oss-cn-hangzhou.aliyuncs.com", path: "/cat.jpg")
    return try OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou").signed(
      request, with: key, in: SigningContext(date: Timestamp(unixSeconds: 1_700_000_000)))
  }

  private static let tokenRequest = TokenRequest(
    session: "s", specification: TransferSpec(.send, [TransferPath("/a")]), reason: .initial, attempt: 1)

  private static let callbacks: [Callback] = [
    Callback(name: "signing a URL") { witness in
      let client = client(.remote({ _ in witness.note(signature) }, as: identity))
      _ = try await client.presign(.get, "k", validFor: .seconds(60))
    },
    Callback(name: "signing a request") { witness in
      let client = client(.remote({ _ in witness.note(signature) }, as: identity))
      _ = try await client.head("k")
    },
    Callback(name: "signing an upload") { witness in
      let client = client(.remote({ _ in witness.note(signature) }, as: identity))
      _ = try await client.upload([1], to: "k")
    },
    Callback(name: "signing, blocking") { witness in
      let client = client(.remote(blocking: { _ in witness.note(signature) }, as: identity))
      _ = try await client.presign(.get, "k", validFor: .seconds(60))
      _ = try await client.head("k")
    },
    Callback(name: "the identity of a signer") { witness in
      let client = client(.remote({ _ in signature }, as: { witness.note(identity) }))
      _ = try await client.presign(.get, "k", validFor: .seconds(60))
    },
    Callback(name: "the login at a signing server") { witness in
      let transport = RecordingTransport { _ async throws(TransportError) in HTTPStreamingResponse(403) }
      let client = client(.remote("https://app.example.com/sign", transport: transport) { witness.note([:]) })
      _ = try await client.presign(.get, "k", validFor: .seconds(60))
    },
    Callback(name: "a cache over a function") { witness in
      _ = try await CredentialCache<AccessKey>(source: "app") { witness.note(key) }.credential()
    },
    Callback(name: "a cache over a function that blocks") { witness in
      _ = try await CredentialCache<AccessKey>(source: "app", blocking: { witness.note(key) }).credential()
    },
    Callback(name: "a provider over a function") { witness in
      _ = try await ClosureCredentialProvider<AccessKey>(source: "app") { witness.note(key) }.credential()
    },
    Callback(name: "a provider over a function that blocks") { witness in
      _ = try await BlockingCredentialProvider<AccessKey>(source: "app") { witness.note(key) }.credential()
    },
    Callback(name: "a token issuer") { witness in
      let issuer = ClosureTokenIssuer(source: "app") { _ in witness.note(nil) }
      _ = try await issuer.issue(for: tokenRequest, in: .local)
    },
    Callback(name: "a token issuer that blocks") { witness in
      let issuer = ClosureTokenIssuer(source: "app", blocking: { _ in witness.note(nil) })
      _ = try await issuer.issue(for: tokenRequest, in: .local)
    },
    Callback(name: "the request to an app server") { witness in
      let transport = RecordingTransport { _ async throws(TransportError) in HTTPStreamingResponse(403) }
      let provider = AppServerCredentialProvider() {
        witness.note(AppServerRequest("https://app.example.com/"))
      }.bound(to: ProviderContext(transport: transport))
      _ = try await provider.credential()
    },
    Callback(name: "an identity token for Alibaba Cloud") { witness in
      let provider = AlibabaOIDCProvider(
        roleARN: "acs:ram::1:role/r", providerARN: "acs:ram::1:oidc-provider/p"
      ) { () async throws(CredentialError) in witness.note(Secret("token")) }.bound(
        to: ProviderContext(
          transport: RecordingTransport { _ async throws(TransportError) in HTTPStreamingResponse(403) }))
      _ = try await provider.credential()
    },
    Callback(name: "an identity token for Tencent Cloud") { witness in
      let provider = TencentWebIdentityProvider(
        roleARN: "qcs::cam::uin/1:roleName/r", providerID: "p"
      ) { () async throws(CredentialError) in witness.note(Secret("token")) }.bound(
        to: ProviderContext(
          transport: RecordingTransport { _ async throws(TransportError) in HTTPStreamingResponse(403) }))
      _ = try await provider.credential()
    },
    Callback(name: "a page of a listing") { witness in
      let listing = ObjectListing { _ in witness.note(ListPage(entries: [], continuation: nil)) }
      for try await _ in listing {}
    },
    Callback(name: "the key of a request") { witness in
      _ = try await OSSVerifier(region: "cn-hangzhou").verify(try signed(), at: Timestamp(unixSeconds: 1_700_000_000)) {
        _ in witness.note(key)
      }
    },
  ]

  @MainActor
  func testNoCallbackRunsOnTheMainThread() async throws {
    XCTAssertTrue(isOnMainThread())
    for callback in Self.callbacks {
      let witness = Witness()
      // Validation that rejects the fabricated response runs after the function was called.
      try? await callback.call(witness)
      XCTAssertFalse(witness.wasOnMainThread.isEmpty, "\(callback.name) was not called")
      XCTAssertFalse(witness.wasOnMainThread.contains(true), "\(callback.name) ran on the main thread")
    }
  }

  /// Covers that a blocking function is not called concurrently: other callers wait for their turn.
  func testBlockingSigningFunctionIsCalledSerially() async throws {
    let state = Lock((running: 0, most: 0, calls: 0))
    let client = Self.client(
      .remote(
        blocking: { _ in
          state.withLock {
            $0.running += 1
            $0.most = max($0.most, $0.running)
            $0.calls += 1
          }
          defer { state.withLock { $0.running -= 1 } }
          return Self.signature
        }, as: Self.identity))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...20 { group.addTask { _ = try await client.presign(.get, "k", validFor: .seconds(60)) } }
      try await group.waitForAll()
    }
    XCTAssertEqual(state.withLock { $0.calls }, 20)
    XCTAssertEqual(state.withLock { $0.most }, 1)
  }
}

/// Returns whether this is the main thread; `Thread.isMainThread` itself is unavailable in asynchronous code.
private func isOnMainThread() -> Bool { Thread.isMainThread }
