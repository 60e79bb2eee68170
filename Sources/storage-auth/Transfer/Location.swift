internal import ArgumentParser
internal import SystemPackage

/// A place on the command line: an object, a prefix or a bucket of a cloud, or a file.
enum Location: ExpressibleByArgument, Equatable {
  /// `oss://bucket/key` or `cos://bucket/key`; the key is not encoded and may be empty.
  case object(ProviderName, bucket: String, key: String)
  /// A path of this machine.
  case file(FilePath)

  init?(argument: String) {
    guard let separator = argument.firstRange(of: "://") else {
      guard !argument.isEmpty else { return nil }
      self = .file(FilePath(argument))
      return
    }
    guard let provider = ProviderName(rawValue: String(argument[..<separator.lowerBound])) else { return nil }
    let rest = argument[separator.upperBound...]
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let bucket = parts.first, !bucket.isEmpty else { return nil }
    self = .object(provider, bucket: bucket, key: parts.count > 1 ? parts[1] : "")
  }
}
