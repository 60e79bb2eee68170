// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

struct MakeBucketCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(commandName: "mb", abstract: "Creates a bucket.")

  @Argument(help: "oss://bucket, cos://bucket or s3://bucket.")
  var location: String

  @OptionGroup var options: BucketOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try bucket() }

  func run() async throws {
    try await bucket().createBucket()
    if output.json { Terminal.json(["action": "create", "bucket": .string(location)]) }
  }

  private func bucket() throws -> any BucketStore {
    guard case .object(let name, let bucket, key: "") = try Location(location) else {
      throw ValidationError("Name only a bucket, as oss://bucket.")
    }
    return try name.cloud.store(bucket, options)
  }
}
