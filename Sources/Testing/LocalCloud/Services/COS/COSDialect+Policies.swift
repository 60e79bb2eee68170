// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension COSDialect {
  var postAction: String { "cos:PostObject" }
  var readAction: String { "cos:GetObject" }

  func need(for operation: Operation) -> Operation.Need? {
    switch operation {
    case .listBuckets: Operation.Need("cos:GetService", on: .service)
    case .createBucket: Operation.Need("cos:PutBucket", on: .bucket)
    case .deleteBucket: Operation.Need("cos:DeleteBucket", on: .bucket)
    case .headBucket: Operation.Need("cos:HeadBucket", on: .bucket)
    case .readBucketAccess: Operation.Need("cos:GetBucketACL", on: .bucket)
    case .changeBucketAccess: Operation.Need("cos:PutBucketACL", on: .bucket)
    case .bucketLocation: Operation.Need("cos:GetBucketLocation", on: .bucket)
    case .bucketVersioning: Operation.Need("cos:GetBucketVersioning", on: .bucket)
    case .bucketInfo, .readTags, .changeTags, .deleteTags, .objectAttributes: nil
    case .listObjects, .listObjectsV2: Operation.Need("cos:GetBucket", on: .list)
    case .listUploads: Operation.Need("cos:ListMultipartUploads", on: .list)
    case .deleteObjects: Operation.Need("cos:DeleteMultipleObjects", on: .objectsOfBody)
    case .putObject, .copyObject: Operation.Need("cos:PutObject", on: .object)
    case .initiateUpload: Operation.Need("cos:InitiateMultipartUpload", on: .object)
    case .uploadPart, .copyPart: Operation.Need("cos:UploadPart", on: .object)
    case .completeUpload: Operation.Need("cos:CompleteMultipartUpload", on: .object)
    case .abortUpload: Operation.Need("cos:AbortMultipartUpload", on: .object)
    case .listParts: Operation.Need("cos:ListParts", on: .object)
    case .getObject: Operation.Need("cos:GetObject", on: .object)
    case .headObject, .objectMeta: Operation.Need("cos:HeadObject", on: .object)
    case .deleteObject: Operation.Need("cos:DeleteObject", on: .object)
    case .readObjectAccess: Operation.Need("cos:GetObjectACL", on: .object)
    case .changeObjectAccess: Operation.Need("cos:PutObjectACL", on: .object)
    }
  }

  func resource(_ name: String, in region: String) -> [String] {
    // In COS, bucket names end with the ID of the account (APPID).
    let number = name.parts(between: "/")[0].words(between: "-").last.flatMap {
      $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? String($0) : nil
    }
    return ["qcs", "", "cos", region, "uid/\(number ?? Self.account)", name]
  }

  func resourceName(ofBucket bucket: String) -> String { "\(bucket)/" }

  func facts(at date: Timestamp) -> [String: String] {
    ["qcs:ip": "127.0.0.1", "qcs:current_time": date.iso8601, "cos:secure-transport": "false"]
  }

  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String] {
    var facts: [String: String] = [:]
    for name in ["content-type", "content-length", "x-cos-acl", "x-cos-storage-class"] {
      facts["cos:\(name)"] = head.headerFields.joined(name)
    }
    // Policies compare parameters in the percent-encoded form of the URL.
    for name in ["prefix", "response-content-type"] {
      facts["cos:\(name)"] = target[WireText(name)]?.string.percentEncoded()
    }
    facts["cos:versionid"] = target["versionId"]?.string
    return facts
  }

  func facts(of form: VerifiedForm) -> [String: String] {
    var facts: [String: String] = [:]
    facts["cos:content-type"] = form.contentType
    facts["cos:content-length"] = form.sizes.upperBound == .max ? nil : "\(form.sizes.upperBound)"
    facts["cos:x-cos-acl"] = form.form["acl"]
    facts["cos:x-cos-storage-class"] = form.form["x-cos-storage-class"]
    return facts
  }

  // MARK: Temporary credentials

  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
    AccessKey(
      id: "AKID" + RandomText.letters(60), secret: RandomText.letters(44),
      sessionToken: RandomText.letters(32) + "/+" + RandomText.base64(byteCount: 150) + "==", start: start,
      expiration: end)
  }

  /// Splits a role name such as `qcs::cam::uin/1250000000:roleName/app` into its colon-separated parts.
  ///
  /// - Returns: `nil` if the role name is invalid.
  func roleResource(_ arn: String) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == 6, parts[0] == "qcs", parts[1].isEmpty, parts[2] == "cam",
      parts[5].hasBytePrefix("roleName/"), !parts[5].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}
