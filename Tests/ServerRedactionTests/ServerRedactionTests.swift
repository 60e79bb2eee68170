import StorageAuthTesting
import XCTest

/// Whatever is done to show an instance of a public type of the client and the servers, no secret and no token is seen.
///
/// The libraries for signing have the same tests in RedactionTests, which need no network.
final class ServerRedactionTests: XCTestCase {
  func testNoPublicTypeShowsASecretOrAToken() async throws {
    for (name, value) in try await Subjects.all() {
      XCTAssertEqual(typeName(of: value), name)
      for text in DisplayedTexts(of: value).all {
        XCTAssertFalse(text.contains(Subjects.mark), "\(name) shows \(text.prefix(2_000))")
      }
    }
  }

  func testNoTypeWithASecretCanBeEncoded() async throws {
    for (name, value) in try await Subjects.all() { XCTAssertFalse(value is any Encodable, name) }
  }

  private func typeName(of value: Any) -> String {
    String(String(reflecting: type(of: value)).prefix { $0 != "<" })
  }
}
