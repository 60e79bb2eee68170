internal import ArgumentParser
internal import StorageClient
internal import SystemPackage

/// `storage-auth cp`: copies between files and objects, and from object to object.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cp",
    abstract: "Copies a file to an object, an object to a file, or an object to an object.",
    discussion: "Example: storage-auth cp cat.jpg oss://photos/2026/cat.jpg --region cn-hangzhou")

  @Argument(help: "A file, oss://bucket/key or cos://bucket/key.")
  var source: Location

  @Argument(help: "The same; a name that ends in a slash, or a directory, takes the name of the source.")
  var destination: Location

  @OptionGroup var options: StoreOptions

  @Option(help: "The media type; found out from the name if not given.")
  var contentType: String?

  @Option(help: "Something that is stored along, as name=value; repeatable.")
  var metadata: [MetadataArgument] = []

  func run() async throws {
    switch (source, destination) {
    case (.file(let file), .object(let provider, let bucket, let key)):
      let target = key.isEmpty || key.hasSuffix("/") ? key + (file.lastComponent?.string ?? "") : key
      let store = try options.store(provider, bucket)
      try await showing(target) {
        try await store.upload(.file(file), to: target, options: uploadOptions, progress: $0)
      }
    case (.object(let provider, let bucket, let key), .file(let file)):
      let target = Self.isDirectory(file) ? file.appending(key.split(separator: "/").last.map(String.init) ?? "") : file
      let store = try options.store(provider, bucket)
      try await showing(target.string) { try await store.download(key, to: target, progress: $0) }
    case (.object(let from, let bucket, let key), .object(let to, let otherBucket, let otherKey)):
      let target =
        otherKey.isEmpty || otherKey.hasSuffix("/") ? otherKey + (key.split(separator: "/").last ?? "") : otherKey
      guard from == to else {
        throw ValidationError("Copy to a file first: no cloud copies from another one.")
      }
      _ = try await options.store(to, otherBucket)
        .copy(CopySource(bucket: bucket, key: key), to: target, options: CopyOptions())
    case (.file, .file):
      throw ValidationError("One of the two has to be oss://bucket/key or cos://bucket/key.")
    }
  }

  private var uploadOptions: UploadOptions {
    UploadOptions(
      contentType: contentType,
      metadata: Dictionary(metadata.map { ($0.name, $0.value) }) { _, last in last })
  }

  private static func isDirectory(_ file: FilePath) -> Bool {
    file.string.hasSuffix("/") || LocalFiles.isDirectory(file.string)
  }

  /// Runs a transfer with a bar, where somebody is looking.
  private func showing<Result>(
    _ name: String, _ transfer: (TransferProgress.Handler?) async throws -> Result
  ) async throws {
    let bar = ProgressBar(name)
    defer { bar?.finish() }
    _ = try await transfer(bar?.handler)
  }
}

/// Something that is stored along with an object, as `name=value`.
struct MetadataArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    (name, value) = (parts[0], parts[1])
  }
}
