// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests buckets with versions: what writes, reads, deletions, copies and listings do, and that a restart keeps it all.
final class VersioningTests: CloudTestCase {
  /// An entry in a listing of versions: a key, the bytes of a version or `nil` for a delete marker, whether it is latest.
  private struct Entry: Equatable, CustomStringConvertible {
    let key: String
    let isMarker: Bool
    let isLatest: Bool
    let version: String

    var description: String { "\(key) \(isMarker ? "marker" : "version") \(isLatest ? "latest" : "older") \(version)" }
  }

  private func set(_ status: String, _ client: TestClient) async throws {
    let body = Array("<VersioningConfiguration><Status>\(status)</Status></VersioningConfiguration>".utf8)
    let reply = try await client.send(.put, query: ["versioning": nil], body: body)
    XCTAssertEqual(reply.status, 200, reply.text)
  }

  private func version(_ reply: Reply, _ client: TestClient) -> String? { reply.header("\(client.prefix)version-id") }

  private func put(_ key: String, _ text: String, _ client: TestClient) async throws -> String {
    let reply = try await client.send(.put, key, body: Array(text.utf8))
    XCTAssertEqual(reply.status, 200, reply.text)
    return version(reply, client) ?? "null"
  }

  private func get(_ key: String, _ client: TestClient, _ version: String? = nil) async throws -> Reply {
    guard let version else { return try await client.send(.get, key) }
    return try await client.send(.get, key, query: ["versionId": version])
  }

  private func entries(
    _ client: TestClient, _ query: KeyValuePairs<String, String?> = ["versions": nil]
  ) async throws -> [Entry] {
    try await client.send(.get, query: query).document.children.compactMap { node in
      guard node.name == "Version" || node.name == "DeleteMarker" else { return nil }
      return Entry(
        key: node["Key"]?.text ?? "", isMarker: node.name == "DeleteMarker", isLatest: node["IsLatest"]?.text == "true",
        version: node["VersionId"]?.text ?? "")
    }
  }

  func testStateIsReturned() async throws {
    try await withEachService { client in
      func state() async throws -> String? {
        try await client.send(.get, query: ["versioning": nil]).document["Status"]?.text
      }
      let never = try await state()
      XCTAssertNil(never)
      for status in ["Enabled", "Suspended", "Enabled"] {
        try await set(status, client)
        let now = try await state()
        XCTAssertEqual(now, status)
      }
      for wrong in ["<Status>On</Status>", "<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>"] {
        let body = Array("<VersioningConfiguration>\(wrong)</VersioningConfiguration>".utf8)
        let reply = try await client.send(.put, query: ["versioning": nil], body: body)
        XCTAssertEqual(reply.status, wrong.contains("Mfa") ? 501 : 400)
      }
    }
  }

