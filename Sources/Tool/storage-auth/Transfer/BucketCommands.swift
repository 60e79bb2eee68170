// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct MakeBucketCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mb", abstract: "Creates a private bucket.", usage: "storage-auth mb <location> [<options>]",
    discussion: """
      Examples:
        storage-auth mb oss://photos --region cn-hangzhou
        storage-auth mb cos://photos-1250000000 --region ap-guangzhou   # with APPID
      """)

  @Argument(help: "oss://bucket, cos://bucket or s3://bucket.") var location: String
  @OptionGroup(title: "Service") var options: BucketOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try options.bucket(at: location) }

  func run() async throws {
    try await options.bucket(at: location).createBucket()
    if output.json { Terminal.printJSON(["action": "create", "bucket": .string(location)]) }
  }
}

struct RemoveBucketCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rb", abstract: "Deletes an empty bucket.", usage: "storage-auth rb <location> [<options>]",
    discussion: """
      Examples:
        storage-auth rb oss://photos --region cn-hangzhou
        storage-auth rm -r oss://photos --yes && storage-auth rb oss://photos
      """)

  @Argument(help: "oss://bucket, cos://bucket or s3://bucket.") var location: String
  @OptionGroup(title: "Service") var options: BucketOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try options.bucket(at: location) }

  func run() async throws {
    try await options.bucket(at: location).deleteBucket()
    if output.json { Terminal.printJSON(["action": "delete", "bucket": .string(location)]) }
  }
}
