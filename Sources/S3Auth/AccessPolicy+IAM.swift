public import StorageAuth

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
    let rules = try checkedRules(isBucket: isBucketNameWithOrWithoutDots)
    return try StatementLanguage.iam.document(of: rules, upTo: byteLimit) { "arn:\(partition):s3:::\($0.bucket)" }
  }
}

extension StatementLanguage {
  fileprivate static let iam = StatementLanguage(
    name: "an IAM policy", version: "2012-10-17",
    actions: [
      .read: ["s3:GetObject"],
      .write: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
      .delete: ["s3:DeleteObject"],
    ], listing: "s3:ListBucket", prefixKey: "s3:prefix", addressKey: "aws:SourceIp", dateKey: "aws:CurrentTime",
    takesVersion6: true)
}
