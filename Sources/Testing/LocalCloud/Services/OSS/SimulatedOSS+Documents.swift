// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension SimulatedOSS {
  /// Returns the document as OSS stores it: with elements that OSS adds or changes, without those that it ignores.
  func accepted(_ document: XMLNode) throws(ErrorResponse) -> XMLNode {
    switch document.name {
    case CrossOriginRule.rootElement: return Self.acceptedCORS(document)
    case "RefererConfiguration": return document.addingChild("AllowTruncateQueryString", "true")
    case "WebsiteConfiguration": return Self.acceptedWebsite(document)
    case "LifecycleConfiguration":
      for rule in document.all("Rule") { try Self.checkLifecycleRule(rule) }
    case "ServerSideEncryptionRule": return try Self.acceptedEncryption(document)
    case "HttpsConfiguration": return try Self.acceptedTransport(document)
    case "BucketResourceGroupConfiguration":
      // An empty ID moves the bucket to the default resource group.
      guard document["ResourceGroupId"]?.text.isEmpty == true else { break }
      return XMLNode(document.name, children: [XMLNode("ResourceGroupId", BucketSettings.defaultResourceGroup)])
    case "BucketUserQos":
      guard let capacity = document["StorageCapacity"]?.text, capacity == "-1" || Int64(digits: capacity) != nil else {
        throw .invalidArgument("The StorageCapacity must be a number of gigabytes, or -1 for no limit.")
      }
    default: break
    }
    return document
  }

  /// Returns the rules for web pages of other origins with header names in lowercase, and with the default of OSS.
  private static func acceptedCORS(_ document: XMLNode) -> XMLNode {
    document.addingChild("ResponseVary", "false").replacingDescendants { element in
      element.name == "AllowedHeader" ? XMLNode(element.name, element.text.asciiLowercased) : element
    }
  }

  /// Returns a website in whose mirroring redirects `MirrorPassQueryString` determines `PassQueryString`, as in OSS.
  private static func acceptedWebsite(_ document: XMLNode) -> XMLNode {
    document.replacingDescendants { redirect in
      guard redirect["RedirectType"]?.text == "Mirror", let passes = redirect["MirrorPassQueryString"] else {
        return redirect
      }
      let others = redirect.replacingDescendants { $0.name == "PassQueryString" ? nil : $0 }
      return others.addingChild("PassQueryString", passes.text)
    }
  }

  /// Returns the encryption of a bucket, without the method for data (`KMSDataEncryption`), which only KMS uses.
  private static func acceptedEncryption(_ document: XMLNode) throws(ErrorResponse) -> XMLNode {
    guard let rule = document["ApplyServerSideEncryptionByDefault"] else { return document }
    let method = rule["SSEAlgorithm"]?.text ?? ""
    guard let allowedHeaders = SimulatedService.oss.headers.encryptions[method] else {
      throw ErrorResponse(
        .badRequest, "InvalidEncryptionAlgorithmError", "The Encryption request you specified is not valid: \(method).")
    }
    // Only a method with managed keys allows further headers.
    guard !allowedHeaders.isEmpty || rule["KMSMasterKeyID"]?.text.isEmpty ?? true else {
      throw .invalidArgument("KMSMasterKeyID is not applicable if the SSEAlgorithm is \(method).")
    }
    if method == "KMS" { return document }
    return document.replacingDescendants { $0.name == "KMSDataEncryption" ? nil : $0 }
  }

  private static func acceptedTransport(_ document: XMLNode) throws(ErrorResponse) -> XMLNode {
    let versions = document["TLS"]?.all("TLSVersion").map(\.text) ?? []
    let isEnabled = document["TLS"]?["Enable"]?.text.asciiLowercased == "true"
    guard !(isEnabled && versions.isEmpty), Set(versions).isSubset(of: ["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"])
    else { throw .malformedXML("Enabled TLS needs a TLSVersion from TLSv1.0 to TLSv1.3.") }
    var seenVersions: Set<String> = []
    return document.replacingDescendants { element in
      element.name != "TLSVersion" || seenVersions.insert(element.text).inserted ? element : nil
    }
  }

  private static func checkLifecycleRule(_ rule: XMLNode) throws(ErrorResponse) {
    let refusedCharacters = SimulatedService.oss.objects.charactersRefusedInTags.utf8
    let tagTexts = rule.all("Tag").flatMap(\.children).map(\.text)
    if tagTexts.contains(where: { text in text.utf8.contains { refusedCharacters.contains($0) } }) {
      throw .invalidArgument("A Tag contains a character that tags cannot contain.")
    }
    try checkPeriods("Days", of: rule.all("Transition"), until: rule["Expiration"])
    try checkPeriods(
      "NoncurrentDays", of: rule.all("NoncurrentVersionTransition"), until: rule["NoncurrentVersionExpiration"])
  }

  /// Checks that the days grow from the transition to each storage class to that to a colder one, and the expiration.
  private static func checkPeriods(
    _ daysElement: String, of transitions: [XMLNode], until expiration: XMLNode?
  ) throws(ErrorResponse) {
    if expiration?["CreatedBeforeDate"] != nil, transitions.contains(where: { $0[daysElement] != nil }) {
      throw .invalidRequest("A rule has days or dates, but not both.")
    }
    // From the warmest to the coldest class, without the one in which objects are uploaded.
    let classNames = SimulatedService.oss.objects.storageClasses.dropFirst().map(\.name)
    guard transitions.allSatisfy({ classNames.contains($0["StorageClass"]?.text ?? "") }) else {
      throw .invalidArgument("The StorageClass of a transition must be one of \(classNames.joined(separator: ", ")).")
    }
    let fromWarmest = classNames.flatMap { name in transitions.filter { $0["StorageClass"]?.text == name } }
    let dayTexts = (fromWarmest + [expiration].compactMap(\.self)).compactMap { $0[daysElement]?.text }
    let dayCounts = dayTexts.compactMap { Int(digits: $0) }
    guard dayCounts.count == dayTexts.count, zip(dayCounts, dayCounts.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .invalidArgument("The \(daysElement) must grow from each storage class to the next one and the expiration.")
    }
  }
}

