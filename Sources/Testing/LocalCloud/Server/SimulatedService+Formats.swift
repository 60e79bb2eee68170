// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

// What the server derives from the values of a service.

extension SimulatedService {
  /// The ID of the account that owns all buckets.
  static let account = "1250000000"

  /// The XML element that describes the owner of all buckets and objects.
  static let owner = XMLNode("Owner", children: [XMLNode("ID", account), XMLNode("DisplayName", "localcloud")])

  /// The storage class of an object whose upload specified no storage class.
  var standardClass: String { objects.storageClasses[0].name }

  /// Returns the full name of a service-specific header, given the name without the service's prefix.
  func header(_ rest: String) -> String { description.header(rest) }

  /// The prefix of the names of user metadata headers.
  var metadataPrefix: String { header("meta-") }

  /// Returns whether a string is a valid bucket name of the service.
  func isBucketName(_ name: String) -> Bool {
    buckets.allowsDots ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }

  // MARK: Signatures

  /// Returns the signature scheme that a verified request uses.
  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind {
    guard let newer = signatures.versioned else { return signatures.usual }
    let isNewer =
      switch verified.placement {
      case .header: request.headerFields[.authorization]?.hasBytePrefix(newer.authorization) == true
      case .query: verified.wholeTarget.contains(newer.parameter)
      }
    return isNewer ? newer.kind : signatures.usual
  }

  /// Returns the signature scheme that a verified form upload uses.
  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind {
    guard let newer = signatures.versioned, form[newer.parameter.string] != nil else { return signatures.usual }
    return newer.kind
  }

  // MARK: Buckets

  /// Returns the name that a document about a bucket uses for a region.
  func location(of region: String) -> String {
    region == buckets.firstRegion ? "" : buckets.locationPrefix + region
  }

  /// Returns the error code for creating a bucket that the caller already owns, or `nil` if creating it is no error.
  func ownBucketCode(in region: String) -> String? { region == buckets.firstRegion ? nil : buckets.ownCode }

  /// Throws an error response if a location constraint specifies a location other than the region.
  func checkLocation(_ location: String?, in region: String) throws(ErrorResponse) {
    guard let firstRegion = buckets.firstRegion else { return }
    let name = location ?? ""
    guard name.isEmpty ? region != firstRegion : name != region else { return }
    throw ErrorResponse(
      .badRequest, "IllegalLocationConstraintException",
      "The \(name.isEmpty ? "unspecified" : name) location constraint is incompatible for the region specific endpoint "
        + "this request was sent to.")
  }

  /// Returns the response with an access control setting; for an object, `nil` means the setting of its bucket.
  func accessAnswer(_ access: AccessControl?) -> Answer {
    func grant(_ type: String, _ grantee: [XMLNode], _ permission: String) -> XMLNode {
      var to = XMLNode("Grantee", children: grantee)
      to.attributes = ["xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:type": type]
      return XMLNode("Grant", children: [to, XMLNode("Permission", permission)])
    }
    var grants: [XMLNode]
    if let everybody = buckets.everybody {
      grants = [grant("CanonicalUser", Self.owner.children, "FULL_CONTROL")]
      if access == .publicRead { grants.append(grant("Group", [XMLNode("URI", everybody)], "READ")) }
    } else {
      grants = [XMLNode("Grant", access?.rawValue ?? "default")]
    }
    var response = self.response(
      with: XMLNode("AccessControlPolicy", children: [Self.owner, XMLNode("AccessControlList", children: grants)]))
    if access == nil, buckets.tellsInheritedAccess { response.headers.set(header("acl"), "default") }
    return response
  }

  // MARK: Objects

