// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the documents that clients store with a bucket: what is accepted, returned, kept and applied.
final class BucketDocumentTests: CloudTestCase {
  /// A document as the services' documentation describes it.
  private struct Document {
    let parameter: String
    let root: String
    /// The status of a request for the document while there is none, and the code or an element of the response.
    let unset: (status: Int, text: String)
    var isDeletable = true
  }

  private static let shared = [
    Document(parameter: "cors", root: "CORSConfiguration", unset: (404, "NoSuchCORSConfiguration")),
    Document(parameter: "website", root: "WebsiteConfiguration", unset: (404, "NoSuchWebsiteConfiguration")),
  ]

  private static func documents(of provider: LocalCloud.Provider) -> [Document] {
    switch provider {
    case .oss:
      shared + [
        Document(parameter: "lifecycle", root: "LifecycleConfiguration", unset: (404, "NoSuchLifecycle")),
        Document(
          parameter: "encryption", root: "ServerSideEncryptionRule", unset: (404, "NoSuchServerSideEncryptionRule")),
        Document(parameter: "tagging", root: "Tagging", unset: (200, "TagSet")),
        Document(parameter: "logging", root: "BucketLoggingStatus", unset: (200, "BucketLoggingStatus")),
        Document(
          parameter: "publicAccessBlock", root: "PublicAccessBlockConfiguration",
          unset: (200, "<BlockPublicAccess>false<")),
        Document(
          parameter: "referer", root: "RefererConfiguration", unset: (200, "<AllowEmptyReferer>true<"),
          isDeletable: false),
        Document(
          parameter: "accessmonitor", root: "AccessMonitorConfiguration", unset: (200, "<Status>Disabled<"),
          isDeletable: false),
        Document(
          parameter: "resourceGroup", root: "BucketResourceGroupConfiguration", unset: (200, "ResourceGroupId"),
          isDeletable: false),
        Document(
          parameter: "requestPayment", root: "RequestPaymentConfiguration", unset: (200, "<Payer>BucketOwner<"),
          isDeletable: false),
        Document(
          parameter: "transferAcceleration", root: "TransferAccelerationConfiguration",
          unset: (404, "NoSuchTransferAccelerationConfiguration"), isDeletable: false),
        Document(
          parameter: "httpsConfig", root: "HttpsConfiguration", unset: (200, "<Enable>false<"), isDeletable: false),
        Document(
          parameter: "bucketArchiveDirectRead", root: "ArchiveDirectReadConfiguration",
          unset: (200, "<Enabled>false<"), isDeletable: false),
        Document(parameter: "overwriteConfig", root: "OverwriteConfiguration", unset: (200, "OverwriteConfiguration")),
      ]
    case .cos:
      shared + [
        Document(parameter: "lifecycle", root: "LifecycleConfiguration", unset: (404, "NoSuchLifecycleConfiguration")),
        Document(
          parameter: "encryption", root: "ServerSideEncryptionConfiguration",
          unset: (404, "NoSuchEncryptionConfiguration")),
        Document(parameter: "tagging", root: "Tagging", unset: (404, "NoSuchTagSetError")),
        Document(
          parameter: "logging", root: "BucketLoggingStatus", unset: (200, "BucketLoggingStatus"), isDeletable: false),
        Document(
          parameter: "replication", root: "ReplicationConfiguration",
          unset: (404, "ReplicationConfigurationNotFoundError")),
        Document(parameter: "referer", root: "RefererConfiguration", unset: (200, "RefererConfiguration")),
      ]
    case .s3:
      shared + [
        Document(parameter: "lifecycle", root: "LifecycleConfiguration", unset: (404, "NoSuchLifecycleConfiguration")),
        Document(
          parameter: "encryption", root: "ServerSideEncryptionConfiguration", unset: (200, "<SSEAlgorithm>AES256<")),
        Document(parameter: "tagging", root: "Tagging", unset: (404, "NoSuchTagSet")),
        Document(
          parameter: "logging", root: "BucketLoggingStatus", unset: (200, "BucketLoggingStatus"), isDeletable: false),
        Document(
          parameter: "publicAccessBlock", root: "PublicAccessBlockConfiguration",
          unset: (404, "NoSuchPublicAccessBlockConfiguration")),
        Document(
          parameter: "ownershipControls", root: "OwnershipControls", unset: (404, "OwnershipControlsNotFoundError")),
        Document(
          parameter: "replication", root: "ReplicationConfiguration",
          unset: (404, "ReplicationConfigurationNotFoundError")),
      ]
    }
  }

