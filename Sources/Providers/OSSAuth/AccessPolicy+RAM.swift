// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension AccessPolicy {
  /// Returns the policy as a version 1 RAM policy document, which AssumeRole of Alibaba Cloud STS accepts as `Policy`.
  ///
  /// The permission to write becomes `oss:PutObject`, which covers multipart uploads and copies too, with
  /// `oss:AbortMultipartUpload` and `oss:ListParts`. The permission to list becomes `oss:ListObjects` with the prefix
  /// as a condition. Listing in-progress uploads is never permitted, because no condition limits that list to a prefix.
  ///
  /// - Parameter byteLimit: The maximum size in bytes; STS accepts 2,048. Pass `nil` for a policy of a role.
  /// - Returns: The document as JSON.
  /// - Throws: A `PolicyError` if RAM cannot express the policy: the policy limits the size or media type of written
  ///   objects, it contains an IPv6 address, or a key contains an asterisk, a question mark or `${` or starts with a
  ///   slash or a backslash; or the document is too long.
  public func ramDocument(upTo byteLimit: Int? = 2_048) throws(PolicyError) -> String {
    let rules = try checkedRules()
    for rule in rules { try rule.requireValidStart() }
    return try StatementLanguage.ram.document(of: rules, upTo: byteLimit) { "acs:oss:*:*:\($0.bucket)" }
  }
}

extension StatementLanguage {
  fileprivate static let ram = StatementLanguage(
    nameWithArticle: "a RAM policy", version: "1",
    actions: [
      .read: ["oss:GetObject"], .write: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
      .delete: ["oss:DeleteObject"],
    ], listAction: "oss:ListObjects",
    prefixConditionKey: "oss:Prefix", addressConditionKey: "acs:SourceIp", dateConditionKey: "acs:CurrentTime",
    supportsIPv6: false)
}

extension AccessRule {
  fileprivate func requireValidStart() throws(PolicyError) {
    switch objects {
    case .all: return
    case .prefix(let text), .key(let text):
      guard text.beginsWithByte("/") || text.beginsWithByte("\\") else { return }
      throw PolicyError(
        .unsupportedKey, "The key or prefix \"\(text)\" starts with a slash or a backslash, as no key of OSS does.",
        remedy: "Remove the leading slash or backslash.")
    }
  }
}
