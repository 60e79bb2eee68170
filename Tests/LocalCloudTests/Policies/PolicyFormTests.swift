// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that a form signed with a temporary key is limited by the key's policy, whatever the form's own policy allows.
final class PolicyFormTests: PolicyTestCase {
  private func post(_ client: TestClient, _ keys: ObjectScope, upTo size: Int64? = nil) async throws -> Int {
    let policy = client.policy {
      $0.objects = keys
      if let size { $0.sizes = 0...size }
    }
    return try await client.post(FormBody(client.form(client.formSigners[0], policy), file: [1])).status
  }

  func testFormOfAScopedKeyIsLimitedToItsScope() async throws {
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

  func testFormOfAReadOnlyKeyIsRejected() async throws {
    try await withEachScope(AccessPolicy([PolicyIntent.rule(.read, .list)])) { scoped, _ in
      let refused = try await post(scoped, .key("uploads/alice/cat.png"))
      XCTAssertEqual(refused, 403)
    }
  }

  func testFieldsInAnyLetterCaseCannotMakeTheObjectPublic() async throws {
    let policy = #"""
      {"version":"2.0","statement":[{"effect":"allow","action":["name/cos:*"],"resource":["*"]},
      {"effect":"deny","action":["name/cos:PostObject"],"resource":["*"],
      "condition":{"string_equal":{"cos:x-cos-acl":"public-read"}}},
      {"effect":"deny","action":["name/cos:PostObject"],"resource":["*"],
      "condition":{"string_equal":{"cos:x-cos-storage-class":"ARCHIVE"}}}]}
      """#
    try await withServices { services in
      let scoped = try await client(of: .cos, services, policy: policy)
      let keys = scoped.policy { $0.objects = .prefix("forms/") }
      for (index, (name, value, status)) in [
        ("x-cos-meta-a", "1", 204), ("acl", "public-read", 403), ("ACL", "public-read", 403),
        ("x-cos-acl", "public-read", 204), ("X-COS-ACL", "public-read", 204),
        ("x-cos-storage-class", "ARCHIVE", 403),
      ].enumerated() {
        let form = try scoped.form(scoped.formSigners[0], keys)
        var body = FormBody(form, adding: [FormField(name, value)], file: [1])
        body.fileName = "\(index)"
        let reply = try await scoped.post(body)
        XCTAssertEqual(reply.status, status, "\(name): \(reply.text)")
        let everybody = try await scoped.send(scoped.request(.get, "forms/\(index)"))
        XCTAssertNotEqual(everybody.status, 200, "\(name) made the object public")
      }
    }
  }

  func testFormCannotExceedThePolicysSize() async throws {
    let policy = AccessPolicy([PolicyIntent.rule(.write, upTo: 100)])
    try await withEachScope(policy, of: [.cos]) { scoped, _ in
      for (size, status) in [(100, 204), (101, 403), (nil, 403)] as [(Int64?, Int)] {
        let answered = try await post(scoped, .key("uploads/alice/cat.png"), upTo: size)
        XCTAssertEqual(answered, status, "\(String(describing: size))")
      }
    }
  }
}
