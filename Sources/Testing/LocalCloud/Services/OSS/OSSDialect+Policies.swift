// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension OSSDialect {
  var postAction: String { "oss:PutObject" }
  var readAction: String { "oss:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("oss:ListBuckets", on: .service)
    case .createBucket: Operation.Need("oss:PutBucket", on: .bucket)
    case .deleteBucket: Operation.Need("oss:DeleteBucket", on: .bucket)
    case .headBucket, .bucketInfo: Operation.Need("oss:GetBucketInfo", on: .bucket)
    case .bucketVersioning: Operation.Need("oss:GetBucketVersioning", on: .bucket)
    case .readTags, .changeTags, .deleteTags, .objectAttributes: nil
    case .readBucketAccess: Operation.Need("oss:GetBucketAcl", on: .bucket)
    case .changeBucketAccess: Operation.Need("oss:PutBucketAcl", on: .bucket)
    case .bucketLocation: Operation.Need("oss:GetBucketLocation", on: .bucket)
    case .listObjects, .listObjectsV2: Operation.Need("oss:ListObjects", on: .bucket)
    case .listUploads: Operation.Need("oss:ListMultipartUploads", on: .bucket)
    case .deleteObjects: Operation.Need("oss:DeleteObject", on: .objectsOfBody)
    case .putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload:
      Operation.Need("oss:PutObject", on: .object)
    case .getObject, .headObject, .objectMeta: Operation.Need("oss:GetObject", on: .object)
    case .deleteObject: Operation.Need("oss:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("oss:GetObjectAcl", on: .object)
    case .changeObjectAccess: Operation.Need("oss:PutObjectAcl", on: .object)
    case .abortUpload: Operation.Need("oss:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("oss:ListParts", on: .object)
    }
  }

  func resource(_ name: String, in region: String) -> [String] { ["acs", "oss", region, Self.account, name] }

  func facts(at date: Timestamp) -> [String: String] {
    ["acs:SourceIp": "127.0.0.1", "acs:CurrentTime": date.iso8601, "acs:SecureTransport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    facts["acs:UserAgent"] = head.headerFields[.userAgent]
    for name in ["x-oss-acl", "x-oss-object-acl"] { facts["oss:\(name)"] = head.headerFields.joined(name) }
    switch operation {
    case .listObjects, .listObjectsV2:
      facts["oss:Prefix"] = target["prefix"]?.string ?? ""
      facts["oss:Delimiter"] = target["delimiter"]?.string ?? ""
    default: break
    }
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["oss:x-oss-object-acl"] = form.form["x-oss-object-acl"]
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "STS." + RandomText.letters(25), secret: RandomText.letters(44),
      sessionToken: "CAIS/+" + RandomText.base64(byteCount: 240) + "==", start: start, expiration: end)
  }

  /// Splits a role name such as `acs:ram::1250000000:role/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == 5, parts[0] == "acs", parts[1] == "ram", parts[2].isEmpty, !parts[3].isEmpty,
      parts[4].hasBytePrefix("role/"), !parts[4].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}
