import HTTPTypes
import StorageAuth
import StorageClient
import XCTest

/// A client without a key, a server that signs, and a cloud that verifies.
final class RemoteClientTests: XCTestCase {
  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  // matrix: COS V5: remote signing
  func testEveryOperationWorksWithoutAKey() async throws {
    for key in [SigningBench.key, SigningBench.temporary] {
      let bench = try await SigningBench(self, key: key)
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
        if name != "OSS V1" {
          var keys: [String] = []
          for try await object in store.list(prefix: "alice/") { keys.append(object.name) }
          XCTAssertEqual(keys.count, 3, name)
        }
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
}
