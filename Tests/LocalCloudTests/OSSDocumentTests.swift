// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the documents of buckets that only OSS has or checks, and the lists of buckets that its requests narrow.
final class OSSDocumentTests: CloudTestCase {
  /// Sends a document and returns the code of its refusal, or `nil` if it is accepted.
  private func put(_ body: String, as parameter: String, _ client: TestClient) async throws -> String? {
    let reply = try await client.send(.put, query: [parameter: nil], body: Array(body.utf8))
    return reply.status == 200 ? nil : try reply.errorCode
  }

  func testLifecycleRulesMoveObjectsBeforeTheyExpire() async throws {
    func transition(_ name: String, _ days: Int, noncurrent: Bool = false) -> String {
      let (element, unit) = noncurrent ? ("NoncurrentVersionTransition", "NoncurrentDays") : ("Transition", "Days")
      return "<\(element)><\(unit)>\(days)</\(unit)><StorageClass>\(name)</StorageClass></\(element)>"
    }
    let expiration = "<Expiration><Days>6</Days></Expiration>"
    let cases: [(rule: String, code: String?)] = [
      (transition("Archive", 5) + transition("IA", 2) + expiration, nil),
      (transition("IA", 5) + transition("Archive", 2) + expiration, "InvalidArgument"),
      (transition("IA", 6) + expiration, "InvalidArgument"), (transition("IA", 7) + expiration, "InvalidArgument"),
      (transition("Standard", 5) + expiration, "InvalidArgument"), (transition("IA", 5), nil),
      (
        "<Transition><Days>soon</Days><StorageClass>IA</StorageClass></Transition>" + transition("Archive", 7),
        "InvalidArgument"
      ),
      (
        "<Expiration><CreatedBeforeDate>2016-12-25T00:00:00.000Z</CreatedBeforeDate></Expiration>"
          + transition("IA", 5), "InvalidRequest"
      ),
      (transition("IA", 20, noncurrent: true) + transition("Archive", 12, noncurrent: true), "InvalidArgument"),
      (transition("IA", 12, noncurrent: true) + transition("Archive", 20, noncurrent: true), nil),
      ("<Tag><Key>a b+-=._:/</Key><Value>中文</Value></Tag>" + expiration, nil),
      ("<Tag><Key>%&amp;</Key><Value>v</Value></Tag>" + expiration, "InvalidArgument"),
      ("<Tag><Key>k</Key><Value>)%</Value></Tag>" + expiration, "InvalidArgument"),
    ]
    try await withEachService(of: [.oss]) { client in
      for (rule, code) in cases {
        let body = "<LifecycleConfiguration><Rule><Status>Enabled</Status>\(rule)</Rule></LifecycleConfiguration>"
        let refusal = try await put(body, as: "lifecycle", client)
        XCTAssertEqual(refusal, code, rule)
      }
      let rule = "<LifecycleConfiguration><Rule><Status>Enabled</Status>\(expiration)</Rule></LifecycleConfiguration>"
      let overlapping = try await client.send(
        .put, query: ["lifecycle": nil], headers: ["x-oss-allow-same-action-overlap": "true"], body: Array(rule.utf8))
      XCTAssertEqual(overlapping.status, 200, overlapping.text)
    }
  }

  func testEncryptionEncryptedTransportAndCapacityAreChecked() async throws {
    func encryption(_ method: String, _ key: String) -> String {
      """
      <ServerSideEncryptionRule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>\(method)</SSEAlgorithm>\
      <KMSMasterKeyID>\(key)</KMSMasterKeyID></ApplyServerSideEncryptionByDefault></ServerSideEncryptionRule>
      """
    }
    func transport(_ isEnabled: String, _ versions: String...) -> String {
      let list = versions.map { "<TLSVersion>\($0)</TLSVersion>" }.joined()
      return "<HttpsConfiguration><TLS><Enable>\(isEnabled)</Enable>\(list)</TLS></HttpsConfiguration>"
    }
    func capacity(_ text: String) -> String {
      "<BucketUserQos><StorageCapacity>\(text)</StorageCapacity></BucketUserQos>"
    }
    let cases: [(parameter: String, body: String, code: String?)] = [
      ("encryption", encryption("KMS", "1"), nil), ("encryption", encryption("AES256", ""), nil),
      ("encryption", encryption("AES256", "1"), "InvalidArgument"),
      ("encryption", encryption("random", ""), "InvalidEncryptionAlgorithmError"),
      ("httpsConfig", transport("True", "TLSv1.2", "TLSv1.3"), nil), ("httpsConfig", transport("false"), nil),
      ("httpsConfig", transport("true"), "MalformedXML"), ("httpsConfig", transport("true", "aaa"), "MalformedXML"),
      ("qos", capacity("100"), nil), ("qos", capacity("-1"), nil), ("qos", capacity("-2"), "InvalidArgument"),
    ]
    try await withEachService(of: [.oss]) { client in
      let unset = try await client.send(.get, query: ["qos": nil]).document
      XCTAssertEqual(unset["StorageCapacity"]?.text, "-1")
      for (parameter, body, code) in cases {
        let refusal = try await put(body, as: parameter, client)
        XCTAssertEqual(refusal, code, body)
      }
    }
  }

