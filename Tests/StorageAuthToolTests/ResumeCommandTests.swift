// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LocalCloud
import StorageClient
import StorageCrypto
import SystemPackage
import XCTest

/// Tests `storage-auth cp --resume` and `storage-auth uploads` against LocalCloud.
final class ResumeCommandTests: XCTestCase {
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()]
  private static let bytes = pattern(20_000_000)
  private static let location = "oss://\(Cloud.bucket)/2026/large.bin"

  private func run(_ arguments: [String], _ cloud: Cloud) async throws -> Programs.Outcome {
    let endpoint = "http://\(cloud.server.ossEndpoint.authority)"
    return try await Programs.storageAuth(arguments + ["--endpoint", endpoint], Self.variables)
  }

  /// Returns the place where the command keeps the checkpoint of a transfer, which later versions must find again.
  private func place<Checkpoint>(
    _ state: TemporaryDirectory, _ file: FilePath, _ direction: String, _ cloud: Cloud
  ) -> CheckpointFile<Checkpoint> {
    let server = cloud.server.ossEndpoint.authority.split(separator: ":").joined(separator: "%3A")
    let identity = "oss/http/\(server)/path/\(Cloud.bucket)/2026%2Flarge.bin\n\(file.string)"
    let name = SHA256.hash(Array(identity.utf8)).hex
    return CheckpointFile(state.path("\(name).\(direction)"))
  }

  // matrix: Resuming: resume command
  func testCommandContinuesAnUploadAndADownload() async throws {
    let cloud = try await Cloud(self)
    let (directory, state) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    let file = try directory.write(Self.bytes, to: "large.bin")
    let options = ["--resume", "--checkpoints", state.url.path]
    let upload: CheckpointFile<UploadCheckpoint> = place(state, file, "upload", cloud)
    let first = InterruptedTransport { $0.part == 2 ? .before : nil }
    await assertThrows(TransportError.self) {
      try await cloud.oss(configuration: .init(attempts: 1), over: first).upload(
        file, to: "2026/large.bin", checkpoint: upload)
    }
    XCTAssertEqual(try state.names.count, 1)
    let up = try await run(["cp", file.string, "oss://\(Cloud.bucket)/2026/"] + options, cloud)
    XCTAssertEqual(up.status, 0, up.errors)
    XCTAssertEqual(try state.names, [])
    let stored = try await cloud.oss().download("2026/large.bin", upTo: Self.bytes.count)
    XCTAssertEqual(stored, Self.bytes)

    let copy = directory.path("copy.bin")
    let download: CheckpointFile<DownloadCheckpoint> = place(state, copy, "download", cloud)
    let second = InterruptedTransport { $0.range?.hasPrefix("bytes=8388608-") == true ? .inBody(1_000_000) : nil }
    await assertThrows(TransportError.self) {
      try await cloud.oss(configuration: .init(attempts: 1), over: second).download(
        "2026/large.bin", to: copy, checkpoint: download)
    }
    XCTAssertEqual(try state.names.count, 1)
    let down = try await run(["cp", Self.location, copy.string] + options, cloud)
    XCTAssertEqual(down.status, 0, down.errors)
    XCTAssertEqual(try directory.read("copy.bin"), Self.bytes)
    XCTAssertEqual(try directory.names, ["copy.bin", "large.bin"])
    XCTAssertEqual(try state.names, [])
  }

  // matrix: Resuming: resume command
  func testUploadsAreListedAndAborted() async throws {
    let cloud = try await Cloud(self)
    let (directory, state) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    let file = try directory.write(Self.bytes, to: "large.bin")
    let upload: CheckpointFile<UploadCheckpoint> = place(state, file, "upload", cloud)
    let first = InterruptedTransport { $0.part == 2 ? .before : nil }
    await assertThrows(TransportError.self) {
      try await cloud.oss(configuration: .init(attempts: 1), over: first).upload(
        file, to: "2026/large.bin", checkpoint: upload)
    }
    let saved = try await upload.load()
    let id = try XCTUnwrap(saved?.uploadID)
    let bucket = "oss://\(Cloud.bucket)/"
    let listed = try await run(["uploads", bucket + "2026/"], cloud)
    XCTAssertEqual(listed.status, 0, listed.errors)
    XCTAssertTrue(listed.output.hasSuffix("Z \(id) 2026/large.bin\n"), listed.output)
    let json = try await run(["uploads", bucket, "--json", "--older-than", "0"], cloud)
    XCTAssertTrue(
      json.output.hasPrefix("{\"key\":\"2026/large.bin\",\"uploadId\":\"\(id)\",\"started\":\""), json.output)
    for arguments in [[bucket + "2025/"], [bucket, "--older-than", "1"]] {
      let none = try await run(["uploads"] + arguments, cloud)
      XCTAssertEqual(none.output, "")
    }
    let aborted = try await run(["uploads", bucket, "--abort"], cloud)
    XCTAssertEqual(aborted.status, 0)
    XCTAssertEqual(aborted.errors, "1 aborted\n")
    let rest = try await run(["uploads", bucket], cloud)
    XCTAssertEqual(rest.output, "")
  }

  // matrix: Resuming: resume command
  func testArgumentsThatCannotBeContinuedAreRejected() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write([1], to: "a").string
    let wrong = [
      ["cp", "--resume", file, "aspera://node.example.com/a"], ["cp", "--resume", file, "aspera://a@example.com/a"],
      ["cp", "--resume", Self.location, "oss://\(Cloud.bucket)/copy"],
      ["cp", "--checkpoints", "/tmp", file, Self.location], ["uploads", "aspera://node.example.com/a"],
      ["uploads", Self.location, "--older-than", "-1"], ["uploads", Self.location, "--older-than", "99999999999999"],
      ["cp", "--resume", "--checkpoints", file, file, Self.location],
    ]
    for arguments in wrong {
      let outcome = try await run(arguments, cloud)
      XCTAssertEqual(outcome.status, 64, "\(arguments): \(outcome.errors)")
    }
  }
}
