// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests the sources of keys for S3, and that a key is limited by its policy.
final class S3KeyTests: ServicesTestCase {
  private static let metadata = "/latest/meta-data/iam/security-credentials/"
  private static let object = "arn:aws:s3:::\(bucket)/alice/"

  private func statement(_ action: String, _ resource: String, _ more: String = "", effect: String = "Allow") -> String
  {
    #"{"Sid":"a","Effect":"\#(effect)","Action":\#(action),"Resource":"\#(resource)"\#(more)}"#
  }

  private func policy(_ statements: String...) -> String {
    #"{"Version":"2012-10-17","Id":"x","Statement":[\#(statements.joined(separator: ","))]}"#
  }

  private func error(_ reply: Reply) throws -> String? { try reply.document["Error"]?["Code"]?.text }

  // matrix: S3 V4: expiry
  // matrix: Amazon STS: answers
  func testAssumedRoleKeyIsAcceptedUntilItExpires() async throws {
    try await withServices { services in
      let reply = try await services.send(services.sts(["Action": "AssumeRole", "DurationSeconds": "900"]))
      XCTAssertEqual(reply.status, 200, reply.text)
      let result = try reply.document.children.first
      XCTAssertEqual(
        result?["AssumedRoleUser"]?["Arn"]?.text, "arn:aws:sts::125000000000:assumed-role/localcloud/alice")
      XCTAssertEqual(
        result?["Credentials"]?["Expiration"]?.text, clock.now.advanced(by: .seconds(900)).iso8601)
      let key = try XCTUnwrap(try reply.amazonKey)
      let s3 = storage(.s3, of: services, with: key)
      let put = try await s3.send(.put, "a", body: [1])
      XCTAssertEqual(put.status, 200, put.text)
      let elsewhere = try await storage(.cos, of: services, with: key).send(.get)
      XCTAssertEqual(try elsewhere.errorCode, "InvalidAccessKeyId", "the key must be valid for one service only")
      clock.advance(by: .seconds(900))
      let ended = try await s3.send(.get, "a")
      XCTAssertEqual(try ended.errorCode, "ExpiredToken")
      XCTAssertEqual(services.cloud.session(of: key.id)?.role, LocalCloud.Role.amazon.arn)
      XCTAssertEqual(services.cloud.statistics.verified[.s3V4], 2)
    }
  }

  func testCallerIdentityIsThatOfTheKey() async throws {
    try await withServices { services in
      let account = try await services.send(services.sts(["Action": "GetCallerIdentity"])).document.children.first
      XCTAssertEqual(account?["Arn"]?.text, "arn:aws:iam::125000000000:root")
      XCTAssertEqual(account?["Account"]?.text, "125000000000")
      var session = services
      let issued = try await services.send(services.sts(["Action": "AssumeRole"])).amazonKey
      session.key = try XCTUnwrap(issued)
      let role = try await services.send(session.sts(["Action": "GetCallerIdentity"])).document.children.first
      XCTAssertEqual(role?["Arn"]?.text, "arn:aws:sts::125000000000:assumed-role/localcloud/alice")
      XCTAssertEqual(role?["UserId"]?.text.hasSuffix(":alice"), true)
      session.key = AccessKey(id: "test-id", secret: "wrong")
      let wrong = try await services.send(session.sts(["Action": "GetCallerIdentity"]))
      XCTAssertEqual(try error(wrong), "SignatureDoesNotMatch")
    }
  }

  func testARNOfASessionOmitsThePathOfItsRole() async throws {
    var configuration = configuration
    let role = LocalCloud.Role("arn:aws:iam::125000000000:role/team/photos/app")
    configuration.services.roles.append(role)
    try await withServices(configuration) { services in
      let reply = try await services.send(services.sts(["Action": "AssumeRole", "RoleArn": role.arn]))
      XCTAssertEqual(
        try reply.document.children.first?["AssumedRoleUser"]?["Arn"]?.text,
        "arn:aws:sts::125000000000:assumed-role/app/alice")
      var session = services
      session.key = try XCTUnwrap(try reply.amazonKey)
      let identity = try await services.send(session.sts(["Action": "GetCallerIdentity"])).document.children.first
      XCTAssertEqual(identity?["Arn"]?.text, "arn:aws:sts::125000000000:assumed-role/app/alice")
    }
  }

