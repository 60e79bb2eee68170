internal import ArgumentParser
internal import StorageClient

/// `storage-auth mb`: makes a bucket.
struct MakeBucketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mb", abstract: "Makes a bucket.")

  @Argument(help: "oss://bucket or cos://bucket.")
  var location: Location

  @OptionGroup var options: StoreOptions

  func run() async throws {
    guard case .object(let provider, let bucket, key: "") = location else {
      throw ValidationError("Name a bucket alone, as oss://bucket or cos://bucket.")
    }
    switch provider {
    case .oss: try await options.oss(bucket).createBucket()
    case .cos: try await options.cos(bucket).createBucket()
    }
  }
}
