// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension Call {
  func listBuckets() throws -> Answer {
    let prefix = parameter("prefix") ?? ""
    let names = service.listing
    let marker = parameter(names.bucketMarker) ?? ""
    let limit = try number(names.bucketLimit, default: 1000, in: 1...names.mostBuckets)
    let buckets = store.bucketsByName.filter {
      $0.name.utf8.starts(with: prefix.utf8) && ByteExactString($0.name) > ByteExactString(marker)
    }
    let page = buckets.prefix(limit)
    let isTruncated = page.count < buckets.count
    let list = XMLNode(
      "Buckets", children: page.map { service.behavior.document(for: $0, region: region, endpoint: endpoint) })
    var elements = [SimulatedService.owner]
    if service.listing.omitsEmptyElements {
      elements.append(list)
      if !prefix.isEmpty { elements.append(XMLNode("Prefix", prefix)) }
    } else {
      elements += [
        XMLNode("Prefix", prefix), XMLNode("Marker", marker), XMLNode("MaxKeys", String(limit)),
        XMLNode("IsTruncated", String(isTruncated)), list,
      ]
    }
    if isTruncated, let last = page.last { elements.append(XMLNode(names.nextBucket, last.name)) }
    return service.response(with: XMLNode("ListAllMyBucketsResult", children: elements))
  }

  /// The host of the request, without the bucket name if the request is virtual-hosted-style.
  private var endpoint: String {
    guard AddressingStyle(authority: host) == .virtualHosted, let label = service.description.hosts.bucket(in: host),
      label.utf8.elementsEqual(bucket.utf8), let endpoint = host.removingBytePrefix("\(label).")
    else { return host }
    return String(endpoint)
  }

  func createBucket() async throws -> Answer {
    try service.checkLocation(try await bucketDocument(), in: region)
    let access = try access(named: own("acl"), isObject: false)
    if let code = service.ownBucketCode(in: region), store.bucketsByName.contains(where: { $0.name == bucket }) {
      throw ErrorResponse.bucketAlreadyExists(code, bucket)
    }
    try await store.createBucket(bucket, access: access, at: date)
    return Answer(headers: [.location: "/\(bucket)"])
  }

  /// Reads the request's document and returns its location constraint, or `nil` if the request specifies no location.
  ///
  /// - Throws: `NotImplemented` if the document requests a kind of bucket that this server does not support.
  private func bucketDocument() async throws -> String? {
    guard let document = try await optionalDocument(named: "CreateBucketConfiguration") else { return nil }
    for element in document.children {
      switch (element.name, element.text) {
      case ("LocationConstraint", _), ("StorageClass", service.standardClass), ("DataRedundancyType", "LRS"): continue
      default:
        throw ErrorResponse.notImplemented(
          "The element \"\(element.name)\" of the document requests a bucket that this server does not support.")
      }
    }
    return document["LocationConstraint"]?.text
  }

  func deleteBucket() async throws -> Answer {
    try await store.deleteBucket(bucket)
    return Answer(.noContent)
  }

  func headBucket() throws -> Answer {
    try store.read(bucket) { _ in }
    var response = Answer()
    response.headers.set(service.header("bucket-region"), region)
    return response
  }

  func bucketLocation() throws -> Answer {
    try store.read(bucket) { _ in }
    return service.response(with: XMLNode("LocationConstraint", service.location(of: region)))
  }

  /// Returns an empty versioning configuration, as the services do for a bucket that never had versioning.
  func bucketVersioning() throws -> Answer {
    try store.read(bucket) { _ in }
    return service.response(with: XMLNode("VersioningConfiguration"))
  }

  func bucketInfo() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    var document = service.behavior.document(for: bucket, region: region, endpoint: endpoint)
    let grant = XMLNode("Grant", bucket.access.rawValue)
    document.children += [
      SimulatedService.owner, XMLNode("AccessControlList", children: [grant]), XMLNode("DataRedundancyType", "LRS"),
      XMLNode("Comment"),
    ]
    return service.response(with: XMLNode("BucketInfo", children: [document]))
  }

  // MARK: Access

  func readBucketAccess() throws -> Answer {
    service.accessAnswer(try store.read(bucket) { $0.access })
  }

  func changeBucketAccess() async throws -> Answer {
    try store.read(bucket) { _ in }
    guard let name = own("acl") else { throw Self.grantsByDocument }
    try await store.createBucket(bucket, access: try access(named: name, isObject: false), at: date)
    return Answer()
  }

  func readObjectAccess() throws -> Answer {
    service.accessAnswer(try store.object(key, in: bucket).access)
  }

  func changeObjectAccess() async throws -> Answer {
    guard let name = own(service.headers.objectAccess) else { throw Self.grantsByDocument }
    let access = try access(named: name, isObject: true)
    try await describeAnew { $0.with(access: access) }
    return Answer()
  }

  private static let grantsByDocument = ErrorResponse.notImplemented(
    "This server supports access control only by the header, and no grants to single users.")

  /// Parses the value of an access control header, or returns `nil` for the default access control.
  func access(named name: String?, isObject: Bool) throws(ErrorResponse) -> AccessControl? {
    guard let name, !(isObject && name == "default") else { return nil }
    if let access = AccessControl(rawValue: name) { return access }
    if ["public-read-write", "authenticated-read"].contains(name) {
      throw .notImplemented("The access control \"\(name)\" is not supported; use private or public-read.")
    }
    throw .invalidArgument("The access control \"\(name)\" is invalid; use private or public-read.")
  }
}
