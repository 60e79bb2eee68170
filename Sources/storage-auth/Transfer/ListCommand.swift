internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

/// `storage-auth ls`: lists objects.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "Lists the objects of a bucket, or those that start with a prefix.")

  @Argument(help: "oss://bucket/prefix or cos://bucket/prefix.")
  var location: Location

  @OptionGroup var options: StoreOptions

  @Flag(name: .shortAndLong, help: "List everything below as well; otherwise only up to the next slash.")
  var recursive = false

  func run() async throws {
    guard case .object(let provider, let bucket, let prefix) = location else {
      throw ValidationError("Name a bucket, as oss://bucket/prefix or cos://bucket/prefix.")
    }
    for try await entry in try options.store(provider, bucket).list(prefix: prefix, delimiter: recursive ? nil : "/") {
      switch entry {
      case .object(let object):
        let date = object.lastModified?.iso8601 ?? String(repeating: " ", count: 20)
        let size = String(object.size)
        Terminal.line("\(date) \(String(repeating: " ", count: max(0, 14 - size.count)))\(size) \(object.key)")
      case .commonPrefix(let prefix):
        Terminal.line(String(repeating: " ", count: 36) + prefix)
      }
    }
  }
}