  func testDocumentsAreReturnedAsTheServiceWritesThem() async throws {
    func transport(_ versions: String) -> String {
      "<HttpsConfiguration><TLS><Enable>true</Enable>\(versions)</TLS></HttpsConfiguration>"
    }
    func rule(_ method: String, _ more: String) -> String {
      """
      <ServerSideEncryptionRule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>\(method)</SSEAlgorithm>\(more)\
      </ApplyServerSideEncryptionByDefault></ServerSideEncryptionRule>
      """
    }
    func redirect(_ more: String, _ type: String) -> String {
      """
      <WebsiteConfiguration><RoutingRules><RoutingRule><Redirect><RedirectType>\(type)</RedirectType>\(more)\
      <MirrorPassQueryString>true</MirrorPassQueryString></Redirect></RoutingRule></RoutingRules></WebsiteConfiguration>
      """
    }
    let sm4 = "<KMSDataEncryption>SM4</KMSDataEncryption>"
    let origin = "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
    let (version, group) = ("<TLSVersion>TLSv1.2</TLSVersion>", "BucketResourceGroupConfiguration")
    let cases: [(parameter: String, body: String, part: String, missing: String)] = [
      ("httpsConfig", transport(version + version), transport(version), version + version),
      ("encryption", rule("AES256", sm4), rule("AES256", ""), sm4),
      ("encryption", rule("KMS", sm4), rule("KMS", sm4), "AES256"),
      (
        "cors", "\(origin)<AllowedHeader>X-A</AllowedHeader></CORSRule></CORSConfiguration>",
        "<AllowedHeader>x-a</AllowedHeader>", "X-A"
      ),
      (
        "cors", "\(origin)</CORSRule></CORSConfiguration>", "<ResponseVary>false</ResponseVary>", "<ResponseVary>true"
      ),
      (
        "cors", "\(origin)</CORSRule><ResponseVary>true</ResponseVary></CORSConfiguration>",
        "<ResponseVary>true</ResponseVary>", "false"
      ),
      (
        "referer", "<RefererConfiguration><AllowEmptyReferer>True</AllowEmptyReferer></RefererConfiguration>",
        "<AllowTruncateQueryString>true</AllowTruncateQueryString>", "True"
      ),
      (
        "website", redirect("<PassQueryString>false</PassQueryString>", "Mirror"),
        "<PassQueryString>true</PassQueryString>", "<PassQueryString>false</PassQueryString>"
      ),
      (
        "website", redirect("<PassQueryString>false</PassQueryString>", "External"),
        "<PassQueryString>false</PassQueryString>", "<PassQueryString>true</PassQueryString>"
      ),
      (
        "resourceGroup", "<\(group)><ResourceGroupId></ResourceGroupId></\(group)>",
        "<ResourceGroupId>rg-localcloud</ResourceGroupId>", "<ResourceGroupId></ResourceGroupId>"
      ),
    ]
    try await withEachService(of: [.oss]) { client in
      for (parameter, body, part, missing) in cases {
        let refusal = try await put(body, as: parameter, client)
        XCTAssertNil(refusal, body)
        let stored = try await client.send(.get, query: [parameter: nil]).text
        XCTAssertTrue(stored.contains(part), stored)
        XCTAssertFalse(stored.contains(missing), stored)
      }
    }
  }

