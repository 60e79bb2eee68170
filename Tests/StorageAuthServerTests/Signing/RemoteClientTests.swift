// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests a client without a key, with a server that signs and a cloud that verifies.
final class RemoteClientTests: XCTestCase {
  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  // matrix: COS V5: remote signing
  func testEveryOperationWorksWithoutAKey() async throws {
    for key in [SigningBench.key, SigningBench.temporary] {
      let lists = AccessRule(.list, objects: .all, in: SigningBench.bucket)
      let bench = try await SigningBench(
        self, key: key, policy: AccessPolicy(SigningBench.alice.rules + [lists]))
      for (name, store) in bench.stores() {
        let small = Array("hello".utf8)
        try await store.upload(small, to: name == "OSS V1" ? "alice/a b+é.txt" : "alice/a b+é?.txt")
        try await store.upload(small, to: "alice/two")
        let large = (0..<350_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await store.upload(large, to: "alice/large")
        let bytes = try await store.download("alice/large", upTo: 1 << 20)
        XCTAssertEqual(bytes, large, name)
        let info = try await store.head("alice/two")
        XCTAssertEqual(info.size, 5, name)
        var keys: [String] = []
        for try await object in store.list(prefix: "alice/") { keys.append(object.name) }
        XCTAssertTrue(Set(keys).isSuperset(of: ["alice/two", "alice/large"]), "\(name): \(keys)")
        try await store.delete("alice/two")
        do {
          _ = try await store.head("alice/two")
          XCTFail("\(name): the object is still there")
        } catch let error as ServiceError {
          XCTAssertEqual(error.status.code, 404, name)
        }
      }
    }
  }

  // matrix: OSS V4: remote signing
  func testPrefixListingIsSignedIfTheSignatureCoversThePrefix() async throws {
    let bench = try await SigningBench(self)
    for (name, store) in bench.stores() {
      try await store.upload([1], to: "alice/a")
      do {
        var keys: [String] = []
        for try await object in store.list(prefix: "alice/") { keys.append(object.name) }
        XCTAssertEqual(name, "OSS V4")
        XCTAssertEqual(keys, ["alice/a"])
      } catch let error as SigningError {
        XCTAssertNotEqual(name, "OSS V4", "\(error)")
        XCTAssertTrue(error.message.contains("notAllowed"), "\(name): \(error)")
      }
    }
  }

  // matrix: OSS V4: remote signing
  // matrix: COS V5: remote signing
  func testServerRestrictsSizesAndMediaTypesOfUploads() async throws {
    let rule = AccessRule(.write, objects: .prefix("alice/"), in: SigningBench.bucket, upTo: 5, types: ["text/*"])
    let bench = try await SigningBench(self, policy: AccessPolicy([rule]))
    func refused(_ name: String, _ reason: String, _ act: () async throws -> Void) async {
      do {
        try await act()
        XCTFail("\(name): signed, although it does not bind \(reason)")
      } catch let error as SigningError {
        XCTAssertTrue(error.message.contains("does not bind \(reason)"), "\(name): \(error)")
      } catch {
        XCTFail("\(name): \(error)")
      }
    }
    for (name, store) in bench.stores() {
      let text = UploadOptions(contentType: "text/plain")
      if name == "OSS V1" {
        await refused(name, "its size") { try await store.upload([1, 2, 3], to: "alice/a", options: text) }
        continue
      }
      try await store.upload([1, 2, 3, 4, 5], to: "alice/a", options: text)
      try await store.upload([UInt8](), to: "alice/empty", options: text)
      await refused(name, "its size") { try await store.upload([1, 2, 3, 4, 5, 6], to: "alice/a", options: text) }
      await refused(name, "it") {
        try await store.upload([1], to: "alice/a", options: UploadOptions(contentType: "image/png"))
      }
    }
  }

  // matrix: OSS V1: remote signing, skew
  // matrix: OSS V4: remote signing, skew
  // matrix: COS V5: remote signing, skew
  func testWrongClockIsCorrectedByTheSigningServer() async throws {
    for hours in [-2, 2] {
      let bench = try await SigningBench(self)
      let skew = ClockSkew()
      let time = WrongTime(offset: .seconds(3600 * hours))
      for (name, store) in bench.stores(clockSkew: skew, time: time) {
        try await store.upload([7], to: "alice/a")
        let bytes = try await store.download("alice/a", upTo: 10)
        XCTAssertEqual(bytes, [7], name)
      }
      for host in [bench.cloud.ossEndpoint.authority, bench.cloud.cosEndpoint.authority] {
        let offset = skew.offset(for: host)
        XCTAssertGreaterThan(offset, .seconds(-3600 * hours - 1800), host)
        XCTAssertLessThan(offset, .seconds(-3600 * hours + 1800), host)
      }
    }
  }

  func testRequestsThatAreSignedWhileTheClockIsCorrectedAreSignedAgain() async throws {
    let bench = try await SigningBench(self)
    for (name, store) in bench.stores(time: WrongTime(offset: .seconds(7200))) {
      // All requests are dated before the first response of the signing server.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 { group.addTask { try await store.upload([7], to: "alice/\(name)/\(number)") } }
        try await group.waitForAll()
      }
    }
  }
}

/// The clocks of this machine, with an offset of the wall clock.
private struct WrongTime: SigningClock {
  let offset: Duration

  var now: Timestamp { SystemTime.system.now.advanced(by: offset) }
  var uptime: Duration { SystemTime.system.uptime }

  func sleep(for duration: Duration) async throws { try await SystemTime.system.sleep(for: duration) }
}
