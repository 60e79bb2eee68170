// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  private static let tagLimit = 10
  private static let tagKeyLimit = 128
  private static let tagValueLimit = 256

  func requestedAttributes() throws(ErrorResponse) -> ObjectAttributes {
    var attributes = ObjectAttributes()
    let name = serviceHeader("storage-class")
    let storageClass = service.objects.storageClasses.first { $0.name == name }
    if let name, storageClass == nil { throw .invalidArgument("\"\(name)\" is not a storage class of the service.") }
    attributes.storageClass = storageClass?.storedName ?? (try? store.read(bucket) { $0.settings.storageClass })
    attributes.tags = try tags(serviceHeader("tagging") ?? "")
    attributes.encryption = try requestedEncryption()
    attributes.customerKey = try customerKey()
    if attributes.customerKey != nil, !attributes.encryption.isEmpty {
      throw .invalidArgument("An object is encrypted with the service's key or with a customer's key, not with both.")
    }
    if attributes.customerKey == nil, attributes.encryption.isEmpty { attributes.encryption = bucketEncryption }
    if !service.buckets.objectsInheritAccess, (try? store.read(bucket) { $0.owner }) != rights.account {
      attributes.owner = rights.account
    }
    return attributes
  }

  /// Decodes the header with tags, which has the form of a query: `name=value&name=value`.
  private func tags(_ text: String) throws(ErrorResponse) -> [ObjectDescription.Header] {
    var tags: [ObjectDescription.Header] = []
    for pair in text.parts(between: "&") where !text.isEmpty {
      let parts = pair.parts(between: "=", maxSplits: 1)
      let texts = parts.map { String($0).percentDecodedBytes(plusIsSpace: true).flatMap { String(utf8: $0) } }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else { throw Self.invalidTag }
      tags.append(ObjectDescription.Header(name: name, value: value))
    }
    try requireValid(tags)
    return tags.sorted { ByteExactString($0.name) < ByteExactString($1.name) }
  }

  private func requireValid(_ tags: [ObjectDescription.Header]) throws(ErrorResponse) {
    var names: Set<ByteExactString> = []
    let forbiddenBytes = service.objects.charactersRefusedInTags.utf8
    for tag in tags {
      guard !tag.name.isEmpty, tag.name.unicodeScalars.count <= Self.tagKeyLimit,
        tag.value.unicodeScalars.count <= Self.tagValueLimit, names.insert(ByteExactString(tag.name)).inserted,
        !(tag.name + tag.value).utf8.contains(where: { forbiddenBytes.contains($0) })
      else { throw Self.invalidTag }
    }
    guard tags.count <= Self.tagLimit else {
      throw ErrorResponse(.badRequest, "InvalidTag", "An object has at most \(Self.tagLimit) tags.")
    }
  }

  private static let invalidTag = ErrorResponse(
    .badRequest, "InvalidTag",
    "A tag has a name of 1 to \(tagKeyLimit) characters, which must be unique, and a value of up to \(tagValueLimit); "
      + "in a header both are percent-encoded.")

  /// Returns the headers with which the object's encryption is stored; the header for the method comes first.
  func requestedEncryption() throws(ErrorResponse) -> [ObjectDescription.Header] {
    let names = service.headers.encryption
    let (methodHeader, methods) = (names[0], service.headers.encryptions)
    let ignoredHeader = serviceHeader(methodHeader) == "KMS" ? nil : service.headers.kmsOnlyEncryption
    let headers = names.filter { $0 != ignoredHeader }.compactMap { name in
      serviceHeader(name).map { ObjectDescription.Header(name: name, value: $0) }
    }
    guard let method = headers.first else { return [] }
    guard method.name == methodHeader, let allowed = methods[method.value] else {
      throw .invalidArgument("The header \(service.header(methodHeader)) must be one of \(methods.keys.sorted()).")
    }
    if let other = headers.dropFirst().first(where: { !allowed.contains($0.name) }) {
      throw .invalidArgument("The header \(service.header(other.name)) cannot be combined with \(method.value).")
    }
    let defaultKey = service.headers.defaultKeys[method.value].map { [$0] } ?? []
    return headers + defaultKey.filter { key in !headers.contains { $0.name == key.name } }
  }

  private static let encryptionElements = ["SSEAlgorithm", "KMSMasterKeyID", "KMSDataEncryption"]

  /// Returns the encryption document of a bucket that is created with headers for encryption.
  func encryptionRule(_ headers: [ObjectDescription.Header]) -> String {
    let elements = zip(Self.encryptionElements, service.headers.encryption).compactMap { element, name in
      headers.first { $0.name == name }.map { XMLNode(element, $0.value) }
    }
    let rule = XMLNode(
      "ServerSideEncryptionRule", children: [XMLNode("ApplyServerSideEncryptionByDefault", children: elements)])
    return String(decoding: rule.serialized(), as: UTF8.self)
  }

  /// The encryption headers of objects for which the bucket's document, and not the request, determines the encryption.
  private var bucketEncryption: [ObjectDescription.Header] {
    guard let document = store.document("encryption", of: bucket),
      let rule = (document["Rule"] ?? document)["ApplyServerSideEncryptionByDefault"],
      let method = rule["SSEAlgorithm"]?.text, let allowedHeaders = service.headers.encryptions[method]
    else { return [] }
    let names = service.headers.encryption
    var headers = [ObjectDescription.Header(name: names[0], value: method)]
    for (element, name) in zip(Self.encryptionElements, names).dropFirst() where allowedHeaders.contains(name) {
      guard let value = rule[element]?.text, !value.isEmpty, HTTPField.isValidValue(value) else { continue }
      headers.append(ObjectDescription.Header(name: name, value: value))
    }
    if headers.count == 1, let key = service.headers.defaultKeys[method] { headers.append(key) }
    return headers
  }

  func customerKey(_ prefix: String = "") throws(ErrorResponse) -> CustomerKey? {
    try CustomerKey { serviceHeader(prefix + $0) }
  }

  func addHeaders(of attributes: ObjectAttributes, to headers: inout HTTPFields) {
    for header in attributes.encryption { headers.set(service.header(header.name), header.value) }
    guard let key = attributes.customerKey else { return }
    headers.set(service.header(CustomerKey.algorithmHeader), CustomerKey.algorithm)
    headers.set(service.header("\(CustomerKey.keyHeader)-MD5"), key.md5)
  }

  /// Adds the headers that report the encryption of an object, and its version if the bucket has or had versions.
  func addHeaders(of object: StoredObject, to headers: inout HTTPFields) {
    addHeaders(of: object.attributes, to: &headers)
    let isNull = object.version == StoredObject.nullVersion
    if versioning != nil, !isNull || operation.isRead || service.objects.reportsNullVersions {
      headers.set(service.header("version-id"), object.version)
    }
  }

  /// Replaces an object with a changed copy, unless another request replaced or deleted it in the meantime.
  func replace(_ object: StoredObject, _ change: (StoredObject) -> StoredObject) async throws {
    try await store.put(change(object), in: bucket, inPlaceOf: object) { bucket in
      guard bucket.versions(of: key).contains(where: { $0 === object }) else { throw ErrorResponse.operationAborted }
    }
  }

  func readTags() throws -> Answer {
    let tags = try requestedObject().attributes.tags.map { XMLNode("Tag", texts: ["Key": $0.name, "Value": $0.value]) }
    return service.response("Tagging", [XMLNode("TagSet", children: tags)])
  }

  func changeTags() async throws -> Answer {
    guard let set = try await readRequiredDocument(named: "Tagging")["TagSet"] else {
      throw ErrorResponse.malformedXML("The document has no TagSet.")
    }
    let tags = try set.all("Tag").map { tag in
      guard let name = tag["Key"]?.text, let value = tag["Value"]?.text else {
        throw ErrorResponse.malformedXML("A Tag needs a Key and a Value.")
      }
      return ObjectDescription.Header(name: name, value: value)
    }
    try requireValid(tags)
    try await replace(requestedObject()) { $0.with(tags: tags) }
    return Answer()
  }

  func deleteTags() async throws -> Answer {
    try await replace(requestedObject()) { $0.with(tags: []) }
    return Answer(.noContent)
  }

  /// Returns the number of an object's parts, and a page of their list if they have checksums.
  private func partList(of content: Content) throws(ErrorResponse) -> [XMLNode] {
    guard let sizes = content.partSizes else { return [] }
    let total = XMLNode("PartsCount", String(sizes.count))
    guard let checksums = content.partChecksums else { return [total] }
    guard let marker = Int(digits: serviceHeader("part-number-marker") ?? "0"),
      let count = Int(digits: serviceHeader("max-parts") ?? "1000")
    else { throw .invalidArgument("The headers for a page of the parts must be integers.") }
    let limit = min(count, 1000)
    let parts = zip(sizes, checksums).enumerated().dropFirst(marker).prefix(limit).map { index, part in
      let (size, checksum) = part
      return XMLNode(
        "Part", texts: ["PartNumber": String(index + 1), "Size": String(size), checksum.elementName: checksum.value])
    }
    let next = marker + parts.count
    return [
      total, XMLNode("PartNumberMarker", String(marker)), XMLNode("NextPartNumberMarker", String(next)),
      XMLNode("MaxParts", String(limit)), XMLNode("IsTruncated", String(next < sizes.count)),
    ] + parts
  }

  /// Returns the attributes that a request header lists, in the element order of the service's documents.
  func objectAttributes() throws -> Answer {
    let object = try requestedObject()
    try CustomerKey.check(try customerKey(), against: object.attributes.customerKey)
    let header = service.header("object-attributes")
    let names = (headers.joined(header) ?? "").parts(between: ",").map { String($0.droppingBlanks) }
    guard names != [""] else {
      throw ErrorResponse.invalidRequest(
        "The \(header) header specifying the attributes to be retrieved is either missing or empty")
    }
    let content = object.content
    let attributes: KeyValuePairs = [
      "ETag": XMLNode("ETag", content.entityTag),
      "Checksum": XMLNode("Checksum", children: content.checksum?.elements ?? []),
      "ObjectParts": XMLNode("ObjectParts", children: try partList(of: content)),
      "StorageClass": XMLNode("StorageClass", service.storageClass(object.attributes.storageClass)),
      "ObjectSize": XMLNode("ObjectSize", String(content.byteCount)),
    ]
    guard names.allSatisfy({ name in attributes.contains { $0.key == name } }) else {
      throw ErrorResponse.invalidArgument("Invalid attribute name specified.")
    }
    let selected = attributes.filter { names.contains($0.key) && !($0.value.text.isEmpty && $0.value.children.isEmpty) }
    var response = service.response("GetObjectAttributesResponse", selected.map(\.value))
    response.headers[.lastModified] = object.modified.httpDate
    addHeaders(of: object, to: &response.headers)
    return response
  }
}
