// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Errors of stores that instances share: their text, and the answers of a token service whose store is out of reach.
final class StoreErrorTests: XCTestCase {
  /// A rate store that is out of reach.
  private struct AbsentStore: RateStore {
    func take(_ caller: String, limit: RateLimit, at uptime: Duration) async throws(StoreError) -> Duration? {
      throw StoreError("The store does not answer.", remedy: "Start it.")
    }
  }

  func testHostileTextStaysOnOneLine() {
    let text = "a\u{1B}]0;owned\u{7}\r\nError: fake\u{2028}\u{7F}z"
    let description = "\(StoreError(text, remedy: text))"
    for scalar in description.unicodeScalars {
      XCTAssertFalse([.control, .lineSeparator].contains(scalar.properties.generalCategory), description)
    }
  }

  func testTokenServiceRefusesWhileItsRatesAreOutOfReach() async throws {
    let key = AccessKey(
      id: "STS.a", secret: "secret", sessionToken: "token", expiration: .now.advanced(by: .seconds(1800)))
    let provider = ScriptedProvider([.credential(key)])
    let service = TokenService(rates: AbsentStore()) { _ in provider }
    let scope = TokenScope("mia", AccessPolicy([AccessRule(.write, objects: .all, in: "photos")]))
    do {
      _ = try await service.key(for: KeyRequest(caller: "mia", scope: scope))
      XCTFail("a key was issued without a count")
    } catch {
      guard case .unavailable(let reason, let delay) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(reason.source, "rate store")
      XCTAssertEqual(delay, .seconds(1))
    }
    XCTAssertEqual(provider.calls, 0)
  }
}
