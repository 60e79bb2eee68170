// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A RAM role to assume, with the parameters of the request.
struct AlibabaRolePlan: Sendable, Hashable {
  var arn: String
  var sessionName = "swift-storage-auth"
  var duration = Duration.seconds(3600)
  var policy: String?
  var externalID: String?
  var endpoint = AlibabaSTSEndpoint.global
}

extension SettingTable {
  /// The names of the settings that describe a role, or `nil` for settings that a file format does not have.
  struct RoleNames {
    var arn: String
    var sessionName: String
    var seconds: String?
    var policy: String?
    var externalID: String?
    var region: String?
    var usesPrivateNetwork: String?
  }

  /// Returns the role that the settings with the given names describe.
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
        throw place.malformed("has no region in “\(names.region ?? "")”")
      }
      role.endpoint = endpoint
    }
    return role
  }
}

extension AlibabaSTSEndpoint {
  /// Creates the STS endpoint for a region, or returns `nil` if the region contains a character that could change the
  /// host.
  init?(region: String, isPrivate: Bool) {
    guard region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { return nil }
    self = isPrivate ? .vpc(region) : .region(region)
  }
}
