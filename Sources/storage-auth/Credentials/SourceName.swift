internal import ArgumentParser

/// The name of a source of keys on the command line; which of them a cloud has is the cloud's to say.
struct SourceName: ExpressibleByArgument, ExpressibleByStringLiteral, Hashable, CustomStringConvertible {
  /// The source that asks the metadata service of the instance, of every cloud.
  static let metadata: SourceName = "metadata"

  /// The name.
  let description: String

  init(stringLiteral name: String) {
    description = name
  }

  init(argument: String) {
    description = argument
  }
}
