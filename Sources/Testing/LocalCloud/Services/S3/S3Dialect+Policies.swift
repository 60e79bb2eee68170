// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

// Page: "Actions, resources, and condition keys for Amazon S3".

extension S3Dialect {
  var postAction: String { "s3:PutObject" }
  var readAction: String { "s3:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("s3:ListAllMyBuckets", on: .service)
    case .createBucket: Operation.Need("s3:CreateBucket", on: .bucket)
    case .deleteBucket: Operation.Need("s3:DeleteBucket", on: .bucket)
    case .headBucket, .listObjects, .listObjectsV2: Operation.Need("s3:ListBucket", on: .bucket)
    case .readBucketAccess: Operation.Need("s3:GetBucketAcl", on: .bucket)
    case .changeBucketAccess: Operation.Need("s3:PutBucketAcl", on: .bucket)
    case .bucketLocation: Operation.Need("s3:GetBucketLocation", on: .bucket)
    case .bucketVersioning: Operation.Need("s3:GetBucketVersioning", on: .bucket)
    case .bucketInfo, .objectMeta: nil
    case .listUploads: Operation.Need("s3:ListBucketMultipartUploads", on: .bucket)
    case .deleteObjects: Operation.Need("s3:DeleteObject", on: .objectsOfBody)
    case .putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload:
      Operation.Need("s3:PutObject", on: .object)
    case .getObject, .headObject, .objectAttributes: Operation.Need("s3:GetObject", on: .object)
    case .deleteObject: Operation.Need("s3:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("s3:GetObjectAcl", on: .object)
    case .changeObjectAccess: Operation.Need("s3:PutObjectAcl", on: .object)
    case .readTags: Operation.Need("s3:GetObjectTagging", on: .object)
    case .changeTags: Operation.Need("s3:PutObjectTagging", on: .object)
    case .deleteTags: Operation.Need("s3:DeleteObjectTagging", on: .object)
    case .abortUpload: Operation.Need("s3:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("s3:ListMultipartUploadParts", on: .object)
    }
  }

  /// Returns the colon-separated parts of an S3 resource name (ARN), which contains neither region nor account.
  func resource(_ name: String, in region: String) -> [String] { ["arn", "aws", "s3", "", "", name] }

  func facts(at date: Timestamp) -> [String: String] {
    ["aws:SourceIp": "127.0.0.1", "aws:CurrentTime": date.iso8601, "aws:SecureTransport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    facts["aws:UserAgent"] = head.headerFields[.userAgent]
    for name in ["x-amz-acl", "x-amz-storage-class", "x-amz-server-side-encryption", "x-amz-content-sha256"] {
      facts["s3:\(name)"] = head.headerFields.joined(name)
    }
    switch operation {
    case .listObjects, .listObjectsV2:
      facts["s3:prefix"] = target["prefix"]?.string
      facts["s3:delimiter"] = target["delimiter"]?.string
      facts["s3:max-keys"] = target["max-keys"]?.string
    default: break
    }
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["s3:x-amz-acl"] = form.form["acl"]
    for name in ["x-amz-storage-class", "x-amz-server-side-encryption"] { facts["s3:\(name)"] = form.form[name] }
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "ASIA" + RandomText.letters(16).asciiUppercased, secret: RandomText.letters(40),
      sessionToken: "IQoJb3JpZ2luX2Vj/+" + RandomText.base64(byteCount: 240) + "==", start: start, expiration: end)
  }

  /// Splits a role name such as `arn:aws:iam::125000000000:role/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":", atMost: 5).map(String.init)
    guard parts.count == 6, parts[0] == "arn", parts[1] == "aws", parts[2] == "iam", parts[3].isEmpty,
      !parts[4].isEmpty, parts[5].hasBytePrefix("role/"), !parts[5].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}