  private func body(of document: Document) -> [UInt8] {
    let rule = "<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>"
    // With the elements that OSS adds.
    let inside =
      switch document.parameter {
      case "cors": "\(rule)<ResponseVary>false</ResponseVary>"
      case "referer": "<AllowTruncateQueryString>true</AllowTruncateQueryString>"
      default: "<Anything a=\"1\">日本</Anything>"
      }
    return Array("<?xml version=\"1.0\"?>\n<\(document.root)>\(inside)</\(document.root)>".utf8)
  }

  private func checkUnset(_ document: Document, _ client: TestClient) async throws {
    let get = try await client.send(.get, query: [document.parameter: nil])
    XCTAssertEqual(get.status, document.unset.status, "\(client.provider) \(document.parameter)")
    if get.status == 404 {
      XCTAssertEqual(try get.errorCode, document.unset.text, "\(client.provider)")
    } else {
      XCTAssertEqual(try get.document.name, document.root)
      XCTAssertTrue(get.text.contains(document.unset.text), get.text)
    }
  }

  func testDocumentsAreCheckedStoredAndDeleted() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    try await withEachService(configuration) { client in
      for document in Self.documents(of: client.provider) {
        try await checkUnset(document, client)
        let isDeletedByEmptyBody = client.provider == .cos && document.parameter == "referer"
        for wrong in ["<Other/>", "<\(document.root)>"] + (isDeletedByEmptyBody ? [] : [""]) {
          let put = try await client.send(.put, query: [document.parameter: nil], body: Array(wrong.utf8))
          XCTAssertEqual(put.status, 400, "\(client.provider) \(document.parameter) \(wrong)")
          XCTAssertEqual(try put.errorCode, "MalformedXML")
        }
        try await checkUnset(document, client)
        let put = try await client.send(.put, query: [document.parameter: nil], body: body(of: document))
        XCTAssertEqual(put.status, 200, put.text)
      }
      let other = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": "public-read"])
      XCTAssertEqual(other.status, 200, "Another setting keeps the documents.")
    }
    try await withEachService(configuration) { client in
      for document in Self.documents(of: client.provider) {
        let get = try await client.send(.get, query: [document.parameter: nil])
        XCTAssertEqual(get.body, body(of: document), "\(client.provider) \(document.parameter)")
        let deleted = try await client.send(.delete, query: [document.parameter: nil])
        XCTAssertEqual(deleted.status, document.isDeletable ? 204 : 501, "\(client.provider) \(document.parameter)")
        if document.isDeletable { try await checkUnset(document, client) }
      }
      let missing = try await client.send(.get, bucket: "missing-1250000000", query: ["lifecycle": nil])
      XCTAssertEqual(try missing.errorCode, "NoSuchBucket")
    }
  }

  func testInventoriesHaveIDs() async throws {
    try await withEachService { client in
      let id = client.provider == .oss ? "inventoryId" : "id"
      func configuration(_ name: String) -> [UInt8] {
        Array("<InventoryConfiguration><Id>\(name)</Id></InventoryConfiguration>".utf8)
      }
      let none = try await client.send(.get, query: ["inventory": nil])
      XCTAssertEqual(none.status, client.provider == .oss ? 404 : 200)
      for name in ["a", "b"] {
        let put = try await client.send(.put, query: ["inventory": nil, id: name], body: configuration(name))
        XCTAssertEqual(put.status, 200, put.text)
      }
      let list = try await client.send(.get, query: ["inventory": nil]).document
      XCTAssertEqual(list.all("InventoryConfiguration").map { $0["Id"]?.text }, ["a", "b"])
      let deleted = try await client.send(.delete, query: ["inventory": nil, id: "a"])
      XCTAssertEqual(deleted.status, 204)
      let gone = try await client.send(.get, query: ["inventory": nil, id: "a"])
      XCTAssertEqual(try gone.errorCode, client.provider == .oss ? "NoSuchInventory" : "NoSuchConfiguration")
      let kept = try await client.send(.get, query: ["inventory": nil, id: "b"])
      XCTAssertEqual(kept.body, configuration("b"))
      let unnamed = try await client.send(.put, query: ["inventory": nil], body: configuration("c"))
      XCTAssertEqual(unnamed.status, 400)
    }
  }

  // MARK: Policies

  private func policy(
    _ effect: String, _ action: String, of provider: LocalCloud.Provider, everybody: Bool = true, more: String = ""
  ) -> [UInt8] {
    let text =
      switch provider {
      case .oss:
        """
        {"Version":"1","Statement":[{"Effect":"\(effect)","Action":["oss:\(action)"],"Principal":\
        ["\(everybody ? "*" : "2000000000")"],"Resource":["acs:oss:*:*:\(Self.bucket)/open/*"]\(more)}]}
        """
      case .cos:
        """
        {"version":"2.0","Statement":[{"Effect":"\(effect)","Action":["name/cos:\(action)"],"Principal":{"qcs":\
        ["qcs::cam::\(everybody ? "anyone:anyone" : "uin/2000000000:uin/2000000000")"]},"Resource":\
        ["qcs::cos:*:uid/1250000000:\(Self.bucket)/open/*"]\(more)}]}
        """
      case .s3:
        """
        {"Version":"2012-10-17","Statement":[{"Sid":"1","Effect":"\(effect)","Action":"s3:\(action)","Principal":\
        {"AWS":"\(everybody ? "*" : "arn:aws:iam::200000000000:root")"},"Resource":\
        "arn:aws:s3:::\(Self.bucket)/open/*"\(more)}]}
        """
      }
    return Array(text.utf8)
  }

  func testPolicyAllowsUnsignedRequestsForWhatItNames() async throws {
    try await withEachService { client in
      for key in ["open/a", "closed"] { _ = try await client.send(.put, key, body: [1]) }
      func status(_ method: HTTPRequest.Method, _ key: String) async throws -> Int {
        try await client.send(client.request(method, key), body: method == .put ? [2] : nil).status
      }
      let before = try await status(.get, "open/a")
      XCTAssertEqual(before, 403)
      let put = try await client.send(
        .put, query: ["policy": nil], body: policy("Allow", "GetObject", of: client.provider))
      XCTAssertEqual(put.status, client.provider == .s3 ? 204 : 200, put.text)
      let statuses = [
        try await status(.get, "open/a"), try await status(.get, "closed"), try await status(.put, "open/a"),
        try await status(.delete, "open/a"),
      ]
      XCTAssertEqual(statuses, [200, 403, 403, 403], "\(client.provider)")
      let get = try await client.send(.get, query: ["policy": nil])
      XCTAssertEqual(get.body, policy("Allow", "GetObject", of: client.provider))
      let unsigned = try await client.send(client.request(.get, query: ["policy": nil]))
      XCTAssertEqual(unsigned.status, 403)
      _ = try await client.send(
        .put, query: ["policy": nil], body: policy("Allow", "GetObject", of: client.provider, everybody: false))
      let others = try await status(.get, "open/a")
      XCTAssertEqual(others, 403, "The policy names another account.")
      _ = try await client.send(.delete, query: ["policy": nil])
      let after = try await client.send(.get, query: ["policy": nil])
      XCTAssertEqual(try after.errorCode, "NoSuchBucketPolicy")
    }
  }

  func testPolicyDeniesAlsoTheOwnerAndPublicReads() async throws {
    try await withEachService { client in
      let access = ["\(client.prefix)\(client.provider == .oss ? "object-acl" : "acl")": "public-read"]
      for key in ["open/a", "closed"] { _ = try await client.send(.put, key, headers: access, body: [1]) }
      let put = try await client.send(
        .put, query: ["policy": nil], body: policy("Deny", "GetObject", of: client.provider))
      XCTAssertEqual(put.status, client.provider == .s3 ? 204 : 200, put.text)
      let signed = try await client.send(.get, "open/a")
      XCTAssertEqual(try signed.errorCode, "AccessDenied", "\(client.provider)")
      let unsigned = try await client.send(client.request(.get, "open/a"))
      XCTAssertEqual(unsigned.status, 403, "\(client.provider)")
      let allowed = [
        try await client.send(.get, "closed").status, try await client.send(client.request(.get, "closed")).status,
        try await client.send(.put, "open/a", headers: access, body: [2]).status,
        try await client.send(.delete, query: ["policy": nil]).status, try await client.send(.get, "open/a").status,
      ]
      XCTAssertEqual(allowed, [200, 200, 200, 204, 200])
    }
  }

  func testPolicyThatCannotBeAppliedIsRejected() async throws {
    try await withEachService { client in
      let code = client.provider == .oss ? "InvalidPolicyDocument" : "MalformedPolicy"
      let unknown = policy("Allow", "GetObject", of: client.provider, more: #","Condition":{"New":{"x":"y"}}"#)
      let good = String(decoding: policy("Allow", "GetObject", of: client.provider), as: UTF8.self)
      let texts = ["{", "{}", good.replacing("Principal", with: "NotPrincipal"), good.replacing("Effect", with: "Sid")]
      for body in texts.map({ Array($0.utf8) }) + [unknown] {
        let put = try await client.send(.put, query: ["policy": nil], body: body)
        XCTAssertEqual(put.status, 400)
        XCTAssertEqual(try put.errorCode, code, put.text)
      }
      let get = try await client.send(.get, query: ["policy": nil])
      XCTAssertEqual(get.status, 404)
    }
  }

  // MARK: Requests of web pages

  func testRulesForWebPagesAreApplied() async throws {
    try await withEachService { client in
      let rules = """
        <CORSConfiguration><CORSRule><AllowedOrigin>https://*.example.com</AllowedOrigin><AllowedMethod>PUT\
        </AllowedMethod><AllowedMethod>GET</AllowedMethod><AllowedHeader>x-*</AllowedHeader><ExposeHeader>ETag\
        </ExposeHeader><MaxAgeSeconds>100</MaxAgeSeconds></CORSRule></CORSConfiguration>
        """
      let put = try await client.send(.put, query: ["cors": nil], body: Array(rules.utf8))
      XCTAssertEqual(put.status, 200, put.text)
      func preflight(_ origin: String, _ method: String, _ headers: String? = nil) async throws -> Reply {
        var fields = ["Origin": origin, "Access-Control-Request-Method": method]
        fields["Access-Control-Request-Headers"] = headers
        return try await client.send(client.request(.options, "a", headers: fields))
      }
      let page = "https://app.example.com"
      let asked = try await preflight(page, "PUT", "X-Color, x-size")
      XCTAssertEqual(asked.status, 200, asked.text)
      XCTAssertEqual(asked.header("access-control-allow-origin"), page)
      XCTAssertEqual(asked.header("access-control-allow-headers"), "X-Color, x-size")
      XCTAssertEqual(asked.header("access-control-max-age"), "100")
      for (origin, method, headers) in [
        ("https://example.org", "PUT", nil), (page, "DELETE", nil), (page, "PUT", "x-color, other"),
      ] as [(String, String, String?)] {
        let refused = try await preflight(origin, method, headers)
        XCTAssertEqual(refused.status, 403, "\(origin) \(method)")
        XCTAssertNil(refused.header("access-control-allow-origin"))
      }
      let get = try await client.send(.get, "a", headers: ["Origin": page])
      XCTAssertEqual(get.header("access-control-allow-origin"), page)
      XCTAssertEqual(get.header("access-control-expose-headers"), "ETag")
      let deleted = try await client.send(.delete, "a", headers: ["Origin": page])
      XCTAssertNil(deleted.header("access-control-allow-origin"))
      for wrong in [
        "", "<CORSRule/>", "<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>X</AllowedMethod></CORSRule>",
      ] {
        let put = try await client.send(
          .put, query: ["cors": nil], body: Array("<CORSConfiguration>\(wrong)</CORSConfiguration>".utf8))
        XCTAssertEqual(put.status, 400, wrong)
      }
    }
  }
}
