// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The names, formats and rules of Amazon S3.
///
/// Page: "Amazon S3 REST API Introduction".
struct S3Dialect: Dialect {
  /// The name of the region whose location constraint is empty.
  static let firstRegion = "us-east-1"

  let provider = LocalCloud.Provider.s3
  let endpoint = LocalCloud.Endpoint.s3
  let operations = table
  let policyLanguage = PolicyLanguage.iam
  let headerPrefix = "x-amz-"
  var hosts: ServiceHosts { .s3 }
  let objectAccessHeader = "acl"
  let storageClasses = [
    StorageClass(name: "STANDARD"), StorageClass(name: "REDUCED_REDUNDANCY"), StorageClass(name: "STANDARD_IA"),
    StorageClass(name: "ONEZONE_IA"), StorageClass(name: "INTELLIGENT_TIERING"), StorageClass(name: "GLACIER_IR"),
    StorageClass(name: "GLACIER", isArchive: true), StorageClass(name: "DEEP_ARCHIVE", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-aws-kms-key-id", "server-side-encryption-context",
    "server-side-encryption-bucket-key-enabled",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [],
    "aws:kms": [
      "server-side-encryption-aws-kms-key-id", "server-side-encryption-context",
      "server-side-encryption-bucket-key-enabled",
    ],
  ]
  /// An unused value, because S3 has no bandwidth limits.
  ///
  /// Requests with a header or parameter for a bandwidth limit are rejected beforehand.
  let trafficLimits: ClosedRange<Int64> = 0...0
  let headerRules = rules
  let wrongDigest = RefusalAnswer(
    .badRequest, "BadDigest", "The Content-MD5 you specified did not match what we received.")
  let defaultPageSize = 1000
  let pageSizes = 0...Int(Int32.max)
  let bucketPaging = BucketPaging(
    marker: "continuation-token", limit: "max-buckets", next: "ContinuationToken", most: 10_000)
  let serverName = "AmazonS3"
  let exposedHeaders = ["x-amz-request-id", "x-amz-id-2"] + checksumHeaders
  let unchangedCopySource = RefusalAnswer.preconditionFailed("x-amz-copy-source-If-None-Match")
  let unchangingCopy: RefusalAnswer? = .invalidRequest(
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's "
      + "metadata, storage class, website redirect location or encryption attributes.")
  let defaultContentType = "binary/octet-stream"
  let namespace: String? = "http://s3.amazonaws.com/doc/2006-03-01/"
  let omitsEmptyElements = true
  let checksEveryBody = true
  let keyByteLimit = 1024
  let invalidKey = RefusalAnswer(.badRequest, "KeyTooLongError", "Your key is too long")

  /// The region of the simulated service, which S3 signatures must contain.
  let region: String

  init(region: String = firstRegion) {
    self.region = region
  }

  func region(of configuration: LocalCloud.Configuration) -> String { configuration.s3Region }

  /// The XML element that describes the owner of all buckets and objects, as a canonical user.
  var owner: XMLNode {
    let id = String(repeating: "75aa57f09aa0c8ca", count: 4)
    return XMLNode("Owner", children: [XMLNode("ID", id), XMLNode("DisplayName", "localcloud")])
  }

  /// Returns a new S3 request ID: 16 random hexadecimal digits.
  func makeRequestID(at date: Timestamp) -> String {
    String(hexadecimal: UInt64.random(in: 0 ... .max)).asciiUppercased
  }

  /// Returns the second ID of a request (`x-amz-id-2`), which is derived from the request ID.
  private static func hostID(of requestID: String) -> String { SHA512.hash(Array(requestID.utf8)).base64 }

  func identify(_ answer: inout Answer, as requestID: String) {
    answer.headers.set("x-amz-request-id", requestID)
    answer.headers.set("x-amz-id-2", Self.hostID(of: requestID))
  }

  func entityTag(_ tag: String) -> String { "\"\(tag)\"" }

  func bytes(ofPartTag tag: String) -> [UInt8] { [UInt8](hex: tag) ?? [] }

  /// Returns the response header with an object's storage class, unless the object has the standard storage class.
  func headers(of object: StoredObject) -> HTTPFields {
    var headers: HTTPFields = [:]
    if let name = object.attributes.storageClass, name != standardClass { headers.set("x-amz-storage-class", name) }
    return headers
  }

  func ownBucketCode(in region: String) -> String? {
    region == Self.firstRegion ? nil : "BucketAlreadyOwnedByYou"
  }

  /// Returns the location constraint of a region, which is empty for `us-east-1`.
  func location(of region: String) -> String { region == Self.firstRegion ? "" : region }

  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer) {
    guard let location, !location.isEmpty else {
      guard region != Self.firstRegion else { return }
      throw Self.illegalLocation("unspecified")
    }
    if location != region { throw Self.illegalLocation(location) }
  }

  private static func illegalLocation(_ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "IllegalLocationConstraintException",
      "The \(name) location constraint is incompatible for the region specific endpoint this request was sent to.")
  }

  func isBucketName(_ name: String) -> Bool { isBucketNameWithOrWithoutDots(name) }

  /// Returns an object key or prefix in the encoding that S3 listings use with `encoding-type=url`.
  ///
  /// As in forms, a space becomes `+`. Slashes are not encoded.
  func encodedName(_ name: String) -> String {
    String(writing: { writer in
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: " "): writer.append(UInt8(ascii: "+"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "/"), UInt8(ascii: "*"):
          writer.append(byte)
        default:
          let digits = String(byte, radix: 16, uppercase: true)
          writer.append(byte < 16 ? "%0" : "%")
          writer.append(digits)
        }
      }
    })
  }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    Answer(grants(of: access, everybody: "http://acs.amazonaws.com/groups/global/AllUsers"))
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("CreationDate", bucket.created.iso8601Milliseconds),
        XMLNode("BucketRegion", region),
      ])
  }
}
