// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import XCTest

/// Tests that concurrent operations on the same keys, versions and documents lose none of them, before and after a restart.
final class ConcurrentVersionTests: CloudTestCase {
  private struct Entry: Equatable {
    let key: String
    let version: String
    let isMarker: Bool
    let isLatest: Bool
  }

  /// Performs operations concurrently, at most some of them at a time, and returns their results in their order.
  private func results<Result: Sendable>(
    _ count: Int, atOnce limit: Int = 40, _ perform: @escaping @Sendable (Int) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [Int: Result] = [:]
      for index in 0..<count {
        if index >= limit, let (done, result) = try await group.next() { results[done] = result }
        group.addTask { (index, try await perform(index)) }
      }
      for try await (done, result) in group { results[done] = result }
      return (0..<count).compactMap { results[$0] }
    }
  }

  private func enableVersions(_ client: TestClient) async throws {
    let body = Array("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>".utf8)
    let reply = try await client.send(.put, query: ["versioning": nil], body: body)
    XCTAssertEqual(reply.status, 200)
  }

  private func entries(_ client: TestClient) async throws -> [Entry] {
    let document = try await client.send(.get, query: ["versions": nil, "max-keys": "1000"]).document
    XCTAssertEqual(document["IsTruncated"]?.text, "false")
    return document.children.filter { ["Version", "DeleteMarker"].contains($0.name) }.map {
      Entry(
        key: $0["Key"]?.text ?? "", version: $0["VersionId"]?.text ?? "", isMarker: $0.name == "DeleteMarker",
        isLatest: $0["IsLatest"]?.text == "true")
    }
  }

  func testConcurrentWritesAndDeletionsOfVersionsAreAllListed() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    var kept: [LocalCloud.Provider: [Entry]] = [:]
    let keys = ["a", "b", "c"]
    try await withEachService(configuration) { client in
      try await enableVersions(client)
      // Every third operation adds a delete marker.
      let added = try await results(150) { index in
        let key = keys[index % keys.count]
        let isMarker = index / keys.count % 3 == 2
        let reply = try await client.send(
          isMarker ? .delete : .put, key, body: isMarker ? nil : Array("\(index)".utf8))
        XCTAssertTrue([200, 204].contains(reply.status), reply.text)
        return (key: key, version: reply.header("\(client.prefix)version-id") ?? "", isMarker: isMarker, index: index)
      }
      XCTAssertEqual(Set(added.map(\.version)).count, added.count, "Each operation has a version of its own.")
      // Some versions are deleted while others are read, tagged and added.
      let deleted = added.filter { $0.index % 7 == 0 }
      _ = try await results(added.count) { index in
        let (key, version, isMarker, number) = added[index]
        if number % 7 == 0 {
          let reply = try await client.send(.delete, key, query: ["versionId": version])
          XCTAssertEqual(reply.status, 204)
        } else if !isMarker {
          let reply = try await client.send(.get, key, query: ["versionId": version])
          XCTAssertEqual(reply.text, "\(number)")
          let tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>\(number)</Value></Tag></TagSet></Tagging>"
          let tagged = try await client.send(
            .put, key, query: ["tagging": nil, "versionId": version], body: Array(tags.utf8))
          XCTAssertEqual(tagged.status, 200, tagged.text)
        }
      }
      let listed = try await entries(client)
      XCTAssertEqual(listed.count, added.count - deleted.count)
      XCTAssertEqual(Set(listed.map(\.version)), Set(added.map(\.version)).subtracting(deleted.map(\.version)))
      XCTAssertEqual(listed.map(\.key), listed.map(\.key).sorted(), "The keys are in order.")
      for key in keys {
        let versions = listed.filter { $0.key == key }
        XCTAssertEqual(versions.map(\.isLatest), [true] + versions.dropFirst().map { _ in false }, "One is the latest.")
        // IDs ascend in the order in which versions are stored.
        XCTAssertEqual(versions.map(\.version), versions.map(\.version).sorted(by: >), "The newest one is the first.")
      }
      kept[client.provider] = listed
    }
    try await withEachService(configuration) { client in
      let listed = try await entries(client)
      XCTAssertEqual(listed, kept[client.provider], "A restart changes neither versions nor their order.")
    }
  }

  func testConcurrentOverwritesLeaveOneRecord() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    var kept: [LocalCloud.Provider: String] = [:]
    try await withEachService(configuration) { client in
      let statuses = try await results(200) { index in
        if index % 5 == 4 { return try await client.send(.delete, "a").status }
        return try await client.send(.put, "a", body: Array("\(index)".utf8)).status
      }
      XCTAssertEqual(Set(statuses), [200, 204])
      _ = try await client.send(.put, "b", body: [1])
      let reply = try await client.send(.get, "a")
      kept[client.provider] = reply.status == 200 ? reply.text : nil
    }
    for provider in LocalCloud.Provider.allCases {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: "\(root)/\(provider.rawValue)/buckets/\(Self.bucket)/objects")
      XCTAssertLessThanOrEqual(names.count, 2, "Each object has one record.")
    }
    try await withEachService(configuration) { client in
      let reply = try await client.send(.get, "a")
      XCTAssertEqual(reply.status == 200 ? reply.text : nil, kept[client.provider])
    }
  }

  func testOneOfManyConcurrentCreationsAndAppendsSucceeds() async throws {
    try await withEachService { client in
      let headers = client.provider == .s3 ? ["If-None-Match": "*"] : ["\(client.prefix)forbid-overwrite": "true"]
      let replies = try await results(60) { index in
        try await client.send(.put, "created", headers: headers, body: Array("\(index)".utf8)).status
      }
      XCTAssertEqual(replies.filter { $0 == 200 }.count, 1)
      let text = try await client.send(.get, "created").text
      XCTAssertEqual(text, replies.firstIndex(of: 200).map { "\($0)" })
      guard client.provider != .s3 else { return }
      let appended = try await results(60) { index in
        try await client.send(.post, "appended", query: ["append": nil, "position": "0"], body: [UInt8(index)]).status
      }
      XCTAssertEqual(appended.filter { $0 == 200 }.count, 1)
      let bytes = try await client.send(.get, "appended").body
      XCTAssertEqual(bytes, appended.firstIndex(of: 200).map { [UInt8($0)] })
    }
  }

  func testConcurrentDocumentsOfABucketAreAllStored() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    let documents = [
      "website": "<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument>"
        + "</WebsiteConfiguration>",
      "tagging": "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>",
      "lifecycle": "<LifecycleConfiguration><Rule><ID>a</ID><Prefix>x</Prefix><Status>Enabled</Status></Rule>"
        + "</LifecycleConfiguration>",
      "versioning": "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    ]
    let names = documents.keys.sorted()
    func stored(_ client: TestClient) async throws -> [String] {
      try await results(names.count) { index in try await client.send(.get, query: [names[index]: nil]).text }
    }
    try await withEachService(configuration) { client in
      let statuses = try await results(40) { index in
        let name = names[index % names.count]
        return try await client.send(.put, query: [name: nil], body: documents[name].map { Array($0.utf8) }).status
      }
      XCTAssertEqual(Set(statuses), [200])
      let found = try await stored(client)
      XCTAssertEqual(found, names.compactMap { documents[$0] })
    }
    try await withEachService(configuration) { client in
      let found = try await stored(client)
      XCTAssertEqual(found, names.compactMap { documents[$0] }, "A restart keeps each document.")
    }
  }

  func testBucketWhoseDeletionWasInterruptedIsNewWhenItIsCreatedAgain() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    let name = "archive-1250000000"
    let creation = Array(
      "<CreateBucketConfiguration><LocationConstraint>us-east-1</LocationConstraint></CreateBucketConfiguration>".utf8)
    func create(_ client: TestClient) async throws {
      let reply = try await client.send(.put, bucket: name, body: client.provider == .s3 ? creation : nil)
      XCTAssertEqual(reply.status, 200, reply.text)
    }
    try await withEachService(configuration) { client in
      try await create(client)
      let reply = try await client.send(.put, "a", bucket: name, body: [1])
      XCTAssertEqual(reply.status, 200)
    }
    // The record of the bucket is removed first; earlier versions could remove the folder of objects before it.
    for (provider, file) in [(LocalCloud.Provider.oss, "bucket.json"), (.cos, "objects"), (.s3, "bucket.json")] {
      try FileManager.default.removeItem(atPath: "\(root)/\(provider.rawValue)/buckets/\(name)/\(file)")
    }
    try await withEachService(configuration) { client in
      let missing = try await client.send(.head, bucket: name)
      XCTAssertEqual(missing.status, 404)
      try await create(client)
    }
    try await withEachService(configuration) { client in
      let object = try await client.send(.get, "a", bucket: name)
      XCTAssertEqual(object.status, 404, "The new bucket has no object of the deleted one.")
    }
  }

  func testStartDoesNotWriteTheRecordOfAnExistingBucket() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    func records() throws -> [UInt64] {
      try LocalCloud.Provider.allCases.map { provider in
        let path = "\(root)/\(provider.rawValue)/buckets/\(Self.bucket)/bucket.json"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try XCTUnwrap(attributes[.systemFileNumber] as? UInt64)
      }
    }
    try await withEachService(configuration, of: []) { _ in }
    let before = try records()
    try await withEachService(configuration, of: []) { _ in }
    XCTAssertEqual(try records(), before, "A server starts on a full disk.")
  }

  func testStartRemovesTheRecordThatAnEndedServerWasWriting() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    try await withEachService(configuration, of: []) { _ in }
    let folder = "\(root)/oss/buckets/\(Self.bucket)"
    // Foundation writes a file of such a name, and renames it when it is complete.
    XCTAssertTrue(FileManager.default.createFile(atPath: "\(folder)/.dat.nosync1a2b.c3", contents: Data([0x7B])))
    try await withEachService(configuration, of: []) { _ in }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    XCTAssertEqual(names, ["bucket.json", "objects"])
  }
}
