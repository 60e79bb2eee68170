// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The name of a cloud on the command line, such as `oss`, and the registry of all clouds.
struct CloudName: ExpressibleByArgument, Hashable, CustomStringConvertible {
  /// The cloud.
  let cloud: any Cloud

  /// All clouds; the only list of them.
  static let all = [CloudName(OSSCloud()), CloudName(COSCloud()), CloudName(S3Cloud())]

  private init(_ cloud: any Cloud) {
    self.cloud = cloud
  }

  /// Creates the name of a cloud from an argument, or `nil` if no cloud has that name.
  init?(argument: String) {
    guard let found = Self.all.first(where: { $0.description == argument }) else { return nil }
    self = found
  }

  /// Creates the name of the cloud that a host belongs to, or `nil` if the host is not one of a cloud's public hosts.
  init?(host: String) {
    guard let found = Self.all.first(where: { $0.cloud.owns(host: host) }) else { return nil }
    self = found
  }

  /// Creates the name of the cloud whose signature an `Authorization` header contains, or `nil` if none matches.
  init?(authorization: String) {
    guard let found = Self.all.first(where: { $0.cloud.signs(authorization) }) else { return nil }
    self = found
  }

  /// The name.
  var description: String { cloud.name }

  /// The names of all clouds, for shell completion.
  static var allValueStrings: [String] { all.map(\.description) }

  /// The names of all clouds as part of a sentence: `oss, cos or s3`.
  static var alternatives: String {
    let names = all.map(\.description)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }

  /// Returns the error for a host that belongs to no known cloud.
  static func unknown(host: String) -> ValidationError {
    ValidationError("The host \(host) does not identify the cloud: add --provider \(alternatives).")
  }

  static func == (one: CloudName, other: CloudName) -> Bool { one.description == other.description }

  func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
