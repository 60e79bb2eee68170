// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// The scripted credential provider for tests: scripts, held calls and cancellation.
final class ScriptedProviderTests: XCTestCase {
  private let keys = (1...2).map { AccessKey(id: "id\($0)", secret: "secret") }
  private let outage = CredentialError(.failed, source: "vault", "It is down.", remedy: "Wait.", isRetryable: true)

  func testResponsesComeInOrderAndTheLastRepeats() async throws {
    let issued = Timestamp(unixSeconds: 1_795_161_600)
    let provider = ScriptedProvider([
      .credential(keys[0], issuerTime: issued), .failure(outage), .credential(keys[1]),
    ])
    let first = try await provider.issue(in: .local)
    XCTAssertEqual(first.credential, keys[0])
    XCTAssertEqual(first.issuerTime, issued)
    let error = await credentialError { () throws(CredentialError) in try await provider.credential() }
    XCTAssertEqual(error, outage)
    for _ in 0..<2 {
      let key = try await provider.credential()
      XCTAssertEqual(key, keys[1])
    }
    XCTAssertEqual(provider.calls, 4)
  }

  func testEmptyScriptFailsEveryCall() async {
    let provider = ScriptedProvider<AccessKey>([], source: "empty script")
    let error = await credentialError { () throws(CredentialError) in try await provider.credential() }
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.source, "empty script")
  }

  func testHeldCallsAreCountedAndResumeOnRelease() async throws {
    let provider = ScriptedProvider { [keys] call throws(CredentialError) in IssuedCredential(keys[call - 1]) }
    provider.hold()
    let first = Task { try await provider.credential() }
    await provider.wait(forCalls: 1)
    let second = Task { try await provider.credential() }
    await provider.wait(forCalls: 2)
    while provider.held < 2 { await Task.yield() }
    provider.releaseOne()
    let firstKey = try await first.value
    XCTAssertEqual(firstKey, keys[0])
    XCTAssertEqual(provider.held, 1)
    provider.release()
    let secondKey = try await second.value
    XCTAssertEqual(secondKey, keys[1])
  }

  func testCancellingAHeldCallDoesNotAffectOthers() async throws {
    let provider = ScriptedProvider([.credential(keys[0])])
    provider.hold()
    let cancelled = Task { try await provider.credential() }
    let other = Task { try await provider.credential() }
    while provider.held < 2 { await Task.yield() }
    cancelled.cancel()
    let error = await cancelled.result.error as? CredentialError
    XCTAssertEqual(error?.code, .cancelled)
    XCTAssertEqual(provider.held, 1)
    provider.release()
    let key = try await other.value
    XCTAssertEqual(key, keys[0])
  }
}

extension Result {
  /// The error of a failure, or `nil` of a success.
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// Returns the error of a request for a credential.
func credentialError<Value: Sendable>(
  _ act: () async throws(CredentialError) -> Value
) async -> CredentialError? {
  do throws(CredentialError) {
    _ = try await act()
    return nil
  } catch {
    return error
  }
}
