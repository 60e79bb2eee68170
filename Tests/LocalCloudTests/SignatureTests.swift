// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests signature verification: accepted schemes and keys, and rejections in the services' formats.
final class SignatureTests: CloudTestCase {
  private let temporary = AccessKey(
    id: "STS.temporary", secret: "temporary-secret", sessionToken: "to+ken/=",
    expiration: Timestamp(unixSeconds: 1_795_161_600 + 3600))
  private let disabled = AccessKey(id: "disabled-id", secret: "disabled-secret")

  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.accounts += [.init(temporary), .init(disabled, isDisabled: true)]
    return configuration
  }

  private func refusal(_ client: TestClient, _ request: HTTPRequest) async throws -> XMLNode {
    let reply = try await client.send(request)
    XCTAssertGreaterThanOrEqual(reply.status, 400)
    XCTAssertEqual(reply.header("content-type"), "application/xml")
    let document = try reply.document
    XCTAssertEqual(document.name, "Error")
    XCTAssertEqual(document["RequestId"]?.text, reply.header("\(client.prefix)request-id"))
    XCTAssertNotNil(document["Message"])
    let place = document[client.provider == .oss ? "HostId" : "Resource"]?.text ?? ""
    XCTAssertTrue(place.hasPrefix(client.cloud.endpoint(of: client.provider).authority), place)
    return document
  }

  func testEverySchemeIsVerifiedAndCounted() async throws {
    let cloud = try await LocalCloud.start(configuration)
    let oss = TestClient(cloud: cloud, provider: .oss, key: Self.key, clock: clock)
    let cos = TestClient(cloud: cloud, provider: .cos, key: temporary, clock: clock)
    let v1 = try OSSSigner(.v1).signed(oss.request(.get), with: temporary, in: .at(clock.now))
    var statuses = [try await oss.send(v1).status]
    statuses.append(try await oss.send(.get).status)
    statuses.append(try await cos.send(.get).status)
    for client in [oss, cos] {
      let link = try client.presigned(client.request(.put, "a"), validFor: .seconds(60))
      var request = try client.request(.put, "a")
      request.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      statuses.append(try await client.send(request, body: [1]).status)
    }
    let anonymous = try await oss.send(oss.request(.get))
    await cloud.stop()
    XCTAssertEqual(statuses, [200, 200, 200, 200, 200])
    XCTAssertEqual(anonymous.status, 403)
    XCTAssertEqual(cloud.statistics.verified, [.ossV1: 1, .ossV4: 2, .cosV5: 2])
    XCTAssertEqual(cloud.statistics.refused, ["AccessDenied": 1])
  }

  func testWrongSecretIsRejectedWithTheStringToSign() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      var client = client
      client.key = AccessKey(id: Self.key.id, secret: "wrong")
      let error = try await refusal(client, client.signed(client.request(.get, "a")))
      XCTAssertEqual(error["Code"]?.text, "SignatureDoesNotMatch")
      let stringToSign = try XCTUnwrap(error["StringToSign"]?.text)
      if client.provider == .oss {
        XCTAssertTrue(stringToSign.hasPrefix("OSS4-HMAC-SHA256\n20261120T"), stringToSign)
        XCTAssertTrue(try XCTUnwrap(error["StringToSignBytes"]?.text).hasPrefix("4F 53 53 34 2D"))
        XCTAssertTrue(try XCTUnwrap(error["CanonicalRequest"]?.text).hasPrefix("GET\n/\(Self.bucket)/a\n"))
        XCTAssertEqual(error["SignatureProvided"]?.text.count, 64)
        XCTAssertEqual(error["OSSAccessKeyId"]?.text, Self.key.id.string)
        XCTAssertEqual(error["EC"]?.text, "0002-00000040")
      } else {
        XCTAssertTrue(stringToSign.hasPrefix("sha1\n"), stringToSign)
        XCTAssertTrue(try XCTUnwrap(error["FormatString"]?.text).hasPrefix("get\n/\(Self.bucket)/a\n"))
        XCTAssertEqual(error["Message"]?.text, "The Signature you specified is invalid.")
      }
    }
  }

  func testRejectedHeadHasNoBody() async throws {
    try await withEachService { client in
      var client = client
      client.key = AccessKey(id: Self.key.id, secret: "wrong")
      let reply = try await client.send(.head, "a")
      XCTAssertEqual(reply.status, 403)
      XCTAssertEqual(reply.body, [])
      guard client.provider == .oss else { return }
      let document = try XCTUnwrap([UInt8](base64: XCTUnwrap(reply.header("x-oss-err"))))
      XCTAssertEqual(try XMLNode.parse(document)["Code"]?.text, "SignatureDoesNotMatch")
      XCTAssertEqual(reply.header("x-oss-ec"), "0002-00000040")
    }
  }

  func testUnknownAndDisabledKeysAreRejectedAlike() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      for key in [AccessKey(id: "nobody", secret: "x"), disabled] {
        var client = client
        client.key = key
        let error = try await refusal(client, client.signed(client.request(.get)))
        XCTAssertEqual(error["Code"]?.text, "InvalidAccessKeyId")
      }
    }
  }

  func testTokenMustBelongToTheKey() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let isOSS = client.provider == .oss
      let cases: [(AccessKey, String)] = [
        (AccessKey(id: temporary.id, secret: "temporary-secret"), "InvalidAccessKeyId"),
        (
          AccessKey(id: temporary.id, secret: "temporary-secret", sessionToken: "other"),
          isOSS ? "InvalidSecurityToken" : "InvalidToken"
        ),
      ]
      for (key, code) in cases {
        var client = client
        client.key = key
        let error = try await refusal(client, client.signed(client.request(.get)))
        XCTAssertEqual(error["Code"]?.text, code)
        XCTAssertFalse(String(decoding: error.serialized(), as: UTF8.self).contains("to+ken"))
      }
      var client = client
      client.key = temporary
      let right = try await client.send(.get)
      XCTAssertEqual(right.status, 200)
    }
  }

  func testExpiredKeyIsRejected() async throws {
    var configuration = configuration
    let offset = TestClock()
    configuration.clock = { offset.now }
    offset.advance(by: .seconds(3599))
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      let client = TestClient(cloud: client.cloud, provider: client.provider, key: temporary, clock: offset)
      let link = try client.request(.get)
      let signed =
        switch client.provider {
        case .oss: try OSSSigner(.v1).signed(link, with: temporary.withoutEnd, in: .at(offset.now))
        case .cos, .s3: try COSSigner().signed(link, with: temporary.withoutEnd, in: .at(offset.now))
        }
      let before = try await client.send(signed)
      XCTAssertEqual(before.status, 200)
      offset.advance(by: .seconds(1))
      let error = try await refusal(client, signed)
      XCTAssertEqual(error["Code"]?.text, client.provider == .oss ? "SecurityTokenExpired" : "ExpiredToken")
      offset.advance(by: .seconds(-1))
    }
  }

  func testClockSkewIsReported() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      for offset in [-901, 901] {
        let date = clock.now.advanced(by: .seconds(client.provider == .cos ? abs(offset) : offset))
        let request = try client.request(.get)
        let signed =
          switch client.provider {
          case .oss: try OSSSigner(.v1).signed(request, with: Self.key, in: .at(date))
          case .cos, .s3: try COSSigner().signed(request, with: Self.key, in: .at(date))
          }
        let error = try await refusal(client, signed)
        XCTAssertEqual(error["Code"]?.text, "RequestTimeTooSkewed")
        XCTAssertTrue(try XCTUnwrap(error["ServerTime"]?.text).hasPrefix("2026-11-20T"))
        guard client.provider == .oss else { continue }
        XCTAssertEqual(error["MaxAllowedSkewMilliseconds"]?.text, "900000")
        XCTAssertEqual(error["RequestTime"]?.text, date.iso8601.dropLast() + ".000Z")
      }
    }
  }

  func testHeaderSignatureWithoutADateIsRejected() async throws {
    try await withEachService { client in
      guard client.provider == .oss else { return }
      var request = try OSSSigner(.v1).signed(client.request(.get), with: Self.key, in: .at(clock.now))
      request.headerFields[.date] = "yesterday"
      let error = try await refusal(client, request)
      XCTAssertEqual(error["Code"]?.text, "AccessDenied")
      XCTAssertEqual(error["Message"]?.text, "OSS authentication requires a valid Date.")
    }
  }

  func testExpiredURLIsRejected() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "a", body: [1])
      let link = try client.presigned(client.request(.get, "a"), validFor: .seconds(60))
      var request = try client.request(.get, "a")
      request.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      let before = try await client.send(request)
      XCTAssertEqual(before.status, 200)
      clock.advance(by: .seconds(61))
      let error = try await refusal(client, request)
      XCTAssertEqual(error["Code"]?.text, "AccessDenied")
      XCTAssertEqual(
        error["Message"]?.text, client.provider == .oss ? "Request has expired." : "Request has expired")
      XCTAssertNotNil(error["ServerTime"])
      if client.provider == .oss { XCTAssertNotNil(error["Expires"]) }
    }
  }

  func testRegionOfTheScopeIsChecked() async throws {
    var configuration = configuration
    configuration.region = "cn-shanghai"
    try await withEachService(configuration) { client in
      guard client.provider == .oss else { return }
      let error = try await refusal(client, client.signed(client.request(.get)))
      XCTAssertEqual(error["Message"]?.text, "Invalid signing region in Authorization header.")
      XCTAssertEqual(error["EC"]?.text, "0002-00000226")
    }
  }

  func testStrictServerRequiresEverythingSigned() async throws {
    var configuration = configuration
    configuration.isStrict = true
    try await withEachService(configuration) { client in
      guard client.provider == .cos else { return }
      let request = try client.request(.get, "a")
      let loose = try COSSigner(policy: .only([])).signed(request, with: Self.key, in: .at(clock.now))
      let reply = try await client.send(loose)
      XCTAssertEqual(reply.status, 403)
      let strict = try COSSigner(isStrict: true).signed(request, with: Self.key, in: .at(clock.now))
      let found = try await client.send(strict)
      XCTAssertEqual(found.status, 404)
    }
  }
}

extension AccessKey {
  fileprivate var withoutEnd: AccessKey { AccessKey(id: id, secret: secret, sessionToken: sessionToken) }
}
