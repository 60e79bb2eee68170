// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests the responses that suites of vendors and of compatible servers rely on, each a cause of failures there.
final class ForeignSuiteTests: CloudTestCase {
  func testOnlyS3DeletesABucketWithItsUploads() async throws {
    try await withEachService { client in
      let begun = try await client.send(.post, "big", query: ["uploads": nil])
      XCTAssertEqual(begun.status, 200, begun.text)
      let deleted = try await client.send(.delete)
      XCTAssertEqual(deleted.status, client.provider == .s3 ? 204 : 409, "\(client.provider)")
      let uploads = try await client.send(.get, query: ["uploads": nil])
      XCTAssertEqual(uploads.status, client.provider == .s3 ? 404 : 200, "\(client.provider)")
    }
  }

  func testDeletionsMayBypassAGovernanceThatNoObjectHas() async throws {
    try await withEachService(of: [.s3]) { client in
      let bypass = ["x-amz-bypass-governance-retention": "true"]
      for key in ["a", "b"] { _ = try await client.send(.put, key, headers: [:], body: [1]) }
      let one = try await client.send(.delete, "a", headers: bypass)
      XCTAssertEqual(one.status, 204, one.text)
      let body = Array("<Delete><Object><Key>b</Key></Object></Delete>".utf8)
      let many = try await client.send(
        .post, query: ["delete": nil], headers: bypass.merging(["Content-MD5": MD5.hash(body).base64]) { $1 },
        body: body)
      XCTAssertEqual(many.status, 200, many.text)
      let read = try await client.send(.get, "a", headers: bypass)
      XCTAssertEqual(try read.errorCode, "NotImplemented", "Only deletions have the header.")
    }
  }