  // matrix: Amazon STS: refusal
  func testSTSCallersAreVerified() async throws {
    try await withServices { services in
      let call = try services.sts(["Action": "AssumeRole"])
      var changed = call
      changed.body += Array("&DurationSeconds=43200".utf8)
      var unsigned = call
      unsigned.request.headerFields[.authorization] = nil
      var wrong = services
      wrong.key = AccessKey(id: "test-id", secret: "wrong")
      var unknown = services
      unknown.key = AccessKey(id: "nobody", secret: "wrong")
      let cases = [
        (changed, "SignatureDoesNotMatch"), (unsigned, "MissingAuthenticationToken"),
        (try wrong.sts(["Action": "AssumeRole"]), "SignatureDoesNotMatch"),
        (try unknown.sts(["Action": "AssumeRole"]), "InvalidClientTokenId"),
        (try services.sts(["Action": "AssumeRole"], service: "s3"), "SignatureDoesNotMatch"),
        (try services.sts(["Action": "GetFederationToken"]), "InvalidAction"),
        (try services.sts(["Action": "AssumeRole", "RoleSessionName": "a b"]), "ValidationError"),
        (try services.sts(["Action": "AssumeRole", "DurationSeconds": "899"]), "ValidationError"),
        (try services.sts(["Action": "AssumeRole", "RoleArn": "arn:aws:iam::1:role/none"]), "AccessDenied"),
        (try services.sts(["Action": "AssumeRole", "RoleArn": Self.alibabaRole]), "AccessDenied"),
      ]
      for (call, code) in cases {
        let reply = try await services.send(call)
        XCTAssertEqual(try error(reply), code, reply.text)
        XCTAssertTrue([400, 403].contains(reply.status))
      }
      // The parameters of a call are read from the URL and the body; a signature in the URL covers only the URL.
      var request = HTTPRequest(
        method: .post, scheme: "http", authority: services.cloud.servicesEndpoint.authority,
        path: "/?Action=AssumeRole&Version=2011-06-15&RoleArn=\(LocalCloud.Role.amazon.arn)")
      let link = try S3Signer(region: "us-east-1", service: "sts").presign(
        request, with: services.key, validFor: .seconds(60), in: .at(clock.now))
      request.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      var presigned = call
      presigned.request = request
      presigned.request.headerFields[.contentType] = "application/x-www-form-urlencoded"
      presigned.body = Array("RoleSessionName=alice".utf8)
      let reply = try await services.send(presigned)
      XCTAssertEqual(try error(reply), "IncompleteSignature", reply.text)
      XCTAssertEqual(services.cloud.statistics[.sts].issued, 0)
    }
  }

  // matrix: Amazon STS: answers
  func testUnsignedIdentityTokenExchangeReturnsCredentials() async throws {
    try await withServices { services in
      for (token, isRight) in [(Self.identityToken, true), ("forged", false)] {
        var call = try services.sts(["Action": "AssumeRoleWithWebIdentity", "WebIdentityToken": token])
        call.request.headerFields = [.contentType: "application/x-www-form-urlencoded"]
        let reply = try await services.send(call)
        XCTAssertEqual(try reply.amazonKey != nil, isRight, reply.text)
        if !isRight { XCTAssertEqual(try error(reply), "InvalidIdentityToken") }
      }
    }
  }

  // matrix: Amazon container: answers
  // matrix: Instance metadata: answers
  func testMetadataAndContainerEndpointReturnCredentials() async throws {
    var configuration = configuration
    configuration.services.requiresMetadataToken = true
    configuration.services.appToken = Secret("login")
    try await withServices(configuration) { services in
      let bare = try await services.send(services.call(.get, Self.metadata))
      XCTAssertEqual(bare.status, 401)
      let life = ["x-aws-ec2-metadata-token-ttl-seconds": "60"]
      let token = try await services.send(services.call(.put, "/latest/api/token", headers: life)).text
      let headers = ["x-aws-ec2-metadata-token": token]
      let name = try await services.send(services.call(.get, Self.metadata, headers: headers)).text
      XCTAssertEqual(name, "localcloud")
      let instance = try await services.send(services.call(.get, Self.metadata + name, headers: headers))
      XCTAssertEqual(instance.json("Code"), "Success")
      XCTAssertEqual(instance.json("Type"), "AWS-HMAC")
      var container = try await services.send(services.call(.get, "/s3/container-credentials"))
      XCTAssertEqual(container.status, 401)
      XCTAssertEqual(container.json("code"), "Unauthorized")
      for value in ["login", "Bearer login"] {
        container = try await services.send(
          services.call(.get, "/s3/container-credentials", headers: ["authorization": value]))
        XCTAssertEqual(container.status, 200, value)
      }
      for reply in [instance, container] {
        let key = try XCTUnwrap(reply.key(id: ["AccessKeyId"], ["SecretAccessKey"], ["Token"]), reply.text)
        let list = try await storage(.s3, of: services, with: key).send(.get)
        XCTAssertEqual(list.status, 200)
      }
    }
  }