  func testEveryVersionIsReadAndTheLatestIsListedFirst() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    var ids: [LocalCloud.Provider: [String]] = [:]
    try await withEachService(configuration) { client in
      let plain = try await client.send(.put, "a", body: Array("0".utf8))
      XCTAssertNil(version(plain, client), "A bucket without versions names none.")
      try await set("Enabled", client)
      // The clock of the test stands still: the order of versions cannot come from their times.
      ids[client.provider] = [
        "null", try await put("a", "1", client), try await put("a", "2", client), try await put("a", "3", client),
      ]
      XCTAssertEqual(Set(ids[client.provider] ?? []).count, 4)
    }
    try await withEachService(configuration) { client in
      let versions = try XCTUnwrap(ids[client.provider])
      for (index, id) in versions.enumerated() {
        let reply = try await get("a", client, id)
        XCTAssertEqual(reply.text, "\(index)", "\(client.provider)")
        XCTAssertEqual(version(reply, client), id)
      }
      let current = try await get("a", client)
      XCTAssertEqual(current.text, "3")
      XCTAssertEqual(version(current, client), versions[3])
      let listed = try await entries(client)
      XCTAssertEqual(
        listed,
        versions.reversed().enumerated().map {
          Entry(key: "a", isMarker: false, isLatest: $0.offset == 0, version: $0.element)
        })
      let objects = try await client.send(.get).document.all("Contents")
      XCTAssertEqual(objects.count, 1, "An object listing has only current versions.")
      let missing = try await get("a", client, "0123456789abcdef0123456789abcdef")
      XCTAssertEqual(missing.status, 404)
      XCTAssertEqual(try missing.errorCode, "NoSuchVersion")
    }
  }

  func testDeleteMarkerHidesAnObjectUntilItIsDeleted() async throws {
    try await withEachService { client in
      try await set("Enabled", client)
      let first = try await put("a", "1", client)
      let second = try await put("a", "2", client)
      let deleted = try await client.send(.delete, "a")
      XCTAssertEqual(deleted.status, 204)
      XCTAssertEqual(deleted.header("\(client.prefix)delete-marker"), "true")
      let marker = try XCTUnwrap(version(deleted, client))
      let hidden = try await get("a", client)
      XCTAssertEqual(hidden.status, 404)
      XCTAssertEqual(try hidden.errorCode, "NoSuchKey")
      XCTAssertEqual(hidden.header("\(client.prefix)delete-marker"), "true")
      XCTAssertEqual(version(hidden, client), marker)
      let asked = try await get("a", client, marker)
      XCTAssertEqual(asked.status, 405)
      let old = try await get("a", client, first)
      XCTAssertEqual(old.text, "1")
      let full = try await client.send(.delete)
      XCTAssertEqual(try full.errorCode, "BucketNotEmpty")
      let listed = try await entries(client)
      XCTAssertEqual(listed.map(\.isMarker), [true, false, false])
      XCTAssertEqual(listed.map(\.isLatest), [true, false, false])
      let restored = try await client.send(.delete, "a", query: ["versionId": marker])
      XCTAssertEqual(restored.header("\(client.prefix)delete-marker"), "true")
      let current = try await get("a", client)
      XCTAssertEqual(current.text, "2")
      let removed = try await client.send(.delete, "a", query: ["versionId": second])
      XCTAssertEqual(version(removed, client), second)
      XCTAssertNil(removed.header("\(client.prefix)delete-marker"))
      let before = try await get("a", client)
      XCTAssertEqual(before.text, "1", "The version before the deleted one is the current one.")
      _ = try await client.send(.delete, "a", query: ["versionId": first])
      let again = try await client.send(.delete, "a", query: ["versionId": first])
      XCTAssertEqual(again.status, 204)
      let empty = try await client.send(.delete)
      XCTAssertEqual(empty.status, 204, empty.text)
    }
  }

  func testSuspendedBucketReplacesOnlyTheVersionWithoutAnID() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    try await withEachService(configuration) { client in
      try await set("Enabled", client)
      let kept = try await put("a", "kept", client)
      try await set("Suspended", client)
      for text in ["1", "2"] {
        let reply = try await client.send(.put, "a", body: Array(text.utf8))
        XCTAssertEqual(version(reply, client), client.provider == .s3 ? nil : "null")
      }
      var listed = try await entries(client)
      XCTAssertEqual(listed.map(\.version), ["null", kept])
      let current = try await get("a", client)
      XCTAssertEqual(current.text, "2")
      XCTAssertEqual(version(current, client), "null")
      let deleted = try await client.send(.delete, "a")
      XCTAssertEqual(version(deleted, client), "null")
      listed = try await entries(client)
      XCTAssertEqual(listed.map(\.version), ["null", kept])
      XCTAssertEqual(listed.map(\.isMarker), [true, false])
      try await set("Enabled", client)
      _ = try await put("a", "3", client)
      listed = try await entries(client)
      XCTAssertEqual(listed.map(\.isMarker), [false, true, false])
    }
    // A key has three records now: two versions with content, and a marker.
    XCTAssertEqual(try contentFiles(below: root).count, 6)
    try await withEachService(configuration) { client in
      let listed = try await entries(client)
      XCTAssertEqual(listed.map(\.isMarker), [false, true, false])
      XCTAssertEqual(listed.map(\.isLatest), [true, false, false])
      let kept = try await get("a", client, listed[2].version)
      XCTAssertEqual(kept.text, "kept")
    }
  }

  func testManyDeletionsNameVersionsAndMarkers() async throws {
    try await withEachService { client in
      try await set("Enabled", client)
      let old = try await put("a", "1", client)
      _ = try await put("a", "2", client)
      _ = try await put("b", "1", client)
      let objects = "<Object><Key>a</Key><VersionId>\(old)</VersionId></Object><Object><Key>b</Key></Object>"
      let body = Array("<Delete>\(objects)</Delete>".utf8)
      let reply = try await client.send(
        .post, query: ["delete": nil], headers: ["Content-MD5": MD5.hash(body).base64], body: body)
      let deleted = try reply.document.all("Deleted")
      XCTAssertEqual(deleted.map { $0["VersionId"]?.text }, [old, nil], reply.text)
      XCTAssertEqual(deleted.map { $0["DeleteMarker"]?.text }, [nil, "true"])
      let listed = try await entries(client)
      XCTAssertEqual(listed.map(\.key), ["a", "b", "b"])
      XCTAssertEqual(listed[1].version, deleted[1]["DeleteMarkerVersionId"]?.text)
    }
  }

  func testVersionsAreListedInPagesAndGroups() async throws {
    try await withEachService { client in
      try await set("Enabled", client)
      for key in ["a", "b/1", "b/2", "c"] {
        for text in ["1", "2", "3"] { _ = try await put(key, text, client) }
      }
      let all = try await entries(client)
      XCTAssertEqual(all.map(\.key), ["a", "b/1", "b/2", "c"].flatMap { [$0, $0, $0] })
      for limit in [1, 2, 5, 11, 12] {
        var seen: [Entry] = []
        var markers: (String, String) = ("", "")
        for _ in 0...12 {
          var query: [(String, String?)] = [("versions", nil), ("max-keys", "\(limit)")]
          if !markers.0.isEmpty { query += [("key-marker", markers.0), ("version-id-marker", markers.1)] }
          let page = try await list(client, query)
          seen += page.entries
          guard let next = page.next else { break }
          markers = next
        }
        XCTAssertEqual(seen, all, "\(client.provider) \(limit)")
      }
      // A client that deletes what a page lists continues after a version that no longer exists.
      let first = try await list(client, [("versions", nil), ("max-keys", "1"), ("prefix", "c")])
      let marker = try XCTUnwrap(first.next)
      _ = try await client.send(.delete, "c", query: ["versionId": marker.1])
      let rest = try await list(
        client, [("versions", nil), ("prefix", "c"), ("key-marker", "c"), ("version-id-marker", marker.1)])
      XCTAssertEqual(rest.entries.map(\.version), all.suffix(2).map(\.version))
      _ = try await put("c", "4", client)
      let grouped = try await client.send(.get, query: ["versions": nil, "delimiter": "/"]).document
      XCTAssertEqual(grouped.all("CommonPrefixes").map { $0["Prefix"]?.text }, ["b/"])
      XCTAssertEqual(grouped.all("Version").map { $0["Key"]?.text }, ["a", "a", "a", "c", "c", "c"])
      let some = try await entries(client, ["versions": nil, "prefix": "b/2"])
      XCTAssertEqual(some.map(\.key), ["b/2", "b/2", "b/2"])
      let alone = try await client.send(.get, query: ["versions": nil, "version-id-marker": all[0].version])
      XCTAssertEqual(alone.status, 400, "A version marker needs a key marker.")
    }
  }

  private func list(
    _ client: TestClient, _ query: [(String, String?)]
  ) async throws -> (entries: [Entry], next: (String, String)?) {
    var request = try client.request(.get)
    let text = query.map { name, value in value.map { "\(name)=\($0.percentEncoded())" } ?? name }
    request.path = "\(request.path ?? "")?\(text.joined(separator: "&"))"
    let document = try await client.send(client.signed(request)).document
    let entries = document.all("Version").map {
      Entry(
        key: $0["Key"]?.text ?? "", isMarker: false, isLatest: $0["IsLatest"]?.text == "true",
        version: $0["VersionId"]?.text ?? "")
    }
    guard document["IsTruncated"]?.text == "true" else { return (entries, nil) }
    return (entries, (document["NextKeyMarker"]?.text ?? "", document["NextVersionIdMarker"]?.text ?? ""))
  }

  func testVersionIsCopiedDescribedAndTagged() async throws {
    try await withEachService { client in
      try await set("Enabled", client)
      let old = try await put("a", "old", client)
      _ = try await put("a", "new", client)
      let copy = try await client.send(
        .put, "a", headers: ["\(client.prefix)copy-source": "\(client.copySource("a"))?versionId=\(old)"])
      XCTAssertEqual(copy.status, 200, copy.text)
      XCTAssertEqual(copy.header("\(client.prefix)copy-source-version-id"), old)
      let restored = try await get("a", client)
      XCTAssertEqual(restored.text, "old")
      XCTAssertEqual(version(copy, client), version(restored, client))
      let count = try await entries(client).count
      XCTAssertEqual(count, 3)
      let tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
      let tagged = try await client.send(.put, "a", query: ["tagging": nil, "versionId": old], body: Array(tags.utf8))
      XCTAssertEqual(tagged.status, 200, tagged.text)
      let first = try await client.send(.get, "a", query: ["tagging": nil, "versionId": old])
      XCTAssertEqual(try first.document["TagSet"]?.all("Tag").count, 1)
      let current = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try current.document["TagSet"]?.all("Tag").count, 0)
      let after = try await entries(client).map(\.isLatest)
      XCTAssertEqual(after, [true, false, false], "A changed tag is no new version.")
    }
  }

  func testForbiddenOverwritingIsIgnoredWithVersions() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let headers = ["\(client.prefix)forbid-overwrite": "true"]
      _ = try await client.send(.put, "a", body: [1])
      let refused = try await client.send(.put, "a", headers: headers, body: [2])
      XCTAssertEqual(try refused.errorCode, "FileAlreadyExists")
      for status in ["Enabled", "Suspended"] {
        try await set(status, client)
        let ignored = try await client.send(.put, "a", headers: headers, body: [3])
        XCTAssertEqual(ignored.status, 200, "\(client.provider) \(status)")
      }
    }
  }

  func testConditionOfAWriteIsAboutTheCurrentVersion() async throws {
    try await withEachService(of: [.s3]) { client in
      try await set("Enabled", client)
      _ = try await put("a", "1", client)
      let there = try await client.send(.put, "a", headers: ["If-None-Match": "*"], body: [2])
      XCTAssertEqual(there.status, 412)
      _ = try await client.send(.delete, "a")
      let hidden = try await client.send(.put, "a", headers: ["If-None-Match": "*"], body: [2])
      XCTAssertEqual(hidden.status, 200, "A delete marker is no object.")
    }
  }

  func testUnsignedReadOfAVersionNeedsItsAccess() async throws {
    try await withEachService { client in
      try await set("Enabled", client)
      let header = client.provider == .oss ? "x-oss-object-acl" : "\(client.prefix)acl"
      let secret = try await client.send(.put, "a", headers: [header: "private"], body: [1])
      let open = try await client.send(.put, "a", headers: [header: "public-read"], body: [2])
      for (reply, status) in [(secret, 403), (open, 200)] {
        let id = version(reply, client) ?? ""
        let get = try await client.send(client.request(.get, "a", query: ["versionId": id]))
        XCTAssertEqual(get.status, status, "\(client.provider)")
      }
    }
  }

  func testFolderOfAnEarlierServerIsRead() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    try await withEachService(configuration) { client in
      _ = try await put("a", "old", client)
    }
    // The records as a server without versions wrote them.
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".json") {
      let url = URL(fileURLWithPath: "\(root)/\(path)")
      var record = try XCTUnwrap(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
      for name in ["kind", "version", "order", "partSizes", "settings"] { record[name] = nil }
      try JSONSerialization.data(withJSONObject: record).write(to: url)
    }
    try await withEachService(configuration) { client in
      try await set("Enabled", client)
      _ = try await put("a", "new", client)
    }
    try await withEachService(configuration) { client in
      let listed = try await entries(client)
      XCTAssertEqual(listed.map(\.isLatest), [true, false])
      XCTAssertEqual(listed.last?.version, "null")
      let old = try await get("a", client, "null")
      XCTAssertEqual(old.text, "old")
    }
  }

  func testVersionWithTwoRecordsOfAKilledServerKeepsTheNewer() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    let folder = "\(root)/s3/buckets/\(Self.bucket)/objects"
    func records() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") })
    }
    try await withEachService(configuration, of: [.s3]) { client in
      try await set("Enabled", client)
      _ = try await put("a", "1", client)
      try await set("Suspended", client)
      _ = try await put("a", "2", client)
    }
    let before = try records()
    XCTAssertEqual(before.count, 2)
    // The record that the next write replaces is put back, as if the server had been killed before it was removed.
    let kept = try before.map { ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
    try await withEachService(configuration, of: [.s3]) { client in
      _ = try await put("a", "3", client)
    }
    for (name, data) in kept { try data.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    XCTAssertEqual(try records().count, 3)
    try await withEachService(configuration, of: [.s3]) { client in
      let current = try await get("a", client)
      XCTAssertEqual(current.text, "3")
      let listed = try await entries(client)
      XCTAssertEqual(listed.count, 2)
    }
    XCTAssertEqual(try records().count, 2)
  }
}
