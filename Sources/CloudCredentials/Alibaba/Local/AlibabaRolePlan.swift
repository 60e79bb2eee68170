internal import StorageAuth

/// A RAM role, and how it is to be taken on.
struct AlibabaRolePlan: Sendable, Hashable {
  var arn: String
  var sessionName = "swift-storage-auth"
  var duration = Duration.seconds(3600)
  var policy: String?
  var externalID: String?
  var endpoint = AlibabaSTSEndpoint.global
}

extension SettingTable {
  /// Names under which the parts of a role stand; those that a file does not know are left out.
  struct RoleNames {
    var arn: String
    var sessionName: String
    var seconds: String?
    var policy: String?
    var externalID: String?
    var region: String?
    var usesPrivateNetwork: String?
  }

  /// The role that the settings name.
  func role(_ names: RoleNames) throws(CredentialError) -> AlibabaRolePlan {
    func text(_ name: String?) throws(CredentialError) -> String? {
      guard let name else { return nil }
      return try self.text(name)
    }
    var role = AlibabaRolePlan(arn: try required(names.arn))
    if let name = try text(names.sessionName) { role.sessionName = name }
    if let name = names.seconds, let seconds = try integer(name), seconds != 0 { role.duration = .seconds(seconds) }
    role.policy = try text(names.policy)
    role.externalID = try text(names.externalID)
    if let region = try text(names.region) {
      let isPrivate = try names.usesPrivateNetwork.map(flag) ?? false
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw place.malformed("has no name of a region in “\(names.region ?? "")”")
      }
      role.endpoint = endpoint
    }
    return role
  }
}

extension AlibabaSTSEndpoint {
  /// The endpoint of a region; nothing for what cannot be the name of one, and would change the host.
  init?(region: String, isPrivate: Bool) {
    guard region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { return nil }
    self = isPrivate ? .vpc(region) : .region(region)
  }
}
