// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that each of the services' headers has its effect, is returned, or is rejected; none is ignored silently.
final class HeaderTests: CloudTestCase {
  private let text = Array("123456789".utf8)

  func testUnsupportedHeadersAreRejectedAndNoObjectIsStored() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "kept", body: text)
      let names: [String] =
        client.provider == .oss
        ? [
          "x-oss-callback", "x-oss-callback-var", "x-oss-symlink-target", "x-oss-persistent-headers",
          "x-oss-bypass-governance-retention", "x-oss-object-worm-mode", "x-oss-hash-ctx", "x-oss-acl",
          "x-oss-server-side-encryption-customer-key", "x-oss-new", "x-oss-website-redirect-location",
          "x-oss-access-point-name",
        ]
        : [
          "x-cos-callback", "x-cos-website-redirect-location",
          "x-cos-object-lock-mode", "x-cos-new", "Pic-Operations", "x-ci-process", "x-cos-object-acl",
        ]
      for name in names + ["If-Match", "If-None-Match", "Content-Range"] {
        let put = try await client.send(.put, "kept", headers: [name: "x"], body: [1])
        XCTAssertEqual(put.status, 501, "\(client.provider) \(name)")
        XCTAssertEqual(try put.errorCode, "NotImplemented")
        XCTAssertTrue(put.text.lowercased().contains(name.lowercased()), put.text)
      }
      let forbidden = try await client.send(.get, "kept", headers: ["\(client.prefix)storage-class": "IA"])
      XCTAssertEqual(forbidden.status, 501)
      let get = try await client.send(.get, "kept")
      XCTAssertEqual(get.body, text)
    }
  }

  func testStorageClassIsStoredAndReturned() async throws {
    try await withEachService { client in
      let name = client.provider == .oss ? "IA" : "STANDARD_IA"
      let header = "\(client.prefix)storage-class"
      _ = try await client.send(.put, "a", headers: [header: name], body: text)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header(header), name)
      let list = try await client.send(.get).document
      XCTAssertEqual(list["Contents"]?["StorageClass"]?.text, name)
      let copy = try await client.send(
        .put, "copy", headers: ["\(client.prefix)copy-source": client.copySource("a")])
      XCTAssertEqual(copy.status, 200, copy.text)
      let standard = try await client.send(.head, "copy")
      XCTAssertEqual(standard.header(header), client.provider == .oss ? "Standard" : nil)
      let unknown = try await client.send(.put, "b", headers: [header: "Cheap"], body: text)
      XCTAssertEqual(unknown.status, 400)
    }
  }

  func testArchivedObjectIsNotReadBeforeItIsRestored() async throws {
    try await withEachService { client in
      let name = client.provider == .oss ? "ColdArchive" : "DEEP_ARCHIVE"
      _ = try await client.send(.put, "a", headers: ["\(client.prefix)storage-class": name], body: text)
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.status, 403)
      XCTAssertEqual(try get.errorCode, "InvalidObjectState")
      let copy = try await client.send(
        .put, "copy", headers: ["\(client.prefix)copy-source": client.copySource("a")])
      XCTAssertEqual(try copy.errorCode, "InvalidObjectState")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.status, 200)
    }
  }

  func testTagsAreCountedAndCopied() async throws {
    try await withEachService { client in
      let tagging = "\(client.prefix)tagging"
      let count = "\(client.prefix)tagging-count"
      let source = ["\(client.prefix)copy-source": client.copySource("a")]
      _ = try await client.send(.put, "a", headers: [tagging: "a=1&b%20c=%E6%97%A5"], body: text)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header(count), "2")
      _ = try await client.send(.put, "same", headers: source)
      let same = try await client.send(.head, "same")
      XCTAssertEqual(same.header(count), "2")
      let directive = ["\(client.prefix)tagging-directive": client.provider == .oss ? "Replace" : "Replaced"]
      _ = try await client.send(
        .put, "other", headers: source.merging(directive) { $1 }.merging([tagging: "x="]) { $1 })
      let other = try await client.send(.head, "other")
      XCTAssertEqual(other.header(count), "1")
      for wrong in ["a=1&a=2", "=1", "%zz=1", (0..<11).map { "k\($0)=v" }.joined(separator: "&")] {
        let put = try await client.send(.put, "b", headers: [tagging: wrong], body: text)
        XCTAssertEqual(try put.errorCode, "InvalidTag", wrong)
      }
    }
  }

  func testServerSideEncryptionIsStoredAndReturned() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let name = "\(client.prefix)server-side-encryption"
      let keyID = client.provider == .oss ? "\(name)-key-id" : "\(name)-cos-kms-key-id"
      let kms = client.provider == .oss ? "KMS" : "cos/kms"
      let put = try await client.send(.put, "a", headers: [name: kms, keyID: "key-1"], body: text)
      XCTAssertEqual(put.header(name), kms)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header(name), kms)
      XCTAssertEqual(head.header(keyID), "key-1")
      for headers in [[name: "ROT13"], [keyID: "key-1"], [name: "AES256", keyID: "key-1"]] {
        let put = try await client.send(.put, "b", headers: headers, body: text)
        XCTAssertEqual(put.status, 400, "\(headers)")
      }
    }
  }

  func testTrafficLimitIsValidatedAndReturned() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let name = "\(client.prefix)traffic-limit"
      let put = try await client.send(.put, "a", headers: [name: "819200"], body: text)
      XCTAssertEqual(put.header(name), "819200")
      let get = try await client.send(.get, "a", query: [name: "819200"])
      XCTAssertEqual(get.header(name), "819200")
      for wrong in ["1", "x", "9223372036854775808", "838860801"] {
        let put = try await client.send(.put, "b", headers: [name: wrong], body: text)
        XCTAssertEqual(put.status, 400, wrong)
      }
    }
  }

  func testTrafficLimitSlowsBothDirectionsDown() async throws {
    let slept = Lock(Duration.zero)
    var configuration = configuration
    configuration.sleep = { duration in slept.withLock { $0 += duration } }
    let bytes = [UInt8](repeating: 7, count: 300_000)
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      let limit = ["\(client.prefix)traffic-limit": "819200"]
      // 819,200 bits are 102,400 bytes, for one second.
      let expected = 300_000.0 / 102_400
      func seconds(_ operation: () async throws -> Reply) async throws -> Double {
        slept.withLock { $0 = .zero }
        let reply = try await operation()
        XCTAssertEqual(reply.status, 200, reply.text)
        return slept.withLock { $0 / .seconds(1) }
      }
      let put = try await seconds { try await client.send(.put, "a", headers: limit, body: bytes) }
      XCTAssertEqual(put, expected, accuracy: 0.001)
      let get = try await seconds {
        let reply = try await client.send(.get, "a", headers: limit)
        XCTAssertEqual(reply.body, bytes)
        return reply
      }
      XCTAssertEqual(get, expected, accuracy: 0.001)
      let free = try await seconds { try await client.send(.get, "a") }
      XCTAssertEqual(free, 0)
      guard client.provider == .oss else { return }
      let text = [UInt8]((0..<3_000).flatMap { Array("line \($0)\n".utf8) })
      _ = try await client.send(.put, "text", headers: ["Content-Type": "text/plain"], body: text)
      let packed = try await seconds {
        try await client.send(.get, "text", headers: limit.merging(["Accept-Encoding": "gzip"]) { $1 })
      }
      XCTAssertGreaterThan(packed, 0)
    }
  }

  func testAttributesPersistAcrossRestarts() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration) { client in
      let name = client.provider == .oss ? "IA" : "STANDARD_IA"
      let headers = ["\(client.prefix)storage-class": name, "\(client.prefix)tagging": "a=1"]
      _ = try await client.send(.put, "a", headers: headers, body: text)
    }
    try await withEachService(configuration) { client in
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("\(client.prefix)storage-class"), client.provider == .oss ? "IA" : "STANDARD_IA")
      XCTAssertEqual(head.header("\(client.prefix)tagging-count"), "1")
    }
  }

  func testBucketConfigurationDocumentIsAppliedOrRejected() async throws {
    try await withEachService { client in
      func document(_ element: String, _ text: String) -> [UInt8] {
        XMLNode("CreateBucketConfiguration", children: [XMLNode(element, text)]).serialized()
      }
      let standard = client.provider == .oss ? "Standard" : "STANDARD"
      let made = try await client.send(.put, bucket: "new-1250000000", body: document("StorageClass", standard))
      XCTAssertEqual(made.status, 200, made.text)
      for (element, text, status) in [
        ("StorageClass", "Cheap", 400), ("DataRedundancyType", "XRS", 400), ("BucketAZConfig", "MAZ", 501),
      ] {
        let refused = try await client.send(.put, bucket: "other-1250000000", body: document(element, text))
        XCTAssertEqual(refused.status, status, element)
      }
      let head = try await client.send(.head, bucket: "other-1250000000")
      XCTAssertEqual(head.status, 404)
    }
  }
}
