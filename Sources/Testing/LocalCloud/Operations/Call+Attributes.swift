// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  private static let tagLimit = 10
  private static let tagKeyLimit = 128
  private static let tagValueLimit = 256

  /// Returns the object attributes that the request headers specify: storage class, tags and encryption.
  func attributes() throws(ErrorResponse) -> ObjectAttributes {
    var attributes = ObjectAttributes()
    if let name = own("storage-class") {
      guard service.objects.storageClasses.contains(where: { $0.name == name }) else {
        throw .invalidArgument("\"\(name)\" is not a storage class of the service.")
      }
      attributes.storageClass = name
    }
    attributes.tags = try Self.tags(own("tagging") ?? "")
    attributes.encryption = try encryption()
    attributes.customerKey = try customerKey()
    if attributes.customerKey != nil, !attributes.encryption.isEmpty {
      throw .invalidArgument("An object is encrypted with the service's key or with a customer's key, not with both.")
    }
    return attributes
  }

  /// Parses percent-encoded `name=value` tags that are joined by `&`.
  private static func tags(_ text: String) throws(ErrorResponse) -> [ObjectDescription.Header] {
    var tags: [ObjectDescription.Header] = []
    for pair in text.parts(between: "&") where !text.isEmpty {
      let parts = pair.parts(between: "=", atMost: 1)
      let texts = parts.map { part in
        String(part).percentDecodedBytes(plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
      }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else { throw invalidTag }
      tags.append(ObjectDescription.Header(name: name, value: value))
    }
    try check(tags)
    return tags
  }

  /// Checks the tags of an object against the limits of the services.
  ///
  /// - Throws: `InvalidTag` if there are too many tags, or if a tag's name or value is too long, empty or not unique.
  static func check(_ tags: [ObjectDescription.Header]) throws(ErrorResponse) {
    var names: Set<ByteExactString> = []
    for tag in tags {
      guard !tag.name.isEmpty, tag.name.unicodeScalars.count <= tagKeyLimit,
        tag.value.unicodeScalars.count <= tagValueLimit, names.insert(ByteExactString(tag.name)).inserted
      else { throw invalidTag }
    }
    guard tags.count <= tagLimit else {
      throw ErrorResponse(.badRequest, "InvalidTag", "An object has at most \(tagLimit) tags.")
    }
  }

  private static let invalidTag = ErrorResponse(
    .badRequest, "InvalidTag",
    "A tag has a name of 1 to \(tagKeyLimit) characters, which must be unique, and a value of up to \(tagValueLimit); "
      + "in a header both are percent-encoded.")

  func encryption() throws(ErrorResponse) -> [ObjectDescription.Header] {
    let names = service.headers.encryption
    let headers = names.compactMap { name in own(name).map { ObjectDescription.Header(name: name, value: $0) } }
    guard let first = headers.first else { return [] }
    guard first.name == names[0], let rules = service.headers.encryptions[first.value] else {
      throw .invalidArgument(
        "The header \(service.header(names[0])) must be one of \(service.headers.encryptions.keys.sorted()).")
    }
    if let other = headers.dropFirst().first(where: { !rules.contains($0.name) }) {
      throw .invalidArgument("The header \(service.header(other.name)) cannot be combined with \(first.value).")
    }
    return headers
  }

  /// Returns the customer-provided encryption key in the request's headers, or `nil` if the request contains no key.
  ///
  /// - Parameter prefix: The prefix of the names of the headers that contain the key.
  func customerKey(_ prefix: String = "") throws(ErrorResponse) -> CustomerKey? {
    try CustomerKey { own(prefix + $0) }
  }

  /// Checks that the request can read an object, given the object's storage class and customer-provided encryption key.
  ///
  /// - Parameters:
  ///   - object: The object to read.
  ///   - prefix: The prefix of the names of the headers that contain the encryption key.
  func checkReadable(_ object: StoredObject, prefix: String = "") throws(ErrorResponse) {
    try CustomerKey.check(try customerKey(prefix), against: object.attributes.customerKey)
    let isArchived = service.objects.storageClasses.contains {
      $0.name == object.attributes.storageClass && $0.isArchive
    }
    if isArchived {
      throw ErrorResponse(
        .forbidden, "InvalidObjectState",
        "The object must be restored before it can be read, which this server does not support.")
    }
  }

  /// Adds the response headers that report the encryption of an object or part.
  func describe(_ attributes: ObjectAttributes, in headers: inout HTTPFields) {
    for header in attributes.encryption { headers.set(service.header(header.name), header.value) }
    guard let key = attributes.customerKey else { return }
    headers.set(service.header(CustomerKey.algorithmHeader), CustomerKey.algorithm)
    headers.set(service.header("\(CustomerKey.keyHeader)-MD5"), key.md5)
  }

  /// The bandwidth limit that the request specifies, in bits per second, or `nil` if the request specifies no limit.
  private var trafficLimit: String? {
    own("traffic-limit") ?? parameter(ByteExactString(service.header("traffic-limit")))
  }

  /// Echoes the requested bandwidth limit in the response, so that a client can see that the server received the limit.
  func repeatLimit(in response: inout Answer) {
    if let trafficLimit { response.headers.set(service.header("traffic-limit"), trafficLimit) }
  }

  /// Validates the requested bandwidth limit and the request payer, which have no effect on this server.
  func checkHarmless() throws(ErrorResponse) {
    if let limit = trafficLimit {
      guard let number = Int64(digits: limit), service.objects.trafficLimits.contains(number) else {
        let limits = service.objects.trafficLimits
        throw .invalidArgument(
          "The traffic limit must be an integer of bits per second from \(limits.lowerBound) to \(limits.upperBound).")
      }
    }
    let payer = own("request-payer") ?? parameter(ByteExactString(service.header("request-payer")))
    if let payer, payer != "requester" {
      throw .invalidArgument("The payer of a request can only be \"requester\".")
    }
  }
}