  // matrix: S3 V4: verify
  func testKeyIsLimitedByItsPolicy() async throws {
    let listing = statement(
      #""s3:ListBucket""#, "arn:aws:s3:::\(Self.bucket)", #","Condition":{"StringLike":{"s3:prefix":"alice/*"}}"#)
    let text = policy(
      statement(#"["s3:GetObject","s3:PutObject","s3:DeleteObject"]"#, Self.object + "*"), listing,
      statement(#""s3:*""#, Self.object + "secret*", effect: "Deny"),
      statement(
        #""s3:PutObjectAcl""#, "*",
        #","Condition":{"StringEqualsIfExists":{"s3:x-amz-acl":"private"},"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}}"#
      ))
    try await withServices { services in
      let reply = try await services.send(services.sts(["Action": "AssumeRole", "Policy": text]))
      let key = try XCTUnwrap(try reply.amazonKey, reply.text)
      let (scoped, owner) = (storage(.s3, of: services, with: key), storage(.s3, of: services, with: Self.key))
      for key in ["alice/secret", "bob/a"] { _ = try await owner.send(.put, key, body: [1]) }
      func status(
        _ method: HTTPRequest.Method, _ key: String?, _ query: KeyValuePairs<String, String?> = [:],
        _ headers: [String: String] = [:], _ body: [UInt8]? = nil
      ) async throws -> Int { try await scoped.send(method, key, query: query, headers: headers, body: body).status }
      var seen = [try await status(.put, "alice/a", [:], [:], [1]), try await status(.get, "alice/a")]
      seen.append(try await status(.put, "bob/b", [:], [:], [1]))
      seen.append(try await status(.get, "alice/secret"))
      seen.append(try await status(.get, "bob/a"))
      XCTAssertEqual(seen, [200, 200, 403, 403, 403])
      seen = [try await status(.get, nil, ["prefix": "alice/"]), try await status(.get, nil)]
      seen.append(try await status(.get, nil, ["list-type": "2", "prefix": "bob/"]))
      XCTAssertEqual(seen, [200, 403, 403])
      seen = [try await status(.put, "alice/a", ["acl": nil], ["x-amz-acl": "private"])]
      seen.append(try await status(.put, "alice/a", ["acl": nil], ["x-amz-acl": "public-read"]))
      seen.append(try await status(.put, "alice/c", [:], ["x-amz-copy-source": "/\(Self.bucket)/bob/a"]))
      XCTAssertEqual(seen, [200, 403, 403])
      let both = Array(
        "<Delete><Object><Key>alice/a</Key></Object><Object><Key>bob/a</Key></Object></Delete>".utf8)
      let sum = ["x-amz-checksum-crc32": TestClient.sum(both, .crc32)]
      let deleted = try await status(.post, nil, ["delete": nil], sum, both)
      XCTAssertEqual(deleted, 403)
      let kept = try await status(.get, "alice/a")
      XCTAssertEqual(kept, 200)
      let (form, other) = (try form(scoped, "alice/f"), try form(scoped, "bob/f"))
      let posted = [try await scoped.post(form).status, try await scoped.post(other).status]
      XCTAssertEqual(posted, [204, 403])
    }
  }

  private func form(_ client: TestClient, _ key: String) throws -> FormBody {
    let policy = FormPolicy(bucket: Self.bucket, objects: .key(key), until: clock.now.advanced(by: .seconds(600)))
    return FormBody(try client.form(S3Signer(region: "us-east-1"), policy), file: [1])
  }

  // matrix: Amazon STS: bad input
  func testUnsupportedPolicyIsRejected() async throws {
    let any = #""s3:*""#
    try await withServices { services in
      for text in [
        "[]", "{", #"{"Statement":[]}"#, #"{"Version":"2012-10-18","Statement":[]}"#,
        #"{"version":"2012-10-17","statement":[]}"#, policy(statement(any, "photos/*")),
        policy(statement(any, "*", #","Principal":"*""#)), policy(statement(any, "*", #","NotResource":"*""#)),
        policy(statement(any, "*", #","Condition":{"StringMatches":{"s3:prefix":"a"}}"#)),
        policy(statement(any, "*", #","Condition":{"StringLike":{"s3:suffix":"a"}}"#)),
        policy(statement(any, "*", #","Condition":{"IpAddress":{"aws:SourceIp":"here"}}"#)),
        policy(statement(any, "*", effect: "allow")), policy(statement(#""GetObject""#, "*")),
      ] {
        let reply = try await services.send(services.sts(["Action": "AssumeRole", "Policy": text]))
        XCTAssertEqual(try error(reply), "MalformedPolicyDocument", text)
      }
      let long = policy(statement(any, "arn:aws:s3:::" + String(repeating: "a", count: 2048)))
      let reply = try await services.send(services.sts(["Action": "AssumeRole", "Policy": long]))
      XCTAssertEqual(try error(reply), "PackedPolicyTooLarge")
    }
  }
}
