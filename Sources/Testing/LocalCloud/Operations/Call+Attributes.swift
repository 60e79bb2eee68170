// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  /// Returns the attributes for a new object: those in the headers or, if they are absent, the defaults of the bucket.
  func requestedAttributes() throws(ErrorResponse) -> ObjectAttributes {
    var attributes = ObjectAttributes()
    attributes.storageClass = try requestedStorageClass()
    attributes.tags = try decodedTags(serviceHeader("tagging") ?? "")
    attributes.encryption = try requestedEncryption()
    attributes.customerKey = try customerKey()
    if attributes.customerKey != nil, !attributes.encryption.isEmpty {
      throw .invalidArgument("An object is encrypted with the service's key or with a customer's key, not with both.")
    }
    if attributes.customerKey == nil, attributes.encryption.isEmpty { attributes.encryption = bucketEncryption }
    // In S3, an object belongs to the account that stores it, even in the bucket of another account.
    if !service.buckets.objectsInheritAccess, (try? store.read(bucket) { $0.owner }) != rights.account {
      attributes.owner = rights.account
    }
    return attributes
  }

  /// Returns the stored name of the storage class that the request or the bucket selects, or `nil` for the default.
  private func requestedStorageClass() throws(ErrorResponse) -> String? {
    guard let name = serviceHeader("storage-class") else { return try? store.read(bucket) { $0.settings.storageClass } }
    guard let storageClass = service.objects.storageClasses.first(where: { $0.name == name }) else {
      throw .invalidArgument("\"\(name)\" is not a storage class of the service.")
    }
    return storageClass.storedName
  }

  /// Replaces an object with a changed copy, unless another request replaced or deleted it in the meantime.
  func replace(_ object: StoredObject, _ change: (StoredObject) -> StoredObject) async throws {
    try await store.put(change(object), in: bucket, inPlaceOf: object) { bucket in
      guard bucket.versions(of: key).contains(where: { $0 === object }) else { throw ErrorResponse.operationAborted }
    }
  }

  /// Adds the headers that report the encryption of an object, and its version if the bucket has or had versions.
  func addEncryptionAndVersion(of object: StoredObject, to headers: inout HTTPFields) {
    addEncryption(of: object.attributes, to: &headers)
    guard versioning != nil else { return }
    // The services differ only in the responses to writes of a version without an ID.
    let isNull = object.version == StoredObject.nullVersion
    if !isNull || operation.isRead || service.objects.reportsNullVersions {
      headers.set(service.header("version-id"), object.version)
    }
  }

  // MARK: Encryption

  func addEncryption(of attributes: ObjectAttributes, to headers: inout HTTPFields) {
    for header in attributes.encryption { headers.set(service.header(header.name), header.value) }
    guard let key = attributes.customerKey else { return }
    headers.set(service.header(CustomerKey.algorithmHeader), CustomerKey.algorithm)
    // The spelling of S3, for clients that compare names of headers with their case.
    headers.set(service.header("\(CustomerKey.keyHeader)-MD5"), key.md5)
  }

  /// Returns the digest of the customer's key in headers whose names start with a prefix, such as `copy-source-`.
  func customerKey(prefix: String = "") throws(ErrorResponse) -> CustomerKey? {
    try CustomerKey { serviceHeader(prefix + $0) }
  }

  /// Returns the headers with which the object's encryption is stored; the header for the method comes first.
  func requestedEncryption() throws(ErrorResponse) -> [ObjectDescription.Header] {
    let (names, methods) = (service.headers.encryption, service.headers.encryptions)
    let methodName = names[0]
    let ignoredName = serviceHeader(methodName) == "KMS" ? nil : service.headers.kmsOnlyEncryption
    let headers = names.filter { $0 != ignoredName }.compactMap { name in
      serviceHeader(name).map { ObjectDescription.Header(name: name, value: $0) }
    }
    guard let method = headers.first else { return [] }
    // The first header is another one if the request names no method.
    guard method.name == methodName, let allowedNames = methods[method.value] else {
      throw .invalidArgument("The header \(service.header(methodName)) must be one of \(methods.keys.sorted()).")
    }
    if let refused = headers.dropFirst().first(where: { !allowedNames.contains($0.name) }) {
      throw .invalidArgument("The header \(service.header(refused.name)) cannot be combined with \(method.value).")
    }
    return addingDefaultKey(to: headers)
  }

  /// Returns encryption headers with the service's own key, if the method needs a key and they name none.
  private func addingDefaultKey(to headers: [ObjectDescription.Header]) -> [ObjectDescription.Header] {
    guard let method = headers.first, let key = service.headers.defaultKeys[method.value],
      !headers.contains(where: { $0.name == key.name })
    else { return headers }
    return headers + [key]
  }

  /// The elements of a bucket's encryption document, each with the service's header in its place; the method comes first.
  private var encryptionElements: [(element: String, header: String)] {
    zip(["SSEAlgorithm", "KMSMasterKeyID", "KMSDataEncryption"], service.headers.encryption).map { ($0, $1) }
  }

  /// Returns the encryption document of a bucket that is created with headers for encryption.
  func encryptionRule(_ headers: [ObjectDescription.Header]) -> String {
    let elements = encryptionElements.compactMap { element, name in
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
      let method = rule["SSEAlgorithm"]?.text, let allowedNames = service.headers.encryptions[method]
    else { return [] }
    var headers = [ObjectDescription.Header(name: service.headers.encryption[0], value: method)]
    for (element, name) in encryptionElements.dropFirst() where allowedNames.contains(name) {
      guard let value = rule[element]?.text, !value.isEmpty, HTTPField.isValidValue(value) else { continue }
      headers.append(ObjectDescription.Header(name: name, value: value))
    }
    return addingDefaultKey(to: headers)
  }

  // MARK: Tags

  private static let tagLimit = 10
  private static let tagNameLimit = 128
  private static let tagValueLimit = 256

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
      return ObjectAttributes.Tag(name: name, value: value)
    }
    try requireValid(tags)
    try await replace(requestedObject()) { $0.with(tags: tags) }
    return Answer()
  }

  func deleteTags() async throws -> Answer {
    try await replace(requestedObject()) { $0.with(tags: []) }
    return Answer(.noContent)
  }

  /// Decodes the header with tags, which has the form of a query: `name=value&name=value`.
  private func decodedTags(_ header: String) throws(ErrorResponse) -> [ObjectAttributes.Tag] {
    var tags: [ObjectAttributes.Tag] = []
    for pair in header.parts(between: "&") where !header.isEmpty {
      let parts = pair.parts(between: "=", maxSplits: 1)
      let texts = parts.map { String($0).percentDecodedBytes(plusIsSpace: true).flatMap { String(utf8: $0) } }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else { throw Self.invalidTag }
      tags.append(ObjectAttributes.Tag(name: name, value: value))
    }
    try requireValid(tags)
    return tags.sorted { ByteExactString($0.name) < ByteExactString($1.name) }
  }

  private func requireValid(_ tags: [ObjectAttributes.Tag]) throws(ErrorResponse) {
    let refusedBytes = service.objects.charactersRefusedInTags.utf8
    var names: Set<ByteExactString> = []
    for tag in tags {
      let hasRefusedByte = (tag.name + tag.value).utf8.contains { refusedBytes.contains($0) }
      guard (1...Self.tagNameLimit).contains(tag.name.unicodeScalars.count),
        tag.value.unicodeScalars.count <= Self.tagValueLimit, !hasRefusedByte,
        names.insert(ByteExactString(tag.name)).inserted
      else { throw Self.invalidTag }
    }
    guard tags.count <= Self.tagLimit else {
      throw ErrorResponse(.badRequest, "InvalidTag", "An object has at most \(Self.tagLimit) tags.")
    }
  }

  private static let invalidTag = ErrorResponse(
    .badRequest, "InvalidTag",
    "A tag has a name of 1 to \(tagNameLimit) characters, which must be unique, and a value of up to \(tagValueLimit); "
      + "some services refuse some characters, and in a header both are percent-encoded.")
}
