public import StorageAuth
internal import StorageJSON

extension AccessPolicy {
  /// The policy as a document of IAM (version 2012-10-17), for `Policy` of AssumeRole or for a role or a user.
  ///
  /// A write is `s3:PutObject`, which parts and the target of a copy need too, with `s3:AbortMultipartUpload` and
  /// `s3:ListMultipartUploadParts`; a list is `s3:ListBucket` on the bucket with the prefix as a condition. Uploads under
  /// way cannot be listed, because no condition would keep that to a prefix. Pages: "Actions, resources, and condition keys
  /// for Amazon S3" and "IAM JSON policy elements: Condition operators".
  ///
  /// - Parameters:
  ///   - partition: The part of the cloud that the buckets are in: `aws`, `aws-cn` or `aws-us-gov`.
  ///   - byteLimit: The most bytes of the document; STS takes 2,048. `nil` for a policy that is attached to a role.
  /// - Throws: A ``PolicyError`` if IAM cannot express it: sizes and media types of what is written, stars, question marks
  ///   and `${` in keys.
  public func iamDocument(partition: String = "aws", upTo byteLimit: Int? = 2048) throws(PolicyError) -> String {
    guard isScopePart(partition) else {
      throw PolicyError(
        .invalidRule, "\"\(partition)\" is not the name of a partition.", remedy: "Write aws, aws-cn or aws-us-gov.")
    }
    var statements: [DocumentStatement] = []
    for rule in try checkedRules(isBucket: isBucketNameWithOrWithoutDots) {
      for statement in try rule.iamStatements(in: "arn:\(partition):s3:::\(rule.bucket)") { statements.add(statement) }
    }
    let document: JSONValue = ["Version": "2012-10-17", "Statement": .array(statements.map { $0.json(.capitalized) })]
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
  fileprivate func iamStatements(in resource: String) throws(PolicyError) -> [DocumentStatement] {
    let pattern = try objects.pattern(in: "an IAM policy")
    let conditions = try iamConditions()
    let onObjects = AccessAction.allCases.filter { actions.contains($0) }.flatMap(\.iamActions)
    var statements = [DocumentStatement(onObjects, on: ["\(resource)/\(pattern)"], if: conditions)]
    if actions.contains(.list) {
      statements.append(DocumentStatement(["s3:ListBucket"], on: [resource], if: prefixCondition(pattern) + conditions))
    }
    return statements
  }

  private func prefixCondition(_ pattern: String) -> [DocumentStatement.Condition] {
    switch objects {
    case .all, .prefix(""): []
    case .prefix: [.init("StringLike", "s3:prefix", .texts([pattern]))]
    case .key: [.init("StringEquals", "s3:prefix", .texts([pattern]))]
    }
  }

  private func iamConditions() throws(PolicyError) -> [DocumentStatement.Condition] {
    if actions.contains(.write) {
      if maximumSize != nil { throw unsupported("the size of what is written") }
      if contentTypes != nil { throw unsupported("the media type of what is written") }
    }
    var conditions: [DocumentStatement.Condition] = []
    if let addresses { conditions.append(.init("IpAddress", "aws:SourceIp", .texts(addresses.map(\.description)))) }
    if let end { conditions.append(.init("DateLessThan", "aws:CurrentTime", .texts([end.iso8601]))) }
    return conditions
  }

  private func unsupported(_ what: String) -> PolicyError {
    PolicyError(
      .unsupportedCondition, "An IAM policy has no condition for \(what), as the rule for \"\(bucket)\" has it.",
      remedy: "Leave it out of the rule; sizes and media types can be limited by a form upload or a presigned URL.")
  }
}

extension AccessAction {
  /// The actions on an object.
  fileprivate var iamActions: [String] {
    switch self {
    case .read: ["s3:GetObject"]
    case .write: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
    case .delete: ["s3:DeleteObject"]
    case .list: []
    }
  }
}
