public import StorageAuth

extension AccessPolicy {
  /// The policy as a document of Alibaba Cloud RAM (version 1), for `Policy` of AssumeRole.
  ///
  /// A write is `oss:PutObject`, which parts and copies need too, with `oss:AbortMultipartUpload` and `oss:ListParts`; a
  /// list is `oss:ListObjects` on the bucket with the prefix as a condition. Uploads under way cannot be listed, because
  /// no condition would keep that to a prefix.
  ///
  /// - Parameter byteLimit: How long the document may be; STS takes 2,048 bytes. Nothing for a policy that is attached to
  ///   a role.
  /// - Throws: A ``PolicyError`` if RAM cannot express it: sizes and media types of what is written, addresses of version
  ///   6, stars, question marks and `${` in keys.
  public func ramDocument(upTo byteLimit: Int? = 2048) throws(PolicyError) -> String {
    try StatementLanguage.ram.document(of: checkedRules(), upTo: byteLimit) { rule throws(PolicyError) in
      try rule.checkBeginning()
      return "acs:oss:*:*:\(rule.bucket)"
    }
  }
}

extension StatementLanguage {
  fileprivate static let ram = StatementLanguage(
    name: "a RAM policy", version: "1",
    actions: [
      .read: ["oss:GetObject"], .write: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
      .delete: ["oss:DeleteObject"],
    ], listing: "oss:ListObjects", prefixKey: "oss:Prefix", addressKey: "acs:SourceIp", dateKey: "acs:CurrentTime",
    takesVersion6: false)
}

extension AccessRule {
  /// Refuses keys that OSS does not have.
  fileprivate func checkBeginning() throws(PolicyError) {
    switch objects {
    case .all: return
    case .prefix(let text), .key(let text):
      guard text.beginsWithByte("/") || text.beginsWithByte("\\") else { return }
      throw PolicyError(
        .unsupportedKey, "The key or prefix \"\(text)\" starts with a slash or a backslash, as no key of OSS does.",
        remedy: "Leave the first character out.")
    }
  }
}
