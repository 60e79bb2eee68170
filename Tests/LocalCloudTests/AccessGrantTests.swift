// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests accounts with buckets of their own: what owners, grants, policies and the block of public access allow.
final class AccessGrantTests: CloudTestCase {
  private static let number = "225000000000"

  private let theirs = "theirs-1250000000"

  /// Passes clients of the server's own account and of another one to `body`, for each of the given services.
  private func withTwoAccounts(
    of providers: [LocalCloud.Provider] = [.cos, .s3], _ body: (TestClient, TestClient) async throws -> Void
  ) async throws {
    let key = AccessKey(id: "other-id", secret: "other-secret")
    var configuration = configuration
    configuration.accounts.append(LocalCloud.Account(key, number: Self.number))
    try await withEachService(configuration, of: providers) { client in
      var other = client
      other.key = key
      try await body(client, other)
    }
  }

  private func id(of client: TestClient) async throws -> String {
    let list = try await client.send(.get, bucket: nil).document
    return try XCTUnwrap(list["Owner"]?["ID"]?.text)
  }

  private func document(_ owner: String, _ grants: [(id: String, permission: String)]) -> [UInt8] {
    let list = grants.map { id, permission in
      """
      <Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>\(id)</ID>\
      </Grantee><Permission>\(permission)</Permission></Grant>
      """
    }
    return Array(
      """
      <AccessControlPolicy><Owner><ID>\(owner)</ID></Owner><AccessControlList>\(list.joined())</AccessControlList>\
      </AccessControlPolicy>
      """.utf8)
  }

  // MARK: Grants

  func testGrantOfADocumentAllowsWhatItNames() async throws {
    try await withTwoAccounts { client, other in
      let (mine, its) = (try await id(of: client), try await id(of: other))
      XCTAssertNotEqual(mine, its)
      let cases = [
        ("READ", [200, 403, 403, 403]), ("WRITE", [403, 200, 403, 403]), ("READ_ACP", [403, 403, 200, 403]),
        ("WRITE_ACP", [403, 403, 403, 200]), ("FULL_CONTROL", [200, 200, 200, 200]),
      ]
      for (permission, expected) in cases {
        let access = document(mine, [(mine, "FULL_CONTROL"), (its, permission)])
        let put = try await client.send(.put, query: ["acl": nil], body: access)
        XCTAssertEqual(put.status, 200, put.text)
        let statuses = [
          try await other.send(.get).status, try await other.send(.put, permission, body: [1]).status,
          try await other.send(.get, query: ["acl": nil]).status,
          try await other.send(.put, query: ["acl": nil], body: access).status,
        ]
        XCTAssertEqual(statuses, expected, "\(client.provider) \(permission)")
        let list = try await client.send(.get, query: ["acl": nil]).document["AccessControlList"]?.all("Grant") ?? []
        XCTAssertEqual(list.map { $0["Grantee"]?["ID"]?.text }, [mine, its])
        XCTAssertEqual(list.map { $0["Permission"]?.text }, ["FULL_CONTROL", permission])
      }
      let none = try await client.send(.put, query: ["acl": nil], body: document(mine, []))
      XCTAssertEqual(none.status, 200, none.text)
      let left = try await client.send(.get, query: ["acl": nil])
      XCTAssertEqual(try left.document["AccessControlList"]?.children.count, 0)
      let closed = try await other.send(.get)
      XCTAssertEqual(closed.status, 403)
    }
  }

  func testGrantInAHeaderAllowsReadingAnObject() async throws {
    try await withTwoAccounts { client, other in
      let its = try await id(of: other)
      let put = try await client.send(
        .put, "a", headers: ["\(client.prefix)grant-read": "id=\"\(its)\", id=\"\(its)\""], body: [1, 2])
      XCTAssertEqual(put.status, 200, put.text)
      let statuses = [
        try await other.send(.get, "a").status, try await other.send(.get, "a", query: ["acl": nil]).status,
        try await other.send(.delete, "a").status, try await other.send(client.request(.get, "a")).status,
      ]
      XCTAssertEqual(statuses, [200, 403, 403, 403], "\(client.provider)")
      let begun = try await client.send(
        .post, "b", query: ["uploads": nil], headers: ["\(client.prefix)grant-read": "id=\"\(its)\""])
      XCTAssertEqual(begun.status, 200, begun.text)
      let cases: [([String: String], Int, String)] = [
        (["acl": "private", "grant-read": "id=\"\(its)\""], 400, "InvalidRequest"),
        (["grant-read": "id=\"_foo\""], 400, "InvalidArgument"), (["grant-write-acp": "x"], 400, "InvalidArgument"),
        (["grant-read": "uri=\"http://acs.amazonaws.com/groups/global/Nobody\""], 400, "InvalidArgument"),
        (["grant-full-control": "emailAddress=\"a@example.com\""], 405, "MethodNotAllowed"),
      ]
      for (headers, status, code) in cases {
        let named = Dictionary(headers.map { (client.prefix + $0, $1) }) { first, _ in first }
        let reply = try await client.send(.put, "a", headers: named, body: [3])
        XCTAssertEqual(reply.status, status, "\(headers)")
        XCTAssertEqual(try reply.errorCode, code, "\(headers)")
      }
    }
  }

