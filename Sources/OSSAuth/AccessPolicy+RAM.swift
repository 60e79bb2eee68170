public import StorageAuth
internal import StorageJSON

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
    var statements: [DocumentStatement] = []
    for rule in try checkedRules() {
      for statement in try rule.ramStatements() { statements.add(statement) }
    }
    let document: JSONValue = ["Version": "1", "Statement": .array(statements.map { $0.json(.capitalized) })]
    let bytes = document.serialized
    if let byteLimit, bytes.count > byteLimit {
      throw PolicyError(
        .tooLong, "The policy document has \(bytes.count) bytes, and the token service takes \(byteLimit).",
        remedy: "Use fewer rules or shorter prefixes, or attach the policy to the role.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension AccessRule {
  fileprivate func ramStatements() throws(PolicyError) -> [DocumentStatement] {
    let pattern = try objects.pattern(in: "a RAM policy")
    if let first = pattern.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") {
      throw PolicyError(
        .unsupportedKey, "The key or prefix \"\(pattern)\" starts with a slash or a backslash, as no key of OSS does.",
        remedy: "Leave the first character out.")
    }
    let resource = "acs:oss:*:*:\(bucket)"
    let conditions = try ramConditions()
    let onObjects = AccessAction.allCases.filter { actions.contains($0) }.flatMap(\.ramActions)
    var statements = [DocumentStatement(onObjects, on: ["\(resource)/\(pattern)"], if: conditions)]
    if actions.contains(.list) {
      statements.append(
        DocumentStatement(["oss:ListObjects"], on: [resource], if: prefixCondition(pattern) + conditions))
    }
    return statements
  }

  private func prefixCondition(_ pattern: String) -> [DocumentStatement.Condition] {
    switch objects {
    case .all, .prefix(""): []
    case .prefix: [.init("StringLike", "oss:Prefix", .texts([pattern]))]
    case .key: [.init("StringEquals", "oss:Prefix", .texts([pattern]))]
    }
  }

  private func ramConditions() throws(PolicyError) -> [DocumentStatement.Condition] {
    if actions.contains(.write) {
      if maximumSize != nil { throw unsupported("the size of what is written") }
      if contentTypes != nil { throw unsupported("the media type of what is written") }
    }
    var conditions: [DocumentStatement.Condition] = []
    if let addresses {
      if addresses.contains(where: \.isVersion6) { throw unsupported("addresses of version 6") }
      conditions.append(.init("IpAddress", "acs:SourceIp", .texts(addresses.map(\.description))))
    }
    if let end { conditions.append(.init("DateLessThan", "acs:CurrentTime", .texts([end.iso8601]))) }
    return conditions
  }

  private func unsupported(_ what: String) -> PolicyError {
    PolicyError(
      .unsupportedCondition, "A RAM policy has no condition for \(what), as the rule for \"\(bucket)\" has it.",
      remedy: "Leave it out of the rule; sizes and media types can be limited by a form upload or a presigned URL.")
  }
}

extension AccessAction {
  /// The actions on an object.
  fileprivate var ramActions: [String] {
    switch self {
    case .read: ["oss:GetObject"]
    case .write: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"]
    case .delete: ["oss:DeleteObject"]
    case .list: []
    }
  }
}
