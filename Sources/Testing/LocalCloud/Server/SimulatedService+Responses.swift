// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension SimulatedService {
  /// The number of the account of keys without another one; it owns the buckets of the configuration.
  static let account = "1250000000"
  func ownerID(_ number: String) -> String { buckets.hashesOwnerIDs ? SHA256.hash(Array(number.utf8)).hex : number }
  /// Returns the numbers that stand for an account in requests and policies.
  func numbers(of account: String) -> [String] { account == Self.account ? buckets.accounts : [account] }

  func owner(_ number: String?) -> XMLNode {
    let number = number ?? Self.account
    let name = number == Self.account ? "localcloud" : number
    return XMLNode("Owner", children: [XMLNode("ID", ownerID(number)), XMLNode("DisplayName", name)])
  }

  var standardClass: String { objects.storageClasses[0].name }

  /// Returns the name of the storage class of an object, given the name with which it is stored.
  func storageClass(_ stored: String?) -> String {
    guard let stored else { return standardClass }
    return objects.storageClasses.first { $0.storedName == stored }?.name ?? stored
  }

  func header(_ rest: String) -> String { description.header(rest) }
  var metadataPrefix: String { header("meta-") }

  func isBucketName(_ name: String) -> Bool {
    buckets.allowsDots ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }

  // MARK: Signatures

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind {
    guard let newer = signatures.versioned else { return signatures.defaultKind }
    let isNewer =
      verified.placement == .header
      ? request.headerFields[.authorization]?.hasBytePrefix(newer.authorization) == true
      : verified.wholeTarget.contains(newer.parameter)
    return isNewer ? newer.kind : signatures.defaultKind
  }

  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind {
    guard let newer = signatures.versioned, form[newer.parameter.string] != nil else { return signatures.defaultKind }
    return newer.kind
  }

  // MARK: Buckets

  func location(of region: String) -> String { region == buckets.firstRegion ? "" : buckets.locationPrefix + region }
  func alreadyOwnedCode(in region: String) -> String? { region == buckets.firstRegion ? nil : buckets.alreadyOwnedCode }

  func checkLocation(_ location: String?, in region: String) throws(ErrorResponse) {
    guard let firstRegion = buckets.firstRegion else { return }
    let name = location ?? ""
    guard name.isEmpty ? region != firstRegion : name != region else { return }
    throw ErrorResponse(
      .badRequest, "IllegalLocationConstraintException",
      "The \(name.isEmpty ? "unspecified" : name) location constraint is incompatible for the region specific endpoint "
        + "this request was sent to.")
  }

  /// Returns the response with an access control; `nil` stands for that of the bucket of an object.
  func accessAnswer(_ access: AccessControl?, of owner: String, in bucketOwner: String) -> Answer {
    var grants = [XMLNode("Grant", access?.rawValue ?? "default")]
    if let groupURIPrefix = buckets.groupURIPrefix {
      grants = (access ?? .private).grants(owner: owner, bucketOwner: bucketOwner).map { grant in
        let uri = [XMLNode("URI", groupURIPrefix + grant.grantee)]
        var grantee = XMLNode("Grantee", children: grant.isOfGroup ? uri : self.owner(grant.grantee).children)
        grantee.attributes = [
          "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
          "xsi:type": grant.isOfGroup ? "Group" : "CanonicalUser",
        ]
        return XMLNode("Grant", children: [grantee, XMLNode("Permission", grant.permission.rawValue)])
      }
    }
    let list = XMLNode("AccessControlList", children: grants)
    var response = response("AccessControlPolicy", [self.owner(owner), list])
    if access == nil, buckets.reportsInheritedAccess { response.headers.set(header("acl"), "default") }
    return response
  }

  // MARK: Objects

  /// Whether the service ignores a byte range, unless the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool {
    objects.ignoresExceedingRanges && !isStandard && !range.lies(within: byteCount)
  }

  func storedEncoding(_ encoding: String) -> String? {
    let names = encoding.words(between: ",").map { $0.trimmingBlanks }
    let kept = names.filter { $0.asciiLowercased != objects.framingEncoding }
    guard kept.count < names.count else { return encoding }
    return kept.isEmpty ? nil : kept.joined(separator: ",")
  }

  /// Returns an entity tag in quotation marks, as the service formats it.
  func entityTag(_ tag: String) -> String { "\"\(objects.hasUppercaseTags ? tag.asciiUppercased : tag)\"" }

  /// Returns the bytes that a part's entity tag contributes to the digest in the object's entity tag.
  func bytes(ofPartTag tag: String) -> [UInt8] {
    objects.hasUppercaseTags ? Array(tag.asciiUppercased.utf8) : [UInt8](hex: tag) ?? []
  }

  func checksums(of content: Content) -> HTTPFields {
    var fields: HTTPFields = [:]
    if let name = objects.crc64Header.flatMap(headerName) { fields[name] = String(content.crc64) }
    if objects.reportsMD5, let md5 = [UInt8](hex: content.entityTag) { fields[.contentMD5] = md5.base64 }
    if let checksum = content.checksum {
      fields.set(header("checksum-\(checksum.algorithm)"), checksum.value)
      fields.set(header("checksum-type"), checksum.typeName)
    }
    return fields
  }

  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields {
    guard let name = objects.checksumMode.map(header) else { return checksums(of: content) }
    let mode = headers.first(name) ?? target[ByteExactString(name)]?.string
    return mode?.asciiUppercased == "ENABLED" ? checksums(of: content) : [:]
  }

  func headers(of object: StoredObject) -> HTTPFields {
    var fields: HTTPFields = [:]
    if objects.reportsObjectType, let name = headerName("object-type") { fields[name] = object.kind.rawValue }
    if object.kind == .appendable { fields.set(header("next-append-position"), String(object.content.byteCount)) }
    let storageClass = storageClass(object.attributes.storageClass)
    if headers.storageClass == .always || storageClass != standardClass, let name = headerName("storage-class") {
      fields[name] = storageClass
    }
    return fields
  }

  func headers(of upload: PendingUpload) -> HTTPFields {
    var fields: HTTPFields = [:]
    guard let rule = upload.checksum, rule.isChosen else { return fields }
    fields.set(header("checksum-algorithm"), rule.algorithm.asciiUppercased)
    fields.set(header("checksum-type"), rule.typeName)
    return fields
  }

  // MARK: Documents

  func response(_ root: String, _ children: [XMLNode]) -> Answer { response(with: XMLNode(root, children: children)) }

  /// Returns a response with an XML document, whose namespace becomes the service's.
  func response(with document: XMLNode) -> Answer {
    var document = document
    if let namespace = listing.namespace { document.attributes["xmlns"] = namespace }
    return Answer(document)
  }

  func elements(of object: StoredObject) -> [XMLNode] {
    (objects.reportsObjectType ? [XMLNode("Type", object.kind.rawValue)] : [])
      + (object.content.checksum.map {
        [XMLNode("ChecksumAlgorithm", $0.algorithm.asciiUppercased), XMLNode("ChecksumType", $0.typeName)]
      } ?? [])
  }

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
        case _ where byte.isASCIILetterOrDigit || "-._/*".utf8.contains(byte): writer.append(byte)
        default: writer.append((byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true))
        }
      }
    })
  }

  func identify(_ response: inout Answer, as requestID: String) {
    for name in headers.requestID.compactMap(headerName) { response.headers[name] = requestID }
    if let name = headers.hostID.flatMap(headerName) { response.headers[name] = Self.hostID(of: requestID) }
  }

  static func hostID(of requestID: String) -> String { SHA512.hash(Array(requestID.utf8)).base64 }

  // MARK: Errors

  func anonymousRefusal(at date: Timestamp) -> ErrorResponse { dated(errors.anonymous, date) }
  func policyRefusal(at date: Timestamp) -> ErrorResponse { dated(errors.policy, date) }

  private func dated(_ refusal: ErrorResponse, _ date: Timestamp) -> ErrorResponse {
    guard errors.haveServerTime else { return refusal }
    var refusal = refusal
    refusal.details.append(ErrorResponse.Detail(name: "ServerTime", value: date.iso8601))
    return refusal
  }
}

extension StoredChecksum {
  var typeName: String { isComposite ? "COMPOSITE" : "FULL_OBJECT" }
  var elementName: String { "Checksum\(algorithm.asciiUppercased)" }
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