  func testStatusOfThePolicyTellsWhetherItIsPublic() async throws {
    func policy(_ effect: String, _ more: String) -> [UInt8] {
      let statement = #""Effect":"\#(effect)","Action":["oss:GetObject"],"Resource":["acs:oss:*:*:\#(Self.bucket)/*"]"#
      return Array(#"{"Version":"1","Statement":[{\#(statement)\#(more)}]}"#.utf8)
    }
    let address = #","Condition":{"IpAddress":{"acs:SourceIp":["127.0.0.1"]}}"#
    try await withEachService(of: [.oss]) { client in
      _ = try await client.send(.put, "a", body: [1])
      func isPublic() async throws -> String? {
        try await client.send(.get, query: ["policyStatus": nil]).document["IsPublic"]?.text
      }
      let unset = try await isPublic()
      XCTAssertEqual(unset, "false")
      for (effect, more, expected) in [
        ("Allow", "", "true"), ("Allow", #","Principal":["*"]"#, "true"), ("Allow", address, "false"),
        ("Allow", #","Principal":["1300000000"]"#, "false"), ("Deny", "", "false"),
      ] {
        let put = try await client.send(.put, query: ["policy": nil], body: policy(effect, more))
        XCTAssertEqual(put.status, 200, put.text)
        let told = try await isPublic()
        XCTAssertEqual(told, expected, effect + more)
        let unsigned = try await client.send(client.request(.get, "a"))
        XCTAssertEqual(unsigned.status == 200, expected == "true" || more == address, effect + more)
      }
    }
  }

  func testRegionsAreDescribed() async throws {
    try await withEachService(of: [.oss]) { client in
      let all = try await client.send(.get, bucket: nil, query: ["regions": nil]).document.all("RegionInfo")
      XCTAssertGreaterThan(all.count, 20)
      let one = try await client.send(.get, bucket: nil, query: ["regions": "oss-cn-hangzhou"]).document
      XCTAssertEqual(
        one.children,
        [
          XMLNode(
            "RegionInfo",
            children: [
              XMLNode("Region", "oss-cn-hangzhou"), XMLNode("InternetEndpoint", "oss-cn-hangzhou.aliyuncs.com"),
              XMLNode("InternalEndpoint", "oss-cn-hangzhou-internal.aliyuncs.com"),
              XMLNode("AccelerateEndpoint", "oss-accelerate.aliyuncs.com"),
            ])
        ])
      let unknown = try await client.send(.get, bucket: nil, query: ["regions": "aaa"])
      XCTAssertEqual(try unknown.errorCode, "NoSuchRegion")
    }
  }

  func testStatisticsOfAnEmptyBucketHaveNoTime() async throws {
    try await withEachService(of: [.oss]) { client in
      func time() async throws -> String? {
        try await client.send(.get, query: ["stat": nil]).document["LastModifiedTime"]?.text
      }
      let empty = try await time()
      XCTAssertEqual(empty, "0")
      _ = try await client.send(.put, "a", headers: ["x-oss-storage-class": "IA"], body: [1])
      let filled = try await time()
      XCTAssertEqual(filled, "\(clock.now.unixSeconds)")
      let sizes = try await client.send(.get, query: ["stat": nil]).document
      XCTAssertEqual(
        ["InfrequentAccessStorage", "InfrequentAccessRealStorage", "ArchiveRealStorage"].map { sizes[$0]?.text },
        ["1", "1", "0"])
    }
  }

  func testDataEncryptionIsIgnoredWithoutKMS() async throws {
    try await withEachService(of: [.oss]) { client in
      let name = "x-oss-server-side-encryption"
      for (method, kept) in [("KMS", true), ("AES256", false), ("SM4", false), ("", false)] {
        let headers = [name: method, "x-oss-server-side-data-encryption": "SM4"]
        let put = try await client.send(.put, "a", headers: headers, body: [1])
        XCTAssertEqual(put.status, 200, put.text)
        XCTAssertEqual(put.header(name) ?? "", method)
        XCTAssertEqual(put.header("x-oss-server-side-data-encryption"), kept ? "SM4" : nil, method)
      }
    }
  }

  func testStylesAreListedInTheOrderOfTheirCreation() async throws {
    try await withEachService(of: [.oss]) { client in
      func put(_ name: String, _ content: String) async throws -> Reply {
        let body = Array("<Style><Content>\(content)</Content></Style>".utf8)
        return try await client.send(.put, query: ["style": nil, "styleName": name, "category": "image"], body: body)
      }
      for (name, content) in [("small", "image/resize,p_50"), ("big", "image/resize,p_90")] {
        let reply = try await put(name, content)
        XCTAssertEqual(reply.status, 200, reply.text)
      }
      let one = try await client.send(.get, query: ["style": nil, "styleName": "small"]).document
      XCTAssertEqual(
        ["Name", "Content", "Category"].map { one[$0]?.text }, ["small", "image/resize,p_50", "image"])
      let list = try await client.send(.get, query: ["style": nil]).document
      XCTAssertEqual(list.name, "StyleList")
      XCTAssertEqual(list.all("Style").map { $0["Name"]?.text }, ["small", "big"])
      for (name, content) in [("@%$", "image/resize,p_50"), ("empty", "")] {
        let refused = try await put(name, content)
        XCTAssertEqual(try refused.errorCode, "InvalidArgument", name)
      }
      let deleted = try await client.send(.delete, query: ["style": nil, "styleName": "big"])
      XCTAssertEqual(deleted.status, 204)
      let gone = try await client.send(.get, query: ["style": nil, "styleName": "big"])
      XCTAssertEqual(gone.status, 404)
    }
  }

  private func tags(_ pairs: KeyValuePairs<String, String>) -> [UInt8] {
    let tags = pairs.map { XMLNode("Tag", children: [XMLNode("Key", $0.key), XMLNode("Value", $0.value)]) }
    return XMLNode("Tagging", children: [XMLNode("TagSet", children: tags)]).serialized()
  }

  func testSingleTagsOfABucketAreDeleted() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, query: ["tagging": nil], body: tags(["%@a": "1", "b": "2", "c": "3"]))
      let deleted = try await client.send(.delete, query: ["tagging": "%@a,c"])
      guard client.provider == .oss else { return XCTAssertEqual(deleted.status, 501) }
      XCTAssertEqual(deleted.status, 204, deleted.text)
      let left = try await client.send(.get, query: ["tagging": nil]).document
      XCTAssertEqual(left["TagSet"]?.all("Tag").map { $0["Key"]?.text }, ["b"])
    }
  }