extension XMLNode {
  /// Returns the element with a further child, unless it has a child of that name.
  fileprivate func addingChild(_ name: String, _ text: String) -> XMLNode {
    var node = self
    if self[name] == nil { node.children.append(XMLNode(name, text)) }
    return node
  }

  /// Returns the element with every element below it replaced by the result of a closure, or removed if that is `nil`.
  fileprivate func replacingDescendants(_ change: (XMLNode) -> XMLNode?) -> XMLNode {
    var node = self
    node.children = children.compactMap { change($0.replacingDescendants(change)) }
    return node
  }
}

extension Call {
  private static let regions = """
    cn-hangzhou cn-shanghai cn-nanjing cn-fuzhou cn-wuhan-lr cn-qingdao cn-beijing cn-zhangjiakou cn-huhehaote \
    cn-wulanchabu cn-shenzhen cn-heyuan cn-guangzhou cn-chengdu cn-hongkong us-west-1 us-east-1 ap-northeast-1 \
    ap-northeast-2 ap-southeast-1 ap-southeast-3 ap-southeast-5 ap-southeast-6 ap-southeast-7 eu-central-1 eu-west-1 \
    me-east-1 me-central-1
    """.words(between: " ").map(String.init)

  /// Describes the region that the parameter `regions` names as a location, or all regions if the parameter is empty.
  func describeRegions() throws -> Answer {
    let requested = parameter("regions") ?? ""
    let locations = Self.regions.map(service.location(of:)).filter { requested.isEmpty || $0 == requested }
    guard !locations.isEmpty else {
      throw ErrorResponse(.notFound, "NoSuchRegion", "The region \"\(requested)\" does not exist.")
    }
    let domain = service.description.domains[0]
    let documents = locations.map { location in
      XMLNode(
        "RegionInfo",
        texts: [
          "Region": location, "InternetEndpoint": "\(location)\(domain)",
          "InternalEndpoint": "\(location)-internal\(domain)", "AccelerateEndpoint": "oss-accelerate\(domain)",
        ])
    }
    return service.response(with: XMLNode("RegionInfoList", children: documents))
  }
}
