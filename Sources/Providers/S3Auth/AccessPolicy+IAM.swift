// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension AccessPolicy {
  /// Returns the policy as an IAM policy document (version 2012-10-17), for AssumeRole, a role or a user.
  ///
  /// The permission to write becomes `s3:PutObject`, which uploads of parts and copies require too, with
  /// `s3:AbortMultipartUpload` and `s3:ListMultipartUploadParts`. The permission to list becomes `s3:ListBucket` with
  /// the prefix as a condition. Listing in-progress uploads is never permitted, because no condition limits that list.
  ///
  /// Sources: AWS, "Actions, resources, and condition keys for Amazon S3" and "Condition operators" (IAM).
  ///
  /// - Parameters:
  ///   - partition: The AWS partition of the buckets: `aws`, `aws-cn` or `aws-us-gov`.
  ///   - byteLimit: The maximum size in bytes; STS accepts 2,048. `nil` is for a policy that is attached to a role.
  /// - Returns: The document as JSON.
  /// - Throws: A `PolicyError` if IAM cannot express the policy: the policy limits the size or media type of written
  ///   objects, or a key contains an asterisk, a question mark or `${`.
  public func iamDocument(partition: String = "aws", upTo byteLimit: Int? = 2048) throws(PolicyError) -> String {
    guard partition.isAmazonScopePart else {
      throw PolicyError(
        .invalidRule, "\"\(partition)\" is not the name of a partition.", remedy: "Write aws, aws-cn or aws-us-gov.")
    }
    let rules = try checkedRules(isBucket: isBucketNameWithOrWithoutDots)
    return try StatementLanguage.iam.document(of: rules, upTo: byteLimit) { "arn:\(partition):s3:::\($0.bucket)" }
  }
}

extension StatementLanguage {
  fileprivate static let iam = StatementLanguage(
    nameWithArticle: "an IAM policy", version: "2012-10-17",
    actions: [
      .read: ["s3:GetObject"],
      .write: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
      .delete: ["s3:DeleteObject"],
    ], listAction: "s3:ListBucket",
    prefixConditionKey: "s3:prefix", addressConditionKey: "aws:SourceIp", dateConditionKey: "aws:CurrentTime",
    supportsIPv6: true)
}
