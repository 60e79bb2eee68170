// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import LocalCloud
import StorageClient
import StoragePrograms
import XCTest

/// Tests the client, the queue, the driver of ascp and the simulator as processes against LocalCloud's node.
final class AsperaEndToEndTests: XCTestCase {
  private static let keys = ["a", "a b+c%2F/猫.txt", "2026/11/20/cat.jpg", "-x", "~!*'();=&?#,[]@", "z.."]

  func testFilesOfEveryNameAreUploadedAndDownloaded() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let client = node.client(root: "/photos")
    let sorted = Self.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for key in Self.keys {
      let file = try directory.write(pattern(70_000) + Array(key.utf8), to: "source")
      try await client.upload(file, to: key)
      let info = try await client.head(key)
      XCTAssertEqual(info.size, Int64(70_000 + key.utf8.count))
      try await client.download(key, to: directory.path("copy"))
      XCTAssertEqual(try directory.read("copy"), pattern(70_000) + Array(key.utf8), key)
    }
    let listed = try await client.list().names
    XCTAssertEqual(listed, sorted)
    let folded = try await client.list(prefix: "2026/", delimiter: "/").names
    XCTAssertEqual(folded, ["2026/11/"])
    try await client.rename("a", to: "renamed")
    try await client.rename("renamed", to: "a")
    let size = try await client.head("a").size
    XCTAssertEqual(size, 70_001)
    await assertThrows(ServiceError.self, { try await client.rename("a", to: "z..") }) { _ in }
    let report = try await client.delete(Self.keys + ["never there"])
    XCTAssertEqual(report.failures, [])
    let rest = try await client.list().names
    XCTAssertEqual(rest, [])
    XCTAssertEqual(try directory.names, ["copy", "source"])
  }

  func testEveryStoreTransfersFilesWithTheSameCalls() async throws {
    let node = try await LocalNode(self)
    let cloud = try await Cloud(self)
    let stores: [any ObjectStore] = [cloud.oss(), cloud.cos(), node.client()]
    for store in stores {
      try await store.upload([1, 2, 3], to: "k/1")
      let bytes = try await store.download("k/1", upTo: 10)
      XCTAssertEqual(bytes, [1, 2, 3])
      let part = try await store.download("k/1", upTo: 10, options: DownloadOptions(range: .last(2)))
      XCTAssertEqual(part, [2, 3])
      let names = try await store.list(prefix: "k/").names
      XCTAssertEqual(names, ["k/1"])
      try await store.delete("k/1")
      await assertThrows(ServiceError.self, { _ = try await store.head("k/1") }) {
        XCTAssertEqual($0.kind, .noSuchKey)
      }
    }
  }

  func testExpiredTokenIsRenewedAndALostConnectionIsRetried() async throws {
    let node = try await LocalNode(self)
    node.cloud.faults.transfers = [.tokenExpired(.first(1))]
    try await node.client().upload(pattern(1000), to: "k")
    XCTAssertEqual(node.cloud.statistics.transfers.setups, 2)
    node.cloud.faults.transfers = [.failure(code: 16, .afterBytes(100_000), .first(1))]
    let bytes = pattern(300_000)
    try await node.client().upload(bytes, to: "k")
    node.cloud.faults.transfers = []
    let read = try await node.client().download("k", upTo: 1_000_000)
    XCTAssertEqual(read, bytes)
  }

  func testAccountWithoutANodeTransfersFiles() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1000), to: "cat.jpg")
    let engine = try AscpEngine(program: node.simulator)
    let transfers = AccountTransfers(try node.account(), engine: engine)
    try await transfers.upload(file, to: "2026/cat.jpg")
    try await transfers.download("2026/cat.jpg", to: directory.path("copy"))
    XCTAssertEqual(try directory.read("copy"), pattern(1000))
    let wrong = AccountTransfers(try node.account(password: Secret("wrong")), engine: engine)
    await assertThrows(TransferFailure.self, { try await wrong.upload(file, to: "2026/dog.jpg") }) {
      XCTAssertEqual($0.kind, .account)
    }
    XCTAssertEqual(try directory.names, ["cat.jpg", "copy"])
  }
}
