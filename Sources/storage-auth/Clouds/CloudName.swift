internal import ArgumentParser

/// The name of a cloud on the command line, such as `oss`; the registry of the clouds.
struct CloudName: ExpressibleByArgument, Hashable, CustomStringConvertible {
  /// The cloud.
  let cloud: any Cloud

  /// Every cloud; the only list of them.
  static let all = [CloudName(OSSCloud()), CloudName(COSCloud()), CloudName(S3Cloud())]

  private init(_ cloud: any Cloud) {
    self.cloud = cloud
  }

  /// Finds a cloud by its name.
  init?(argument: String) {
    guard let found = Self.all.first(where: { $0.description == argument }) else { return nil }
    self = found
  }

  /// Finds the cloud that a host belongs to, if the host tells.
  init?(host: String) {
    guard let found = Self.all.first(where: { $0.cloud.owns(host: host) }) else { return nil }
    self = found
  }

  /// Finds the cloud whose signature an `Authorization` is.
  init?(authorization: String) {
    guard let found = Self.all.first(where: { $0.cloud.signs(authorization) }) else { return nil }
    self = found
  }

  /// The name.
  var description: String { cloud.name }

  /// The names, for the completion of shells.
  static var allValueStrings: [String] { all.map(\.description) }

  /// The names as a sentence has them: `oss, cos or s3`.
  static var alternatives: String {
    let names = all.map(\.description)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }

  /// The remedy for a host that belongs to no cloud that is known.
  static func unknown(host: String) -> ValidationError {
    ValidationError("The host \(host) does not tell the cloud: add --provider \(alternatives).")
  }

  static func == (one: CloudName, other: CloudName) -> Bool { one.description == other.description }

  func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
