// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// The name of a known cloud on the command line, such as `oss`.
struct CloudName: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let cloud: any Cloud

  /// The names of all known clouds; a new cloud must be added only here.
  static let known = [CloudName(OSSCloud()), CloudName(COSCloud()), CloudName(S3Cloud())]

  private init(_ cloud: any Cloud) { self.cloud = cloud }

  init?(where predicate: (any Cloud) -> Bool) {
    guard let found = Self.known.first(where: { predicate($0.cloud) }) else { return nil }
    self = found
  }

  init?(argument: String) { self.init { $0.name == argument } }
  init?(host: String) { self.init { $0.storageService.owns(host: host) } }
  var description: String { cloud.name }

  // For shell completion.
  static var allValueStrings: [String] { known.map(\.description) }

  /// The names as part of a sentence: `oss, cos or s3`.
  static var alternatives: String {
    let names = known.map(\.description)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }

  static func unknownHostError(_ host: String) -> ValidationError {
    ValidationError("The host \(host) does not identify the cloud: add --provider \(alternatives).")
  }

  static func == (first: CloudName, second: CloudName) -> Bool { first.description == second.description }
  func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
