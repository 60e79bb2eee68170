// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The names, formats and rules of Alibaba Cloud OSS.
struct OSSDialect: Dialect {
  let provider = LocalCloud.Provider.oss
  let endpoint = LocalCloud.Endpoint.oss
  let operations = table
  let policyLanguage = PolicyLanguage.ram
  let headerPrefix = "x-oss-"
  var hosts: ServiceHosts { .oss }
  let objectAccessHeader = "object-acl"
  let storageClasses = [
    StorageClass(name: "Standard"), StorageClass(name: "IA"), StorageClass(name: "Archive", isArchive: true),
    StorageClass(name: "ColdArchive", isArchive: true), StorageClass(name: "DeepColdArchive", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-key-id", "server-side-data-encryption",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [], "SM4": [], "KMS": ["server-side-encryption-key-id", "server-side-data-encryption"],
  ]
  let trafficLimits: ClosedRange<Int64> = 245_760...838_860_800
  let headerRules = rules
  let wrongDigest = RefusalAnswer.invalidDigest("The Content-MD5 does not match the received body.")
  let defaultPageSize = 100
  let serverName = "AliyunOSS"
  let bucketPaging = BucketPaging(most: 2000)
  let exposedHeaders = ["x-oss-request-id", "x-oss-hash-crc64ecma"]
  let unchangedCopySource = RefusalAnswer(
    .notModified, "NotModified", "The conditions exclude the source object.")

  /// Returns a new OSS request ID: 24 hexadecimal digits that contain the time and random digits.
  func makeRequestID(at date: Timestamp) -> String {
    (String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
      + String(hexadecimal: UInt64.random(in: 0 ... .max)))
      .asciiUppercased
  }

  func identify(_ answer: inout Answer, as requestID: String) { answer.headers.set("x-oss-request-id", requestID) }

  func entityTag(_ tag: String) -> String { "\"\(tag.asciiUppercased)\"" }

  /// Returns the bytes of a part's entity tag in uppercase hexadecimal, as OSS formats it.
  ///
  /// The entity tag of the whole object is the MD5 of these bytes, as the vendor's test suites show.
  func bytes(ofPartTag tag: String) -> [UInt8] { Array(tag.asciiUppercased.utf8) }

  func checksums(of content: Content) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers.set("x-oss-hash-crc64ecma", String(content.crc64))
    if let md5 = [UInt8](hex: content.entityTag) {
      headers[.contentMD5] = String(writing: { $0.append(base64: md5) })
    }
    return headers
  }

  func headers(of object: StoredObject) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers.set("x-oss-object-type", object.isMultipart ? "Multipart" : "Normal")
    headers.set("x-oss-storage-class", object.attributes.storageClass ?? standardClass)
    return headers
  }

  func elements(of object: StoredObject) -> [XMLNode] {
    [XMLNode("Type", object.isMultipart ? "Multipart" : "Normal")]
  }

  func elements(of part: UploadedPart) -> [XMLNode] { [XMLNode("HashCrc64ecma", String(part.content.crc64))] }

  func location(of region: String) -> String { "oss-\(region)" }

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind {
    let isV4 =
      switch verified.placement {
      case .header: request.headerFields[.authorization]?.hasBytePrefix("OSS4") == true
      case .query: verified.wholeTarget.contains("x-oss-signature-version")
      }
    return isV4 ? .ossV4 : .ossV1
  }

  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer {
    .accessDenied("You have no right to access this object because of bucket acl.", ec: "0003-00000001")
  }

  func policyRefusal(at date: Timestamp) -> RefusalAnswer {
    .accessDenied("Access denied by authorizer's policy.", ec: "0003-00000301")
  }

  /// The maximum length, in bytes, of each element of an error document in the header of a response to a HEAD request.
  private static let headerEchoByteLimit = 256

  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer {
    // Headers have stricter size limits than bodies.
    let limit = call.method == .head ? Self.headerEchoByteLimit : .max
    var elements = [
      XMLNode("Code", error.code), XMLNode("Message", error.message.shortened(to: limit)),
      XMLNode("RequestId", call.requestID),
      XMLNode("HostId", call.host.shortened(to: min(limit, RefusalAnswer.echoByteLimit))),
    ]
    elements += error.details.map { XMLNode($0.name, $0.value.shortened(to: limit)) }
    if let ec = error.ec { elements.append(XMLNode("EC", ec)) }
    let document = XMLNode("Error", children: elements).serialized()
    var answer = Answer(error.status)
    if let ec = error.ec { answer.headers.set("x-oss-ec", ec) }
    if call.method == .head {
      answer.headers.set("x-oss-err", String(writing: { $0.append(base64: document) }))
    } else {
      answer.headers[.contentType] = "application/xml"
      answer.body = .bytes(document)
    }
    return answer
  }

  func ownBucketCode(in region: String) -> String? { nil }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    let grant = XMLNode("Grant", access?.rawValue ?? "default")
    return Answer(
      XMLNode("AccessControlPolicy", children: [owner, XMLNode("AccessControlList", children: [grant])]))
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let extranet = "oss-\(region).aliyuncs.com"
    let intranet = endpoint == extranet ? "oss-\(region)-internal.aliyuncs.com" : endpoint
    return XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("Location", location(of: region)), XMLNode("Region", region),
        XMLNode("CreationDate", bucket.created.iso8601Milliseconds), XMLNode("ExtranetEndpoint", endpoint),
        XMLNode("IntranetEndpoint", intranet), XMLNode("StorageClass", standardClass),
      ])
  }
}