  /// Returns whether the service ignores a byte range and responds with the whole object.
  ///
  /// - Parameter isStandard: Whether the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool {
    objects.ignoresExceedingRanges && !isStandard && !range.lies(within: byteCount)
  }

  /// Returns the content encoding to store with an object, or `nil` to store no content encoding.
  func storedEncoding(_ encoding: String) -> String? {
    guard let framing = objects.framingEncoding else { return encoding }
    let kept = encoding.words(between: ",").map { $0.trimmingBlanks }.filter { $0.asciiLowercased != framing }
    return kept.isEmpty ? nil : kept.joined(separator: ",")
  }

  /// Returns an entity tag in quotation marks, as the service formats it.
  func entityTag(_ tag: String) -> String { "\"\(objects.hasUppercaseTags ? tag.asciiUppercased : tag)\"" }

  /// Returns the bytes that a part's entity tag contributes to the digest in the object's entity tag.
  func bytes(ofPartTag tag: String) -> [UInt8] {
    objects.hasUppercaseTags ? Array(tag.asciiUppercased.utf8) : [UInt8](hex: tag) ?? []
  }

  /// Returns the response headers with the checksums of an object or a part.
  func checksums(of content: Content) -> HTTPFields {
    var fields: HTTPFields = [:]
    if let name = objects.crc64Header { fields.set(header(name), String(content.crc64)) }
    if objects.tellsMD5, let md5 = [UInt8](hex: content.entityTag) {
      fields[.contentMD5] = String(writing: { $0.append(base64: md5) })
    }
    if let checksum = content.checksum {
      fields.set(header("checksum-\(checksum.algorithm)"), checksum.value)
      fields.set(header("checksum-type"), checksum.typeName)
    }
    return fields
  }

  /// Returns the response headers with an object's checksums for a read request with the given headers and target.
  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields {
    guard let name = objects.checksumMode.map(header) else { return checksums(of: content) }
    let mode = headers.first(name) ?? target[ByteExactString(name)]?.string
    return mode?.asciiUppercased == "ENABLED" ? checksums(of: content) : [:]
  }

  /// Returns the additional response headers for an object that is read.
  func headers(of object: StoredObject) -> HTTPFields {
    var fields: HTTPFields = [:]
    if objects.tellsType { fields.set(header("object-type"), object.typeName) }
    let name = object.attributes.storageClass
    let isTold =
      switch headers.storageClass {
      case .always: true
      case .ifSpecified: name != nil
      case .unlessStandard: name != nil && name != standardClass
      }
    if isTold { fields.set(header("storage-class"), name ?? standardClass) }
    return fields
  }

  /// Returns the additional headers of the response that initiates a multipart upload.
  func headers(of upload: PendingUpload) -> HTTPFields {
    var fields: HTTPFields = [:]
    guard let rule = upload.checksum, rule.isChosen else { return fields }
    fields.set(header("checksum-algorithm"), rule.algorithm.asciiUppercased)
    fields.set(header("checksum-type"), rule.typeName)
    return fields
  }

  // MARK: Documents

  /// Returns a response with an XML document, whose namespace becomes the service's.
  func response(with document: XMLNode) -> Answer {
    var document = document
    if let namespace = listing.namespace { document.attributes["xmlns"] = namespace }
    return Answer(document)
  }

  /// Returns the additional XML elements of an object in listings.
  func elements(of object: StoredObject) -> [XMLNode] {
    (objects.tellsType ? [XMLNode("Type", object.typeName)] : [])
      + (object.content.checksum.map {
        [XMLNode("ChecksumAlgorithm", $0.algorithm.asciiUppercased), XMLNode("ChecksumType", $0.typeName)]
      } ?? [])
  }

  /// Returns the additional XML elements of a part in listings.
  func elements(of part: UploadedPart) -> [XMLNode] {
    (objects.crc64Header == nil ? [] : [XMLNode("HashCrc64ecma", String(part.content.crc64))])
      + (part.content.checksum.map { [XMLNode($0.elementName, $0.value)] } ?? [])
  }

  /// Returns an object key or prefix in the encoding that documents use with `encoding-type=url`.
  func encodedName(_ name: String) -> String {
    guard listing.encodesNamesAsForms else { return name.percentEncoded() }
    return String(writing: { writer in
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: " "): writer.append(UInt8(ascii: "+"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "/"), UInt8(ascii: "*"):
          writer.append(byte)
        default:
          writer.append(byte < 16 ? "%0" : "%")
          writer.append(String(byte, radix: 16, uppercase: true))
        }
      }
    })
  }

  /// Adds the headers with the request ID to a response.
  func identify(_ response: inout Answer, as requestID: String) {
    for name in headers.requestID { response.headers.set(header(name), requestID) }
    if let name = headers.hostID { response.headers.set(header(name), Self.hostID(of: requestID)) }
  }

  /// Returns the second ID of a request, which is derived from the request ID.
  static func hostID(of requestID: String) -> String { SHA512.hash(Array(requestID.utf8)).base64 }

  // MARK: Errors

  /// Returns the error response for a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> ErrorResponse { dated(errors.anonymous, date) }

  /// Returns the error response for a request that the session policy of the access key does not allow.
  func policyRefusal(at date: Timestamp) -> ErrorResponse { dated(errors.policy, date) }

  private func dated(_ refusal: ErrorResponse, _ date: Timestamp) -> ErrorResponse {
    guard errors.haveServerTime else { return refusal }
    var refusal = refusal
    refusal.details.append(ErrorResponse.Detail(name: "ServerTime", value: date.iso8601))
    return refusal
  }
}

extension StoredObject {
  fileprivate var typeName: String { isMultipart ? "Multipart" : "Normal" }
}

extension StoredChecksum {
  var typeName: String { isComposite ? "COMPOSITE" : "FULL_OBJECT" }
  var elementName: String { "Checksum\(algorithm.asciiUppercased)" }

  /// The XML elements that describe the checksum in the response to a copy or a completed upload.
  var elements: [XMLNode] { [XMLNode(elementName, value), XMLNode("ChecksumType", typeName)] }
}

extension ChecksumRule {
  var typeName: String { isComposite ? "COMPOSITE" : "FULL_OBJECT" }
  var elementName: String { "Checksum\(algorithm.asciiUppercased)" }

  /// The XML elements that describe the rule of a multipart upload in listings; empty if the client did not choose it.
  var elements: [XMLNode] {
    isChosen ? [XMLNode("ChecksumAlgorithm", algorithm.asciiUppercased), XMLNode("ChecksumType", typeName)] : []
  }
}