  func testDeletionOfManyObjectsComparesEntityTags() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [1])
      _ = try await client.send(.put, "b", body: [1])
      let tag = MD5.hash([1]).hex
      let objects = [("a", "other"), ("b", tag), ("missing", tag)].map { key, tag in
        "<Object><Key>\(key)</Key><ETag>\(tag)</ETag></Object>"
      }
      let body = Array("<Delete><Quiet>true</Quiet>\(objects.joined())</Delete>".utf8)
      let reply = try await client.send(
        .post, query: ["delete": nil], headers: ["Content-MD5": MD5.hash(body).base64], body: body)
      guard client.provider == .s3 else { return XCTAssertEqual(try reply.errorCode, "NotImplemented") }
      let errors = try reply.document.all("Error")
      XCTAssertEqual(errors.map { $0["Key"]?.text }, ["a"], reply.text)
      XCTAssertEqual(errors.first?["Code"]?.text, "PreconditionFailed")
      let left = try await client.send(.get).document.all("Contents")
      XCTAssertEqual(left.map { $0["Key"]?.text }, ["a"])
    }
  }

  func testListOfLiveChannelsIsEmptyAndFixed() async throws {
    try await withEachService(of: [.oss]) { client in
      let list = try await client.send(.get, query: ["live": nil, "max-keys": "10"])
      XCTAssertEqual(try list.document.name, "ListLiveChannelResult")
      XCTAssertEqual(try list.document["IsTruncated"]?.text, "false")
      let put = try await client.send(.put, query: ["live": nil], body: Array("<ListLiveChannelResult/>".utf8))
      XCTAssertEqual(put.status, 501)
      let missing = try await client.send(.get, bucket: "missing-1250000000", query: ["live": nil])
      XCTAssertEqual(try missing.errorCode, "NoSuchBucket")
    }
  }

  func testTruthValuesOfDocumentsAreInLowercase() async throws {
    try await withEachService { client in
      let body = "<WebsiteConfiguration><A>True</A><B>False</B><C>Truer</C><ID>True</ID></WebsiteConfiguration>"
      _ = try await client.send(.put, query: ["website": nil], body: Array(body.utf8))
      let website = try await client.send(.get, query: ["website": nil]).document
      XCTAssertEqual(website.children.map(\.text), ["true", "false", "Truer", "True"])
      let tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>True</Value></Tag></TagSet></Tagging>"
      _ = try await client.send(.put, query: ["tagging": nil], body: Array(tags.utf8))
      let stored = try await client.send(.get, query: ["tagging": nil])
      XCTAssertEqual(stored.text, tags, "The value of a tag is the client's.")
    }
  }

  func testLifecycleRulesAreChecked() async throws {
    try await withEachService { client in
      func put(_ rules: String...) async throws -> String? {
        let inside = rules.map { "<Rule>\($0)</Rule>" }.joined()
        let body = Array("<LifecycleConfiguration>\(inside)</LifecycleConfiguration>".utf8)
        let reply = try await client.send(
          .put, query: ["lifecycle": nil], headers: ["Content-MD5": MD5.hash(body).base64], body: body)
        return reply.status == 200 ? nil : try reply.errorCode
      }
      let on = "<Status>Enabled</Status>"
      _ = try await put(on, on, "<ID>a</ID>\(on)")
      let rules = try await client.send(.get, query: ["lifecycle": nil]).document.all("Rule")
      let ids = Set(rules.compactMap { $0["ID"]?.text })
      XCTAssertEqual(ids.count, client.provider == .cos ? 1 : 3, "\(client.provider)")
      let good = try await put("<ID>a</ID>\(on)<Expiration><Days>1</Days></Expiration>", "<ID>b</ID>\(on)", on, on)
      XCTAssertNil(good, "\(client.provider)")
      let codes = [
        try await put("<Status>enabled</Status>"), try await put("<ID>a</ID>\(on)", "<ID>a</ID>\(on)"),
        try await put("<ID>\(String(repeating: "i", count: 256))</ID>\(on)"),
        try await put("\(on)<Expiration><Days>0</Days></Expiration>"),
        try await put("\(on)<Expiration><Date>2027-01-01T12:00:00Z</Date></Expiration>"),
      ]
      XCTAssertEqual(codes, ["MalformedXML"] + [String](repeating: "InvalidArgument", count: 4))
      let dated = try await put("\(on)<Expiration><Date>2027-01-01T00:00:00.000Z</Date></Expiration>")
      XCTAssertNil(dated, "\(client.provider)")
    }
  }

  func testBucketsDocumentEncryptsObjectsWithoutOwnEncryption() async throws {
    try await withEachService { client in
      let root = client.provider == .oss ? "ServerSideEncryptionRule" : "ServerSideEncryptionConfiguration"
      let rule = """
        <ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>
        """
      let body = "<\(root)>\(client.provider == .oss ? rule : "<Rule>\(rule)</Rule>")</\(root)>"
      let before = try await client.send(.put, "before", body: [1])
      XCTAssertNil(before.header("\(client.prefix)server-side-encryption"))
      let put = try await client.send(.put, query: ["encryption": nil], body: Array(body.utf8))
      XCTAssertEqual(put.status, 200, put.text)
      let after = try await client.send(.put, "a", body: [1])
      XCTAssertEqual(after.header("\(client.prefix)server-side-encryption"), "AES256", "\(client.provider)")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("\(client.prefix)server-side-encryption"), "AES256")
      let method = client.provider == .oss ? "KMS" : client.provider == .cos ? "cos/kms" : "aws:kms"
      let other = ["\(client.prefix)server-side-encryption": method]
      let own = try await client.send(.put, "b", headers: other, body: [1])
      XCTAssertEqual(own.header("\(client.prefix)server-side-encryption"), method)
      guard client.provider == .oss else { return }
      XCTAssertEqual(own.header("x-oss-server-side-encryption-key-id"), "5a2c1b9e-0d34-4f6a-8c7b-1e9f3d2a6b48")
    }
  }

  func testOlderNameOfTheEncryptionOfCOSIsReplaced() async throws {
    try await withEachService(of: [.cos]) { client in
      let rule =
        "<ApplySideEncryptionConfiguration><SSEAlgorithm>AES256</SSEAlgorithm></ApplySideEncryptionConfiguration>"
      let root = "ServerSideEncryptionConfiguration"
      _ = try await client.send(
        .put, query: ["encryption": nil], body: Array("<\(root)><Rule>\(rule)</Rule></\(root)>".utf8))
      let get = try await client.send(.get, query: ["encryption": nil]).document
      XCTAssertEqual(get["Rule"]?["ApplyServerSideEncryptionByDefault"]?["SSEAlgorithm"]?.text, "AES256")
    }
  }

  func testReferersOfCOSAreDeletedByAnEmptyBody() async throws {
    try await withEachService(of: [.cos]) { client in
      let body = "<RefererConfiguration><Status>Enabled</Status></RefererConfiguration>"
      _ = try await client.send(.put, query: ["referer": nil], body: Array(body.utf8))
      let put = try await client.send(.put, query: ["referer": nil], body: [])
      XCTAssertEqual(put.status, 200, put.text)
      let get = try await client.send(.get, query: ["referer": nil]).document
      XCTAssertEqual(get.children.count, 0)
    }
  }

  func testOSSBucketIsCreatedWithEncryptionThatItsInformationTells() async throws {
    try await withEachService(of: [.oss]) { client in
      let headers = ["x-oss-server-side-encryption": "SM4"]
      let created = try await client.send(.put, bucket: "encrypted-1250000000", headers: headers)
      XCTAssertEqual(created.status, 200, created.text)
      let put = try await client.send(.put, "a", bucket: "encrypted-1250000000", body: [1])
      XCTAssertEqual(put.header("x-oss-server-side-encryption"), "SM4")
      let monitor = "<AccessMonitorConfiguration><Status>Enabled</Status></AccessMonitorConfiguration>"
      _ = try await client.send(
        .put, bucket: "encrypted-1250000000", query: ["accessmonitor": nil], body: Array(monitor.utf8))
      let info = try await client.send(.get, bucket: "encrypted-1250000000", query: ["bucketInfo": nil]).document
      XCTAssertEqual(info["Bucket"]?["ServerSideEncryptionRule"]?["SSEAlgorithm"]?.text, "SM4")
      XCTAssertEqual(info["Bucket"]?["AccessMonitor"]?.text, "Enabled")
    }
  }

  func testInventoriesAreListedInPagesInTheOrderOfTheirCreation() async throws {
    try await withEachService { client in
      let id = client.provider == .oss ? "inventoryId" : "id"
      let names = (0..<101).map { "ID-\($0)" }
      for name in names {
        let body = Array("<InventoryConfiguration><Id>\(name)</Id></InventoryConfiguration>".utf8)
        _ = try await client.send(.put, query: ["inventory": nil, id: name], body: body)
      }
      let first = try await client.send(.get, query: ["inventory": nil, "continuation-token": ""]).document
      XCTAssertEqual(first.all("InventoryConfiguration").map { $0["Id"]?.text }, Array(names.prefix(100)))
      XCTAssertEqual(first["IsTruncated"]?.text, "true")
      let token = try XCTUnwrap(first["NextContinuationToken"]?.text)
      let second = try await client.send(.get, query: ["inventory": nil, "continuation-token": token]).document
      XCTAssertEqual(second.all("InventoryConfiguration").map { $0["Id"]?.text }, ["ID-100"])
      XCTAssertEqual(second["IsTruncated"]?.text, "false")
      XCTAssertNil(second["NextContinuationToken"])
      let other = try await client.send(.get, query: ["inventory": nil, "continuation-token": "x"])
      XCTAssertEqual(try other.errorCode, "InvalidArgument")
    }
  }

  func testListOfBucketsOfCOSIsFiltered() async throws {
    try await withEachService(of: [.cos]) { client in
      let tagged = "tagged-1250000000"
      _ = try await client.send(.put, bucket: tagged)
      _ = try await client.send(
        .put, bucket: tagged, query: ["tagging": nil],
        body: Array("<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>".utf8))
      func names(_ query: KeyValuePairs<String, String?>) async throws -> [String?] {
        let list = try await client.send(.get, bucket: nil, query: query).document
        return list["Buckets"]?.all("Bucket").map { $0["Name"]?.text } ?? []
      }
      let now = clock.now.unixSeconds
      let both = [Self.bucket, tagged]
      let cases: [(KeyValuePairs<String, String?>, [String])] = [
        (["tagkey": "a", "tagvalue": "1"], [tagged]), (["tagkey": "a", "tagvalue": "2"], []),
        (["region": "ap-guangzhou"], both), (["region": "ap-beijing"], []),
        (["create-time": "\(now)", "range": "lte"], both), (["create-time": "\(now)", "range": "lt"], []),
        (["create-time": "\(now)", "range": "gte"], both), (["create-time": "\(now)", "range": "gt"], []),
      ]
      for (query, expected) in cases {
        let seen = try await names(query)
        XCTAssertEqual(seen, expected, "\(query)")
      }
      let wrong = try await client.send(.get, bucket: nil, query: ["create-time": "1", "range": "eq"])
      XCTAssertEqual(try wrong.errorCode, "InvalidArgument")
    }
  }

  func testBucketOfCOSIsInTheRegionOfTheHostThatCreatedIt() async throws {
    try await withEachService(of: [.cos]) { client in
      let name = "beijing-1250000000"
      let host = "\(name).cos.ap-beijing.myqcloud.com"
      let request = try client.signed(HTTPRequest(method: .put, scheme: "http", authority: host, path: "/"))
      let lines = ["PUT / HTTP/1.1", "Host: \(host)", "Content-Length: 0", "Connection: close"]
      let answer = try await RawConnection.exchange(
        RawConnection.head(lines + request.headerFields.map { "\($0.name.rawName): \($0.value)" }),
        with: client.cloud.cosEndpoint)
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 200"), answer)
      let location = try await client.send(.get, bucket: name, query: ["location": nil])
      XCTAssertEqual(try location.document.text, "ap-beijing")
      let list = try await client.send(.get, bucket: nil, query: ["region": "ap-beijing"]).document
      XCTAssertEqual(list["Buckets"]?.all("Bucket").map { $0["Name"]?.text }, [name])
      XCTAssertEqual(list["Buckets"]?["Bucket"]?["Location"]?.text, "ap-beijing")
    }
  }

  func testWebsiteOfCOSHasTheDefaultOfRedirections() async throws {
    try await withEachService { client in
      let rules = ["", "<URLRedirect>Disabled</URLRedirect>"].map { "<Redirect><A>b</A>\($0)</Redirect>" }
      let body = Array("<WebsiteConfiguration>\(rules.joined())</WebsiteConfiguration>".utf8)
      _ = try await client.send(.put, query: ["website": nil], body: body)
      let seen = try await client.send(.get, query: ["website": nil]).document.all("Redirect")
      let expected = client.provider == .cos ? ["Enabled", "Disabled"] : [nil, "Disabled"]
      XCTAssertEqual(seen.map { $0["URLRedirect"]?.text }, expected, "\(client.provider)")
    }
  }

  func testListOfUploadsTellsWhoInitiatedThem() async throws {
    try await withEachService { client in
      _ = try await client.send(.post, "big", query: ["uploads": nil])
      let list = try await client.send(.get, query: ["uploads": nil]).document
      let upload = try XCTUnwrap(list["Upload"])
      let ids = ["Initiator", "Owner"].map { upload[$0]?["ID"]?.text }
      XCTAssertEqual(ids[0], ids[1])
      XCTAssertEqual(ids[0] == nil, client.provider == .oss, "\(client.provider)")
    }
  }
}