  func testAccessControlHasAtMostAHundredGrants() async throws {
    try await withTwoAccounts { client, other in
      let (mine, its) = (try await id(of: client), try await id(of: other))
      for (count, status) in [(100, 200), (101, 400)] {
        let grants = Array(repeating: (id: its, permission: "READ"), count: count)
        let put = try await client.send(.put, query: ["acl": nil], body: document(mine, grants))
        XCTAssertEqual(put.status, status, "\(client.provider) \(count)")
      }
    }
  }

  func testDocumentThatIsNoAccessControlIsRejected() async throws {
    try await withTwoAccounts { client, other in
      let (mine, its) = (try await id(of: client), try await id(of: other))
      for (body, status) in [
        (document(its, []), 403), (document("_foo", []), 400), (document(mine, [("_foo", "READ")]), 400),
        (document(mine, [(its, "EVERYTHING")]), 400), (Array("<AccessControlPolicy/>".utf8), 400), ([], 400),
      ] {
        let reply = try await client.send(.put, query: ["acl": nil], body: body)
        XCTAssertEqual(reply.status, status, reply.text)
      }
      let both = try await client.send(
        .put, query: ["acl": nil], headers: ["\(client.prefix)acl": "private"], body: document(mine, []))
      XCTAssertEqual(try both.errorCode, "UnexpectedContent")
    }
    try await withTwoAccounts(of: [.oss]) { client, _ in
      let reply = try await client.send(.put, query: ["acl": nil], body: document("1250000000", []))
      XCTAssertEqual(try reply.errorCode, "NotImplemented")
    }
  }

  // MARK: Owners

  func testBucketBelongsToTheAccountThatCreatesIt() async throws {
    try await withTwoAccounts(of: LocalCloud.Provider.allCases) { client, other in
      let made = try await other.send(.put, bucket: theirs)
      XCTAssertEqual(made.status, 200, made.text)
      for (who, name) in [(client, Self.bucket), (other, theirs)] {
        let list = try await who.send(.get, bucket: nil).document["Buckets"]?.all("Bucket") ?? []
        XCTAssertEqual(list.map { $0["Name"]?.text }, [name], "\(client.provider)")
      }
      _ = try await other.send(.put, "a", bucket: theirs, body: [1])
      let refused = [
        try await client.send(.get, bucket: theirs).status, try await client.send(.get, "a", bucket: theirs).status,
        try await client.send(.put, "b", bucket: theirs, body: [1]).status,
        try await client.send(.get, bucket: theirs, query: ["policy": nil]).status,
        try await client.send(.delete, bucket: theirs).status, try await other.send(.get, bucket: Self.bucket).status,
      ]
      XCTAssertEqual(refused, [403, 403, 403, 403, 403, 403], "\(client.provider)")
      let taken = try await client.send(.put, bucket: theirs)
      XCTAssertEqual(taken.status, 409)
      XCTAssertEqual(try taken.errorCode, "BucketAlreadyExists")
      let open = try await other.send(
        .put, bucket: theirs, query: ["acl": nil], headers: ["\(client.prefix)acl": "public-read-write"])
      XCTAssertEqual(open.status, 200, open.text)
      let put = try await client.send(.put, "b", bucket: theirs, body: [1])
      XCTAssertEqual(put.status, 200, put.text)
    }
  }

