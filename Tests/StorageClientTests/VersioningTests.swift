// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageClient
import XCTest

/// Tests the versioning state of buckets, and uploads that must not be ignored because of it.
final class VersioningTests: XCTestCase {
  private static let once = UploadOptions(forbidOverwrite: true, checksVersioning: true)

  /// A transport to a bucket with the given versioning configuration.
  private func service(_ document: String) -> RecordingTransport {
    RecordingTransport { request in
      guard request.method == .get else {
        return HTTPStreamingResponse(200, "<CopyObjectResult><ETag>\"a\"</ETag></CopyObjectResult>", ["ETag": "\"a\""])
      }
      return HTTPStreamingResponse(200, document)
    }
  }

  private func document(_ status: String?) -> String {
    "<VersioningConfiguration xmlns=\"http://doc.s3.amazonaws.com/2006-03-01\">"
      + (status.map { "<Status>\($0)</Status>" } ?? "") + "</VersioningConfiguration>"
  }

  // matrix: OSS V4: header
  // matrix: COS V5: header
  // matrix: S3 V4: header
  func testLocalCloudAnswersForABucketThatNeverHadVersioning() async throws {
    let cloud = try await Cloud(self)
    for state in [
      try await cloud.oss().bucketVersioning(), try await cloud.oss(.v1).bucketVersioning(),
      try await cloud.cos().bucketVersioning(), try await cloud.s3().bucketVersioning(),
    ] {
      XCTAssertEqual(state, .disabled)
    }
    await assertThrows(ServiceError.self) { _ = try await cloud.oss(bucket: "nothing-here").bucketVersioning() }
    for (name, store) in cloud.stores() {
      try await store.upload([1], to: "once-\(name)", options: Self.once)
      await assertThrows(ServiceError.self, { try await store.upload([1], to: "once-\(name)", options: Self.once) }) {
        XCTAssertEqual($0.kind, .alreadyExists, name)
      }
    }
  }

  func testStatesAreRead() async throws {
    let cloud = try await Cloud(self)
    for (status, state) in [
      (nil, .disabled), ("", .disabled), ("Enabled", .enabled), ("Suspended", .suspended),
    ] as [(String?, BucketVersioning)] {
      let found = try await cloud.oss(over: service(document(status))).bucketVersioning()
      XCTAssertEqual(found, state)
    }
    let long = document(String(repeating: "x", count: 10_000))
    for answer in [document("On"), long, "<html/>", "", "<ListBucketResult/>"] {
      await assertThrows(
        StorageError.self,
        {
          _ = try await cloud.oss(over: self.service(answer)).bucketVersioning()
        }
      ) {
        XCTAssertEqual($0.code, .malformedResponse, answer)
        XCTAssertLessThan($0.message.utf8.count, 300)
      }
    }
  }

  func testUploadThatTheServiceWouldReplaceIsRefused() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write([1], to: "a")
    for status in ["Enabled", "Suspended"] {
      for make in [
        { cloud.oss(over: $0) as any BucketStore }, { cloud.oss(.v1, over: $0) }, { cloud.cos(over: $0) },
      ] {
        let acts: [(any BucketStore) async throws -> Void] = [
          { try await $0.upload([1], to: "a", options: Self.once) },
          { try await $0.upload(file, to: "a", options: Self.once) },
          {
            try await $0.upload(
              file, to: "a", checkpoint: CheckpointFile<UploadCheckpoint>(file.removingLastComponent().appending("c")),
              options: Self.once, progress: nil)
          },
          {
            try await $0.copy(
              CopySource(key: "b"), to: "a", options: CopyOptions(forbidOverwrite: true, checksVersioning: true))
          },
          { try await $0.copy(CopySource(key: "b"), to: "a", options: CopyOptions(attributes: Self.once)) },
        ]
        for act in acts {
          let transport = service(document(status))
          await assertThrows(StorageError.self, { try await act(make(transport)) }) {
            XCTAssertEqual($0.code, .invalidOption)
            XCTAssertTrue($0.message.contains(status.lowercased()), $0.message)
          }
          XCTAssertEqual(transport.requests.map(\.method), [.get], "nothing is stored")
        }
      }
    }
  }

  func testOnlyServicesThatIgnoreTheHeaderAreAsked() async throws {
    let cloud = try await Cloud(self)
    let s3 = service(document("Enabled"))
    try await cloud.s3(over: s3).upload([1], to: "a", options: Self.once)
    XCTAssertEqual(s3.requests.map(\.method), [.put])
    XCTAssertEqual(s3.requests.first?.headers[.ifNoneMatch], "*")
    for options in [UploadOptions(forbidOverwrite: true), UploadOptions(checksVersioning: true)] {
      let oss = service(document("Enabled"))
      try await cloud.oss(over: oss).upload([1], to: "a", options: options)
      XCTAssertEqual(oss.requests.map(\.method), [.put])
    }
  }
}
