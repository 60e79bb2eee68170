// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  func listBuckets() throws -> Answer {
    let prefix = parameter("prefix") ?? ""
    let listing = service.listing
    let marker = parameter(listing.bucketMarker) ?? ""
    let limit = try numericParameter(listing.bucketLimit, default: 1000, in: 1...listing.bucketPageLimit)
    guard parameter("regionList")?.isEmpty != false else {
      throw ErrorResponse.notImplemented("This server has one region, so that the regionList must be empty.")
    }
    let tags = try requestedTags()
    let buckets = try store.bucketsByName.filter {
      try $0.owner == rights.account && $0.name.utf8.starts(with: prefix.utf8)
        && ByteExactString($0.name) > ByteExactString(marker) && selects($0, tags)
    }
    let page = buckets.prefix(limit)
    let isTruncated = page.count < buckets.count
    let documents = page.map { bucket in
      service.behavior.document(for: bucket, region: bucket.settings.region ?? region, endpoint: endpoint)
    }
    let list = XMLNode("Buckets", children: documents)
    var elements = [service.owner(rights.account)]
    if listing.omitsEmptyElements {
      elements.append(list)
      if !prefix.isEmpty { elements.append(XMLNode("Prefix", prefix)) }
    } else {
      elements += [
        XMLNode("Prefix", prefix), XMLNode("Marker", marker), XMLNode("MaxKeys", String(limit)),
        XMLNode("IsTruncated", String(isTruncated)), list,
      ]
    }
    if isTruncated, let last = page.last { elements.append(XMLNode(listing.nextBucketElement, last.name)) }
    return service.response("ListAllMyBucketsResult", elements)
  }

  /// Returns whether the filters of OSS and COS for the list of buckets select a bucket.
  private func selects(_ bucket: Bucket, _ tags: [(key: String, value: String?)]) throws(ErrorResponse) -> Bool {
    if let name = parameter("region"), name != bucket.settings.region ?? region { return false }
    if let group = serviceHeader("resource-group-id"), group != bucket.settings.resourceGroup { return false }
    let bucketTags = bucket.settings.document("tagging")?["TagSet"]?.all("Tag") ?? []
    let hasTags = tags.allSatisfy { tag in
      bucketTags.contains { $0["Key"]?.text == tag.key && (tag.value ?? $0["Value"]?.text) == $0["Value"]?.text }
    }
    guard hasTags else { return false }
    guard let range = parameter("range") else { return true }
    guard let time = parameter("create-time").flatMap({ Int64(digits: $0) }) else {
      throw .invalidArgument("The create-time must be a time in seconds since 1970.")
    }
    let comparisons: [String: (Int64, Int64) -> Bool] = ["lt": (<), "lte": (<=), "gt": (>), "gte": (>=)]
    guard let isInRange = comparisons[range] else { throw .invalidArgument("The range must be lt, lte, gt or gte.") }
    return isInRange(bucket.created.unixSeconds, time)
  }

  /// Returns the tags that listed buckets must have; a value of `nil` stands for any value.
  private func requestedTags() throws(ErrorResponse) -> [(key: String, value: String?)] {
    guard let text = parameter("tagging") else {
      guard let key = parameter("tag-key") ?? parameter("tagkey"), !key.isEmpty else { return [] }
      return [(key: key, value: parameter("tag-value") ?? parameter("tagvalue"))]
    }
    guard let tags = try? JSONValue(parsing: "{\(text)}".utf8).object else {
      throw .invalidArgument("The tagging must have the form \"key\":\"value\",\"key\":\"value\".")
    }
    return tags.map { (key: $0.name, value: $0.value.string) }
  }

  /// The host of the request without the bucket name.
  private var endpoint: String {
    guard AddressingStyle(authority: host) == .virtualHosted, let label = service.description.hosts.bucket(in: host),
      label.utf8.elementsEqual(bucket.utf8), let endpoint = host.removingBytePrefix("\(label).")
    else { return host }
    return String(endpoint)
  }

  func createBucket() async throws -> Answer {
    let document = try await readConfiguration()
    try service.checkLocation(document?["LocationConstraint"]?.text, in: region)
    let access = try requestedAccess(isObject: false)
    let encryption = try requestedEncryption()
    let owner = try? store.read(bucket) { $0.owner }
    if let owner, owner != rights.account { throw ErrorResponse.bucketAlreadyExists("BucketAlreadyExists", bucket) }
    if owner != nil, let code = service.alreadyOwnedCode(in: region) {
      throw ErrorResponse.bucketAlreadyExists(code, bucket)
    }
    try await store.configure(bucket, creatingAt: date) { settings in
      // Since the check above, another account can have created the bucket.
      if let currentOwner = settings.owner, currentOwner != rights.account {
        throw ErrorResponse.bucketAlreadyExists("BucketAlreadyExists", bucket)
      }
      settings.access = access ?? settings.access
      settings.owner = rights.account
      settings.region = settings.region ?? service.behavior.region(in: host)
      settings.storageClass = document?["StorageClass"]?.text ?? settings.storageClass
      settings.redundancy = document?["DataRedundancyType"]?.text ?? settings.redundancy
      if !encryption.isEmpty {
        settings.documents = (settings.documents ?? [:]).merging(["encryption": encryptionRule(encryption)]) { $1 }
      }
    }
    return Answer(headers: [.location: "/\(bucket)"])
  }

  /// Reads the document for a new bucket, or throws if it asks for a property that a bucket of this server cannot have.
  private func readConfiguration() async throws -> XMLNode? {
    let document = try await readOptionalDocument(named: "CreateBucketConfiguration")
    for element in document?.children ?? [] {
      switch element.name {
      case "LocationConstraint": continue
      case "StorageClass" where service.objects.storageClasses.contains { $0.name == element.text }: continue
      case "DataRedundancyType" where ["LRS", "ZRS"].contains(element.text): continue
      case "StorageClass", "DataRedundancyType":
        throw ErrorResponse.invalidArgument("\"\(element.text)\" is not a \(element.name) of the service.")
      default:
        throw ErrorResponse.notImplemented(
          "The element \"\(element.name)\" of the document requests a bucket that this server does not support.")
      }
    }
    return document
  }

  func deleteBucket() async throws -> Answer {
    try await store.deleteBucket(bucket, withUploads: service.buckets.deletesUploads)
    return Answer(.noContent)
  }

  private func bucketRegion() throws -> String { try store.read(bucket) { $0.settings.region ?? region } }

  func headBucket() throws -> Answer {
    var response = Answer()
    response.headers.set(service.header("bucket-region"), try bucketRegion())
    return response
  }

  func bucketLocation() throws -> Answer {
    service.response(with: XMLNode("LocationConstraint", service.location(of: try bucketRegion())))
  }

  func bucketInfo() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    func setting(_ name: String, _ element: String, of parameter: String, or fallback: String) -> XMLNode {
      XMLNode(name, bucket.settings.document(parameter)?[element]?.text ?? fallback)
    }
    let encryption = bucket.settings.document("encryption")?["ApplyServerSideEncryptionByDefault"]?.children
    var document = service.behavior.document(for: bucket, region: region, endpoint: endpoint)
    document.children += [
      service.owner(bucket.owner), XMLNode("AccessControlList", children: [XMLNode("Grant", bucket.access.rawValue)]),
      XMLNode("DataRedundancyType", bucket.settings.redundancy ?? "LRS"), XMLNode("Comment"),
      setting("AccessMonitor", "Status", of: "accessmonitor", or: "Disabled"),
      setting("BlockPublicAccess", "BlockPublicAccess", of: "publicAccessBlock", or: "false"),
      XMLNode("CrossRegionReplication", "Disabled"), XMLNode("TransferAcceleration", "Disabled"),
      XMLNode("ServerSideEncryptionRule", children: encryption ?? [XMLNode("SSEAlgorithm", "None")]),
    ]
    if let state = bucket.settings.versioning { document.children.append(XMLNode("Versioning", state.rawValue)) }
    return service.response("BucketInfo", [document])
  }

  func bucketStat() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    func elements(_ className: String, _ objects: [StoredObject]) -> [XMLNode] {
      let size = String(objects.reduce(0) { $0 + $1.content.byteCount })
      let hasRealSize = !className.isEmpty && className != service.standardClass
      return (hasRealSize ? [XMLNode("\(className)RealStorage", size)] : [])
        + [XMLNode("\(className)Storage", size), XMLNode("\(className)ObjectCount", String(objects.count))]
    }
    let objects = bucket.allVersions.filter { $0.kind != .deleteMarker }
    let partCounts = bucket.uploads.values.map { $0.parts.count }
    let classes = service.objects.storageClasses.map(\.name).flatMap { name in
      let objectsOfClass = objects.filter { service.storageClass($0.attributes.storageClass) == name }
      return elements(name == "IA" ? "InfrequentAccess" : name, objectsOfClass)
    }
    let counts = [
      XMLNode("MultipartUploadCount", String(partCounts.count)),
      XMLNode("MultipartPartCount", String(partCounts.reduce(0, +))),
      XMLNode("LiveChannelCount", "0"), XMLNode("DeleteMarkerCount", String(bucket.allVersions.count - objects.count)),
      XMLNode("LastModifiedTime", String(bucket.allVersions.isEmpty ? 0 : date.unixSeconds)),
    ]
    return service.response("BucketStat", elements("", objects) + counts + classes)
  }
}