  func testExpectedOwnerIsThatOfTheBucket() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      _ = try await other.send(.put, bucket: theirs)
      _ = try await client.send(.put, "a", headers: ["x-amz-acl": "public-read"], body: [1])
      for (owner, statuses) in [(Self.number, [200, 403]), ("125000000000", [403, 200])] {
        let put = try await other.send(
          .put, "a", bucket: theirs, headers: ["x-amz-expected-bucket-owner": owner], body: [1])
        let copy = try await other.send(
          .put, "b", bucket: theirs,
          headers: ["x-amz-copy-source": client.copySource("a"), "x-amz-source-expected-bucket-owner": owner])
        XCTAssertEqual([put.status, copy.status], statuses, owner)
      }
    }
  }

  func testObjectOfS3BelongsToTheAccountThatStoresIt() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      _ = try await client.send(.put, "mine", body: [1])
      _ = try await client.send(.put, query: ["acl": nil], headers: ["x-amz-acl": "public-read-write"])
      let put = try await other.send(.put, "a", body: [2])
      XCTAssertEqual(put.status, 200, put.text)
      let shared = try await other.send(.put, "b", headers: ["x-amz-acl": "bucket-owner-read"], body: [2])
      XCTAssertEqual(shared.status, 200, shared.text)
      let statuses = [
        try await other.send(.get, "a").status, try await client.send(.get, "a").status,
        try await client.send(.get, "b").status, try await other.send(.put, "mine", body: [2]).status,
        try await other.send(.delete, "mine").status, try await client.send(.delete, "a").status,
      ]
      XCTAssertEqual(statuses, [200, 403, 200, 403, 403, 204])
      let begun = try await other.send(.post, "big", query: ["uploads": nil]).document
      let upload = try XCTUnwrap(begun["UploadId"]?.text)
      let mine = try await client.send(.post, "big", query: ["uploads": nil]).document
      let own = mine["UploadId"]?.text
      let complete = Array(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>".utf8)
      let parts = [
        try await other.send(.put, "big", query: ["partNumber": "1", "uploadId": upload], body: [1]).status,
        try await client.send(.put, "big", query: ["partNumber": "1", "uploadId": upload], body: [1]).status,
        try await other.send(.put, "big", query: ["partNumber": "1", "uploadId": own], body: [1]).status,
        try await other.send(
          .put, "big", query: ["partNumber": "1", "uploadId": own],
          headers: ["x-amz-copy-source": other.copySource("b")]
        ).status,
        try await other.send(.post, "big", query: ["uploadId": own], body: complete).status,
      ]
      XCTAssertEqual(parts, [200, 200, 403, 403, 403])
      let uploads = [
        try await other.send(.get, "big", query: ["uploadId": upload]).status,
        try await other.send(.delete, "big", query: ["uploadId": upload]).status,
        try await other.send(.delete, "big", query: ["uploadId": own]).status,
      ]
      XCTAssertEqual(uploads, [200, 204, 403])
      let its = try await id(of: other)
      let list = try await client.send(.get).document.all("Contents")
      XCTAssertEqual(list.map { $0["Owner"]?["ID"]?.text == its }, [true, false])
    }
  }

  func testPolicyNamesAnotherAccount() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      _ = try await client.send(.put, "a", body: [1])
      func statuses(_ principal: String, _ condition: String = "") async throws -> [Int] {
        let text = """
          {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject"],\
          "Principal":{"AWS":"\(principal)"},"Resource":"arn:aws:s3:::\(Self.bucket)/*"\(condition)}]}
          """
        let put = try await client.send(.put, query: ["policy": nil], body: Array(text.utf8))
        XCTAssertEqual(put.status, 204, put.text)
        return [
          try await other.send(.get, "a").status, try await client.send(client.request(.get, "a")).status,
          try await other.send(.put, "copy", headers: ["x-amz-copy-source": client.copySource("a")]).status,
        ]
      }
      let (named, unnamed, limited) = (
        try await statuses("arn:aws:iam::\(Self.number):root"), try await statuses("arn:aws:iam::325000000000:root"),
        try await statuses("*", #","Condition":{"StringLike":{"s3:x-amz-copy-source":"*/b"}}"#)
      )
      XCTAssertEqual([named, unnamed, limited], [[200, 403, 200], [403, 403, 403], [403, 403, 403]])
    }
  }

  func testPolicyDoesNotOpenTheObjectsOfAnotherAccount() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      _ = try await client.send(.put, query: ["acl": nil], headers: ["x-amz-acl": "public-read-write"])
      _ = try await client.send(.put, "mine", body: [1])
      _ = try await other.send(.put, "theirs", body: [2])
      let text = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Principal":"*",\
        "Resource":"arn:aws:s3:::\(Self.bucket)/*"}]}
        """
      _ = try await client.send(.put, query: ["policy": nil], body: Array(text.utf8))
      let statuses = [
        try await client.send(client.request(.get, "mine")).status,
        try await client.send(client.request(.get, "theirs")).status, try await client.send(.get, "theirs").status,
        try await client.send(.put, "copy", headers: ["x-amz-copy-source": client.copySource("theirs")]).status,
        try await other.send(.get, "theirs").status,
      ]
      XCTAssertEqual(statuses, [200, 403, 403, 403, 200])
    }
  }

  func testWhoMayListAKeyOfS3LearnsThatItsObjectIsMissing() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      let text = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:ListBucket","Principal":"*",\
        "Resource":"arn:aws:s3:::\(Self.bucket)","Condition":{"StringLike":{"s3:prefix":"public/*"}}}]}
        """
      _ = try await client.send(.put, query: ["policy": nil], body: Array(text.utf8))
      _ = try await client.send(.put, "public/a", body: [1])
      let statuses = [
        try await other.send(.head, "public/b").status, try await other.send(.get, "public/b").status,
        try await other.send(.get, "private/b").status, try await other.send(.get, "public/a").status,
        try await other.send(.put, "public/b", body: [1]).status,
      ]
      XCTAssertEqual(statuses, [404, 404, 403, 403, 403])
    }
  }

  func testWhoMayListAKeyOfS3DoesNotReadItsDeletedObject() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      let text = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:ListBucket","Principal":"*",\
        "Resource":"arn:aws:s3:::\(Self.bucket)"}]}
        """
      _ = try await client.send(.put, query: ["policy": nil], body: Array(text.utf8))
      let versioning = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
      _ = try await client.send(.put, query: ["versioning": nil], body: Array(versioning.utf8))
      let version = try await client.send(.put, "a", body: [1]).header("x-amz-version-id")
      _ = try await client.send(.delete, "a")
      let statuses = [
        try await other.send(.get, "a").status, try await other.send(.get, "a", query: ["versionId": version]).status,
        try await client.send(.get, "a", query: ["versionId": version]).status,
      ]
      XCTAssertEqual(statuses, [404, 403, 200])
    }
  }

  func testWhoMayWriteInS3DoesNotRestoreADeletedObject() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      let versioning = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
      _ = try await client.send(.put, query: ["versioning": nil], body: Array(versioning.utf8))
      _ = try await client.send(.put, query: ["acl": nil], headers: ["x-amz-acl": "public-read-write"])
      _ = try await client.send(.put, "a", body: [1])
      let marker = try await client.send(.delete, "a").header("x-amz-version-id")
      let statuses = [
        try await other.send(.delete, "a", query: ["versionId": marker]).status,
        try await client.send(.get, "a").status,
        try await client.send(.delete, "a", query: ["versionId": marker]).status,
        try await client.send(.get, "a").status,
      ]
      XCTAssertEqual(statuses, [403, 404, 204, 200])
    }
  }

  func testBlockOfPublicAccessIsAppliedInS3() async throws {
    try await withTwoAccounts(of: [.s3]) { client, other in
      func block(_ rule: String) async throws {
        let body = "<PublicAccessBlockConfiguration><\(rule)>true</\(rule)></PublicAccessBlockConfiguration>"
        let put = try await client.send(.put, query: ["publicAccessBlock": nil], body: Array(body.utf8))
        XCTAssertEqual(put.status, 200, put.text)
      }
      let open = ["x-amz-acl": "public-read"]
      let policy = Array(
        """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Principal":"*",\
        "Resource":"arn:aws:s3:::\(Self.bucket)/b"}]}
        """.utf8)
      _ = try await client.send(.put, "a", headers: open, body: [1])
      _ = try await client.send(.put, "b", body: [1])
      try await block("BlockPublicAcls")
      let blocked = [
        try await client.send(.put, "a", headers: open, body: [1]).status,
        try await client.send(.put, query: ["acl": nil], headers: open).status,
        try await client.send(.put, "a", query: ["acl": nil], headers: ["x-amz-acl": "private"]).status,
        try await client.send(.put, query: ["policy": nil], body: policy).status,
      ]
      XCTAssertEqual(blocked, [403, 403, 200, 204])
      try await block("BlockPublicPolicy")
      let (again, put, read) = (
        try await client.send(.put, query: ["policy": nil], body: policy).status,
        try await client.send(.put, "a", headers: open, body: [1]).status, try await other.send(.get, "a").status
      )
      XCTAssertEqual([again, put, read], [403, 200, 200])
      try await block("IgnorePublicAcls")
      let ignored = [
        try await other.send(.get, "a").status, try await other.send(client.request(.get, "a")).status,
        try await other.send(.get, "b").status, try await client.send(.get, "a").status,
      ]
      XCTAssertEqual(ignored, [403, 403, 200, 200])
      try await block("RestrictPublicBuckets")
      let restricted = [try await other.send(.get, "b").status, try await client.send(.get, "b").status]
      XCTAssertEqual(restricted, [403, 200])
    }
  }
}