  func testListOfBucketsIsNarrowed() async throws {
    try await withEachService(of: [.oss]) { client in
      let (one, two) = ("one-1250000000", "two-1250000000")
      for (name, body) in [(one, tags(["env": "test"])), (two, tags(["env": "prod", "team": "dev"]))] {
        _ = try await client.send(.put, bucket: name)
        _ = try await client.send(.put, bucket: name, query: ["tagging": nil], body: body)
      }
      let root = "BucketResourceGroupConfiguration"
      let group = XMLNode(root, children: [XMLNode("ResourceGroupId", "rg-2")]).serialized()
      _ = try await client.send(.put, bucket: two, query: ["resourceGroup": nil], body: group)
      func names(
        _ query: KeyValuePairs<String, String?>, _ headers: [String: String] = [:]
      ) async throws -> [String] {
        let list = try await client.send(.get, bucket: nil, query: query, headers: headers).document
        return list["Buckets"]?.all("Bucket").compactMap { $0["Name"]?.text } ?? []
      }
      let lists = [
        try await names(["tag-key": "env"]), try await names(["tag-key": "env", "tag-value": "test"]),
        try await names(["tagging": #""env":"prod","team":"dev""#]), try await names(["tag-key": "none"]),
        try await names([:], ["x-oss-resource-group-id": "rg-2"]), try await names(["regionList": ""]),
      ]
      XCTAssertEqual(lists, [[one, two], [one], [two], [], [two], [one, Self.bucket, two]])
      let wrong = try await client.send(.get, bucket: nil, query: ["tagging": "env"])
      XCTAssertEqual(try wrong.errorCode, "InvalidArgument")
    }
  }

  func testTagsOfObjectsHaveOnlyAllowedCharacters() async throws {
    try await withEachService(of: [.oss]) { client in
      _ = try await client.send(.put, "a", body: [1])
      for (key, value, status) in [
        (" +-=._:/", "中文", 200), ("%@abc", "abc", 400), ("test", "%abc", 400), ("test", "", 200),
      ] {
        let reply = try await client.send(.put, "a", query: ["tagging": nil], body: tags([key: value]))
        XCTAssertEqual(reply.status, status, key + value)
      }
      let header = try await client.send(.put, "b", headers: ["x-oss-tagging": "%25=1"], body: [1])
      XCTAssertEqual(try header.errorCode, "InvalidTag")
    }
  }

  func testOnlyTheFirstAppendSetsTags() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let many = (0..<11).map { "k\($0)=v" }.joined(separator: "&")
      let headers = ["\(client.prefix)tagging": many]
      let refused = try await client.send(
        .post, "a", query: ["append": nil, "position": "0"], headers: headers, body: [1])
      XCTAssertEqual(try refused.errorCode, "InvalidTag")
      _ = try await client.send(.post, "a", query: ["append": nil, "position": "0"], body: [1])
      let ignored = try await client.send(
        .post, "a", query: ["append": nil, "position": "1"], headers: headers, body: [2])
      XCTAssertEqual(ignored.status, 200, ignored.text)
      let head = try await client.send(.head, "a")
      XCTAssertNil(head.header("\(client.prefix)tagging-count"))
    }
  }
}
