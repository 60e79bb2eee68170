// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension SimulatedOSS {
  /// Returns the document as OSS stores it: with elements that OSS adds or changes, without those that it ignores.
  func accepted(_ document: XMLNode) throws(ErrorResponse) -> XMLNode {
    switch document.name {
    case CrossOriginRule.rootElement:
      return document.adding("ResponseVary", "false").replacing { element in
        element.name == "AllowedHeader" ? XMLNode(element.name, element.text.asciiLowercased) : element
      }
    case "RefererConfiguration": return document.adding("AllowTruncateQueryString", "true")
    case "WebsiteConfiguration":
      return document.replacing { element in
        guard element["RedirectType"]?.text == "Mirror", let passes = element["MirrorPassQueryString"] else {
          return element
        }
        return element.replacing { $0.name == "PassQueryString" ? nil : $0 }.adding("PassQueryString", passes.text)
      }
    case "LifecycleConfiguration":
      for rule in document.all("Rule") { try Self.checkLifecycle(rule) }
    case "ServerSideEncryptionRule":
      guard let rule = document["ApplyServerSideEncryptionByDefault"] else { break }
      try Self.checkEncryption(rule)
      return document.replacing { ($0.name != "KMSDataEncryption" || rule["SSEAlgorithm"]?.text == "KMS") ? $0 : nil }
    case "HttpsConfiguration":
      let versions = document["TLS"]?.all("TLSVersion").map(\.text) ?? []
      let isEnabled = document["TLS"]?["Enable"]?.text.asciiLowercased == "true"
      let known = ["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"]
      guard !(isEnabled && versions.isEmpty), versions.allSatisfy({ known.contains($0) }) else {
        throw .malformedXML("Enabled TLS needs a TLSVersion from TLSv1.0 to TLSv1.3.")
      }
      var seenVersions: Set<String> = []
      return document.replacing { $0.name != "TLSVersion" || seenVersions.insert($0.text).inserted ? $0 : nil }
    case "BucketResourceGroupConfiguration":
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

  /// Checks the tags of a rule, and that its days grow from each class to the next colder one and the expiration.
  private static func checkLifecycle(_ rule: XMLNode) throws(ErrorResponse) {
    let refused = SimulatedService.oss.objects.charactersRefusedInTags.utf8
    if rule.all("Tag").flatMap(\.children).contains(where: { $0.text.utf8.contains { refused.contains($0) } }) {
      throw .invalidArgument("A Tag contains a character that tags cannot contain.")
    }
    for (version, days) in [("", "Days"), ("NoncurrentVersion", "NoncurrentDays")] {
      let transitions = rule.all("\(version)Transition")
      let end = rule["\(version)Expiration"]
      if end?["CreatedBeforeDate"] != nil, transitions.contains(where: { $0[days] != nil }) {
        throw .invalidRequest("A rule has days or dates, but not both.")
      }
      // From the warmest to the coldest class, without the one in which objects are uploaded.
      let classes = SimulatedService.oss.objects.storageClasses.dropFirst().map(\.name)
      guard transitions.allSatisfy({ classes.contains($0["StorageClass"]?.text ?? "") }) else {
        throw .invalidArgument("The StorageClass of a transition must be one of \(classes.joined(separator: ", ")).")
      }
      let sorted = classes.flatMap { name in transitions.filter { $0["StorageClass"]?.text == name } }
      let texts = (sorted + (end.map { [$0] } ?? [])).compactMap { $0[days]?.text }
      let periods = texts.compactMap { Int(digits: $0) }
      guard periods.count == texts.count, zip(periods, periods.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw .invalidArgument("The \(days) must grow from each storage class to the next one and the expiration.")
      }
    }
  }

  private static func checkEncryption(_ rule: XMLNode) throws(ErrorResponse) {
    let method = rule["SSEAlgorithm"]?.text ?? ""
    guard let headers = SimulatedService.oss.headers.encryptions[method] else {
      throw ErrorResponse(
        .badRequest, "InvalidEncryptionAlgorithmError", "The Encryption request you specified is not valid: \(method).")
    }
    guard !headers.isEmpty || rule["KMSMasterKeyID"]?.text.isEmpty ?? true else {
      throw .invalidArgument("KMSMasterKeyID is not applicable if the SSEAlgorithm is \(method).")
    }
  }
}

extension XMLNode {
  /// Returns the element with a further child, unless it has a child of that name.
  fileprivate func adding(_ name: String, _ text: String) -> XMLNode {
    var node = self
    if self[name] == nil { node.children.append(XMLNode(name, text)) }
    return node
  }

  /// Returns the element with every element in it replaced by the result of a closure, or removed if that is `nil`.
  fileprivate func replacing(_ change: (XMLNode) -> XMLNode?) -> XMLNode {
    var node = self
    node.children = children.compactMap { change($0.replacing(change)) }
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

  func describeRegions() throws -> Answer {
    let requested = parameter("regions") ?? ""
    let names = Self.regions.map(service.location(of:)).filter { requested.isEmpty || $0 == requested }
    guard !names.isEmpty else {
      throw ErrorResponse(.notFound, "NoSuchRegion", "The region \"\(requested)\" does not exist.")
    }
    let domain = service.description.domains[0]
    let regions = names.map { name in
      let endpoints = [
        XMLNode("Region", name), XMLNode("InternetEndpoint", name + domain),
        XMLNode("InternalEndpoint", "\(name)-internal\(domain)"),
        XMLNode("AccelerateEndpoint", "oss-accelerate\(domain)"),
      ]
      return XMLNode("RegionInfo", children: endpoints)
    }
    return service.response(with: XMLNode("RegionInfoList", children: regions))
  }
}
