// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

/// Tests the masking and the shortening of a service's texts for error messages, and the name of a setting's source.
final class MessageFilterTests: XCTestCase {
  func testNoPartOfASecretIsShownAfterTextThatIsNotShown() {
    let secret = "verySecretValueOf32BytesInLength"
    let filter = MessageFilter(masking: [Secret(secret)])
    for blanks in 4_700...4_900 {
      let shown = filter.applied(to: String(repeating: " ", count: blanks) + secret)
      guard shown == Secret.mask else { return XCTFail("after \(blanks) blanks: \(shown)") }
    }
    let padded = String(repeating: "\u{1B}", count: 4_790) + secret + " refused"
    XCTAssertEqual(filter.applied(to: padded), "\(Secret.mask) refused")
  }

  func testLongTextIsShortened() {
    let shown = MessageFilter().applied(to: String(repeating: "a", count: 10_000))
    XCTAssertEqual(shown, String(repeating: "a", count: 300) + "…")
  }

  func testLifetimeOfAStoredCredentialIsPassedOnByASetting() async throws {
    struct Store: CredentialProvider {
      func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
        IssuedCredential(AccessKey(id: "id", secret: "secret"), source: "disk", lifetime: .seconds(3600))
      }
    }
    let location = SettingLocation(source: "profile", name: "The profile", remedy: "Correct it.")
    let issued = try await Store().issue(for: location, in: .local)
    XCTAssertEqual(issued.lifetime, .seconds(3600))
    XCTAssertEqual(issued.source, "profile: disk")
  }
}
