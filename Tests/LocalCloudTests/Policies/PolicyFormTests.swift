internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// A temporary key signs forms for what its policy allows and for nothing else, whatever the form says.
final class PolicyFormTests: PolicyTestCase {
  private func post(_ client: TestClient, _ keys: ObjectScope, upTo size: Int64? = nil) async throws -> Int {
    let policy = client.policy {
      $0.keys = keys
      if let size { $0.sizes = 0...size }
    }
    return try await client.post(FormBody(client.form(client.formSigners[0], policy), file: [1])).status
  }

  func testAFormOfAScopedKeyStaysInItsScope() async throws {
    try await withEachScope(Self.alice) { scoped, owner in
      let inside = try await post(scoped, .key("uploads/alice/cat.png"))
      XCTAssertEqual(inside, 204)
      let outside = try await post(scoped, .key("uploads/bob/cat.png"))
      XCTAssertEqual(outside, 403)
      let other = try await owner.send(.head, "uploads/bob/cat.png")
      XCTAssertEqual(other.status, 404)
      let allowed = try await post(owner, .key("uploads/bob/cat.png"))
      XCTAssertEqual(allowed, 204)
    }
  }

  func testAFormOfAKeyThatMayOnlyReadIsRefused() async throws {
    try await withEachScope(AccessPolicy([PolicyIntent.rule(.read, .list)])) { scoped, _ in
      let refused = try await post(scoped, .key("uploads/alice/cat.png"))
      XCTAssertEqual(refused, 403)
    }
  }

  func testASizeOfThePolicyIsNotWidenedByTheForm() async throws {
    let policy = AccessPolicy([PolicyIntent.rule(.write, upTo: 100)])
    try await withEachScope(policy, of: [.cos]) { scoped, _ in
      for (size, status) in [(100, 204), (101, 403), (nil, 403)] as [(Int64?, Int)] {
        let answered = try await post(scoped, .key("uploads/alice/cat.png"), upTo: size)
        XCTAssertEqual(answered, status, "\(String(describing: size))")
      }
    }
  }
}
