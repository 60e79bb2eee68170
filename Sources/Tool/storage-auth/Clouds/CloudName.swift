// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// The name of a cloud on the command line, such as `oss`, which identifies one of the known clouds.
struct CloudName: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let cloud: any Cloud

  /// The names of all known clouds.
  ///
  /// A new cloud must be added only to this list.
  static let known = [CloudName(OSSCloud()), CloudName(COSCloud()), CloudName(S3Cloud())]

  private init(_ cloud: any Cloud) {
    self.cloud = cloud
  }

  /// Creates the name of the first cloud that a condition holds for, or returns `nil` if there is none.
  init?(where predicate: (any Cloud) -> Bool) {
    guard let found = Self.known.first(where: { predicate($0.cloud) }) else { return nil }
    self = found
  }

  /// Creates the name of a cloud from an argument, or returns `nil` if it is not the name of a known cloud.
  init?(argument: String) {
    self.init { $0.name == argument }
  }

  /// Creates the name of the cloud that a public host belongs to, or returns `nil` if it belongs to no known cloud.
  init?(host: String) {
    self.init { $0.description.owns(host: host) }
  }

  var description: String { cloud.name }

  /// The names of all clouds, for shell completion.
  static var allValueStrings: [String] { known.map(\.description) }

  /// The names of all known clouds as part of a sentence, such as `oss, cos or s3`.
  static var alternatives: String {
    let names = known.map(\.description)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }

  /// Returns the error for a host that belongs to no known cloud.
  static func unknownHostError(_ host: String) -> ValidationError {
    ValidationError("The host \(host) does not identify the cloud: add --provider \(alternatives).")
  }

  static func == (first: CloudName, second: CloudName) -> Bool { first.description == second.description }

  func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
