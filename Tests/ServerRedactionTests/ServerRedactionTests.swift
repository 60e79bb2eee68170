// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

/// Redaction of secrets and tokens in every description of the client's and the servers' public types.
///
/// RedactionTests has the same tests for the libraries for signing, which need no network.
final class ServerRedactionTests: XCTestCase {
  func testDescriptionsOfPublicTypesMaskSecretsAndTokens() async throws {
    for (name, value) in try await Subjects.all() {
      XCTAssertEqual(typeName(of: value), name)
      for text in DisplayedTexts(of: value).all {
        XCTAssertFalse(text.contains(Subjects.mark), "\(name) shows \(text.prefix(2_000))")
      }
    }
  }

  func testTypesWithSecretsAreNotEncodable() async throws {
    for (name, value) in try await Subjects.all() { XCTAssertFalse(value is any Encodable, name) }
  }

  private func typeName(of value: Any) -> String {
    String(String(reflecting: type(of: value)).prefix { $0 != "<" })
  }
}
