internal import ArgumentParser
internal import StorageClient
internal import SystemPackage

/// `storage-auth cp`: copies between files and objects, and from object to object.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cp",
    abstract: "Copies a file to an object, an object to a file, or an object to an object.",
    discussion: """
      Examples: storage-auth cp cat.jpg oss://photos/2026/cat.jpg --region cn-hangzhou
                storage-auth cp aspera://node.example.com:9092/2026/cat.jpg cat.jpg
                ASPERA_SCP_PASS=… storage-auth cp cat.jpg aspera://mia@aspera.example.com/2026/cat.jpg
      """)

  @Argument(
    help: "A file, oss://bucket/key (or cos://, s3://), aspera://node/key or aspera://user@host/path.")
  var source: String

  @Argument(help: "The same; a name that ends in a slash, or a directory, takes the name of the source.")
  var destination: String

  @OptionGroup var options: StoreOptions

  @OptionGroup(title: "Transfers of Aspera") var aspera: AsperaOptions

  @Option(help: ArgumentHelp("The media type; found out from the name if not given.", valueName: "type"))
  var contentType: String?

  @Option(help: ArgumentHelp("Something that is stored along, as name=value; repeatable.", valueName: "name=value"))
  var metadata: [MetadataArgument] = []

  func validate() throws {
    switch (try Location(source), try Location(destination)) {
    case (.file, .file):
      throw ValidationError("One of the two has to be oss://bucket/key (or cos://, s3://) or aspera://….")
    case (.file, .account) where contentType != nil || !metadata.isEmpty:
      throw ValidationError("Aspera stores neither a media type nor metadata along with a file.")
    case (.file, .account), (.account, .file): return
    case (.object(let from, let bucket, _), .object(let to, _, _)) where from == to:
      _ = try from.cloud.store(bucket, options.buckets)
    case (.file, let place), (let place, .file): _ = try object(at: place)
    default:
      throw ValidationError("Copy to a file first: no service copies from another one, and Aspera not inside itself.")
    }
  }

  func run() async throws {
    switch (try Location(source), try Location(destination)) {
    case (.file(let file), .account(let server, let path)):
      let target = Location.key(path, naming: file.string)
      let transfers = try await aspera.transfers(server)
      try await showing(target) { try await transfers.upload(file, to: target, progress: $0) }
    case (.account(let server, let path), .file(let file)):
      let target = Self.target(file, naming: path)
      let transfers = try await aspera.transfers(server)
      try await showing(target.string) { try await transfers.download(path, to: target, progress: $0) }
    case (.object(let from, let bucket, let key), .object(let to, let otherBucket, let otherKey)) where from == to:
      _ = try await to.cloud.store(otherBucket, options.buckets).copy(
        CopySource(bucket: bucket, key: key), to: Location.key(otherKey, naming: key), options: CopyOptions())
    case (.file(let file), let place):
      let (store, key) = try object(at: place)
      let target = Location.key(key, naming: file.string)
      try await showing(target) {
        try await store.upload(.file(file), to: target, options: uploadOptions, progress: $0)
      }
    case (let place, .file(let file)):
      let (store, key) = try object(at: place)
      let target = Self.target(file, naming: key)
      try await showing(target.string) { try await store.download(key, to: target, progress: $0) }
    default: throw ValidationError("Name an object, as oss://bucket/key.")
    }
  }

  private func object(at place: Location) throws -> (store: any ObjectStore, key: String) {
    guard let (store, key) = try options.store(of: place, transfers: aspera.transfers) else {
      throw ValidationError("Name an object, as oss://bucket/key.")
    }
    return (store, key)
  }

  /// The file, in a directory with the last name of the source.
  private static func target(_ file: FilePath, naming source: String) -> FilePath {
    isDirectory(file) ? file.appending(source.split(separator: "/").last.map(String.init) ?? "") : file
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
