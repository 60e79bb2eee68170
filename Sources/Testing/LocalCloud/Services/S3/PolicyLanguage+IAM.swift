// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PolicyLanguage {
  /// The policy language of Amazon Web Services IAM.
  ///
  /// Page: "IAM JSON policy elements reference".
  static let iam = PolicyLanguage(
    versions: ["2012-10-17", "2008-10-17"], effects: Effects(allow: "Allow", deny: "Deny"), members: ["notaction"],
    labels: ["id", "sid"], capitalizesMembers: true, ignoresActionCase: true, existenceSuffix: "IfExists",
    absence: .holdsIfNegated, keys: iamKeys, comparisons: iamComparisons, parts: iamParts)

  @Sendable
  private static func iamParts(_ resource: String) -> [String]? {
    let parts = resource.parts(between: ":", atMost: 5).map(String.init)
    return parts.count == 6 && parts[0] == "arn" ? parts : nil
  }

  private static let iamKeys: Set = [
    "aws:SourceIp", "aws:CurrentTime", "aws:SecureTransport", "aws:UserAgent", "s3:prefix", "s3:delimiter",
    "s3:max-keys", "s3:x-amz-acl", "s3:x-amz-storage-class", "s3:x-amz-server-side-encryption",
    "s3:x-amz-content-sha256",
  ]

  private static let iamComparisons = capitalizedComparisons.merging(["Null": Comparison(.absence)]) { $1 }
}
