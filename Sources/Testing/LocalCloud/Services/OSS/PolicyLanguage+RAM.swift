// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PolicyLanguage {
  /// The policy language of Alibaba Cloud RAM, version 1.
  ///
  /// Page: "Basic elements of policies".
  static let ram = PolicyLanguage(
    versions: ["1"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"], capitalizesMembers: true,
    ignoresActionCase: true, absence: .allowsLess, keys: ramKeys, comparisons: capitalizedComparisons, parts: ramParts)

  @Sendable
  private static func ramParts(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", atMost: 4).map(String.init)
    guard parts.count == 5, parts[0] == "acs" else { return nil }
    // The region in a resource name can have the prefix `oss-`.
    if parts[1] == "oss", let region = parts[2].removingBytePrefix("oss-") { parts[2] = String(region) }
    return parts
  }

  private static let ramKeys: Set = [
    "acs:SourceIp", "acs:CurrentTime", "acs:SecureTransport", "acs:UserAgent", "oss:Prefix", "oss:Delimiter",
    "oss:x-oss-acl", "oss:x-oss-object-acl",
  ]
}
