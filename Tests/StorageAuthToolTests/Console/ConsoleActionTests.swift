// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuth
import XCTest

@testable import storage_auth

/// Tests what the page of the console does with objects, presigned URLs, issued keys and the list of requests.
final class ConsoleActionTests: XCTestCase {
  private func object(_ key: String, of provider: LocalCloud.Provider = .oss, _ suffix: String = "") -> String {
    "object\(suffix)?service=\(provider.rawValue)&bucket=\(ConsoleBench.bucket)&key=\(key)"
  }

  private func message(of response: HTTPClientResponse) async throws -> String {
    let document = try await JSONValue(parsing: Array(String(buffer: response.body.collect(upTo: 1 << 16)).utf8))
    return document["error"]?["message"]?.string ?? ""
  }

  func testServerIsDescribedWithoutSecrets() async throws {
    let bench = try await ConsoleBench(self)
    let text = try await bench.text("server")
    let server = try JSONValue(parsing: Array(text.utf8))
    XCTAssertEqual(server["services"]?.array?.map { $0["service"]?.string }, ["oss", "cos", "s3"])
    XCTAssertEqual(server["services"]?[0]?["url"]?.string, bench.cloud.url(of: .oss))
    XCTAssertEqual(server["services"]?[2]?["region"]?.string, "us-east-1")
    XCTAssertEqual(server["services"]?[0]?["variables"]?[1]?.string, "OSS_ACCESS_KEY_SECRET")
    XCTAssertEqual(server["accounts"]?.array?.map { $0["id"]?.string }, ["LTAItest", "LTAIother", "STS.test"])
    XCTAssertEqual(server["accounts"]?.array?.map { $0["temporary"]?.bool }, [false, false, true])
    XCTAssertEqual(server["signer"]?.string, "LTAItest")
    XCTAssertFalse(text.contains("M4RK"), text)
  }

  func testObjectIsUploadedReadAndDeleted() async throws {
    let bench = try await ConsoleBench(self)
    for provider in LocalCloud.Provider.allCases {
      let path = object("a%2Fb%20c.txt", of: provider)
      let put = try await bench.get(path, ["Content-Type": "text/x-test"], method: .PUT, body: Array("hello".utf8))
      XCTAssertEqual(put.status, .noContent, "\(provider)")
      let page = try await bench.json("objects?service=\(provider.rawValue)&bucket=\(ConsoleBench.bucket)&prefix=a/")
      XCTAssertEqual(page["objects"]?[0]?["key"]?.string, "a/b c.txt")
      let whole = try await bench.get(path)
      XCTAssertEqual(whole.headers["content-type"], ["application/octet-stream"])
      XCTAssertEqual(whole.headers["content-disposition"], ["attachment"])
      XCTAssertEqual(whole.headers["x-content-type-options"], ["nosniff"])
      let bytes = try await String(buffer: whole.body.collect(upTo: 1 << 10))
      XCTAssertEqual(bytes, "hello")
      let part = try await bench.get(path, ["Range": "bytes=1-2"])
      XCTAssertEqual(part.status, .partialContent)
      XCTAssertEqual(part.headers["content-range"], ["bytes 1-2/5"])
      let letters = try await String(buffer: part.body.collect(upTo: 1 << 10))
      XCTAssertEqual(letters, "el")
      let headers = try await bench.json(object("a%2Fb%20c.txt", of: provider, "/headers")).array ?? []
      let type = headers.first { $0[0]?.string?.lowercased() == "content-type" }
      XCTAssertEqual(type?[1]?.string, "text/x-test")
      let deletion = try await bench.get(path, method: .DELETE)
      XCTAssertEqual(deletion.status, .noContent)
      let missing = try await bench.get(path)
      XCTAssertEqual(missing.status, .notFound)
      let message = try await message(of: missing)
      XCTAssertTrue(message.hasPrefix("NoSuchKey: "), message)
    }
  }

  func testUnusableRequestsForObjectsAreRefused() async throws {
    let bench = try await ConsoleBench(self)
    for (path, method) in [
      ("object?service=oss&bucket=\(ConsoleBench.bucket)", HTTPMethod.DELETE),
      ("object?service=x&bucket=a&key=b", .GET),
      (object("a", of: .oss, "/url") + "&method=POST&seconds=60", .GET),
      (object("a", of: .oss, "/url") + "&method=GET&seconds=0", .GET),
      (object("a", of: .cos, "/url") + "&method=GET&seconds=604801", .GET),
    ] {
      let response = try await bench.get(path, method: method)
      XCTAssertEqual(response.status, .badRequest, path)
    }
    var chunked = HTTPClientRequest(url: bench.url + object("a"))
    chunked.method = .PUT
    chunked.body = .stream(
      AsyncStream {
        $0.yield(ByteBuffer(string: "a")); $0.finish()
      }, length: .unknown)
    let response = try await HTTPClient.shared.execute(chunked, timeout: .seconds(60))
    XCTAssertEqual(response.status, .lengthRequired)
  }

  func testPresignedURLIsValidForItsMethodOnly() async throws {
    let bench = try await ConsoleBench(self)
    for provider in LocalCloud.Provider.allCases {
      try await bench.send(bench.signed("a", of: provider, .put), body: [1, 2, 3])
      let document = try await bench.json(object("a", of: provider, "/url") + "&method=GET&seconds=60")
      XCTAssertEqual(document["expiration"]?.string, ConsoleBench.now.advanced(by: .seconds(60)).iso8601)
      let url = try XCTUnwrap(document["url"]?.string)
      var request = HTTPClientRequest(url: url)
      let get = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      XCTAssertEqual(get.status, .ok, url)
      request.method = .DELETE
      let deletion = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      XCTAssertEqual(deletion.status, .forbidden, url)
    }
  }

  // matrix: Console: other web pages
  func testOtherSitesCannotAct() async throws {
    let bench = try await ConsoleBench(self)
    try await bench.send(bench.signed("a", of: .oss, .put), body: [1])
    for (path, method) in [
      (object("a"), HTTPMethod.DELETE), (object("a"), .PUT), ("requests", .DELETE), ("keys?id=LTAItest", .DELETE),
      (object("a"), .GET), (object("a", of: .oss, "/url") + "&method=GET&seconds=60", .GET),
    ] {
      for headers in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Host": "evil.example.com"]] {
        let response = try await bench.get(path, headers, method: method, body: method == .PUT ? [2] : nil)
        XCTAssertEqual(response.status, .forbidden, "\(headers) \(method) \(path)")
      }
      // A browser without Sec-Fetch-Site asks first, and gets no permission.
      let preflight = try await bench.get(
        path, ["Origin": "http://evil.example.com", "Access-Control-Request-Method": "DELETE"], method: .OPTIONS)
      XCTAssertNotEqual(preflight.status, .ok)
      XCTAssertNil(preflight.headers.first(name: "access-control-allow-origin"))
    }
    let page = try await bench.json("objects?service=oss&bucket=\(ConsoleBench.bucket)")
    XCTAssertEqual(page["objects"]?[0]?["size"]?.integer, 1)
  }

  func testIssuedKeyIsListedAndRevoked() async throws {
    let bench = try await ConsoleBench(self)
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: bench.cloud.ossAppServer), timeout: .seconds(60))
    let issued = try await JSONValue(parsing: Array(String(buffer: response.body.collect(upTo: 1 << 16)).utf8))
    let id = try XCTUnwrap(issued["AccessKeyId"]?.string)
    let key = AccessKey(
      id: AccessKeyID(id), secret: Secret(issued["AccessKeySecret"]?.string ?? ""),
      sessionToken: Secret(issued["SecurityToken"]?.string ?? ""))
    let put = try bench.sign(bench.request(.put, "a", of: .oss), of: .oss, with: key)
    let status = try await bench.send(put, body: [1])
    XCTAssertEqual(status, 200)

    let text = try await bench.text("keys")
    for secret in [key.secret.reveal(), key.sessionToken?.reveal() ?? ""] { XCTAssertFalse(text.contains(secret)) }
    var listed = try JSONValue(parsing: Array(text.utf8))["keys"]?[0]
    XCTAssertEqual(listed?["id"]?.string, id)
    XCTAssertEqual(listed?["issuer"]?.string, "appServer")
    XCTAssertEqual(listed?["caller"], .null)
    XCTAssertEqual(listed?["role"]?.string, LocalCloud.Role.alibaba.arn)
    XCTAssertEqual(listed?["policy"], .null)
    XCTAssertEqual(listed?["start"]?.string, ConsoleBench.now.iso8601)
    XCTAssertEqual(listed?["expiration"]?.string, ConsoleBench.now.advanced(by: .seconds(1800)).iso8601)
    XCTAssertEqual([listed?["uses"]?.integer, listed?["refusals"]?.integer], [1, 0])
    XCTAssertEqual(listed?["state"]?.string, "valid")

    let revocation = try await bench.get("keys?id=\(id)", method: .DELETE)
    XCTAssertEqual(revocation.status, .noContent)
    let refused = try await bench.send(put, body: [1])
    XCTAssertEqual(refused, 403)
    listed = try await bench.json("keys")["keys"]?[0]
    XCTAssertEqual([listed?["uses"]?.integer, listed?["refusals"]?.integer], [2, 1])
    XCTAssertEqual(listed?["state"]?.string, "revoked")
    let unknown = try await bench.get("keys?id=LTAItest", method: .DELETE)
    XCTAssertEqual(unknown.status, .notFound, "the key of an account is not issued")
  }

  func testCallerAndPolicyOfAnIssuedKeyAreListed() async throws {
    let bench = try await ConsoleBench(self)
    let policy = #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}]}"#
    let encoded = policy.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    let body =
      "Action=AssumeRole&Version=2011-06-15&RoleArn=\(LocalCloud.Role.amazon.arn)&RoleSessionName=alice"
      + "&Policy=\(encoded)"
    var request = HTTPRequest(
      method: .post, scheme: "http", authority: bench.cloud.servicesEndpoint.authority, path: "/",
      headerFields: [.contentType: "application/x-www-form-urlencoded"])
    request = try bench.signToken(request, body: Array(body.utf8))
    let status = try await bench.send(request, body: Array(body.utf8))
    XCTAssertEqual(status, 200)
    let listed = try await bench.json("keys")["keys"]?[0]
    XCTAssertEqual(listed?["caller"]?.string, "LTAItest")
    XCTAssertEqual(listed?["issuer"]?.string, "sts")
    XCTAssertEqual(listed?["session"]?.string, "alice")
    XCTAssertEqual(listed?["policy"]?.string, policy)
  }

  func testClearedListStartsAnewForEveryPage() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    _ = try await events.next("hello")
    try await bench.send(bench.signed("a", of: .oss))
    let number = try await events.next("request")["n"]?.integer ?? 0
    let response = try await bench.get("requests", method: .DELETE)
    XCTAssertEqual(response.status, .noContent)
    let hello = try await events.next("hello")
    XCTAssertEqual(hello["continues"]?.bool, false)
    let detail = try await bench.get("requests/\(number)")
    XCTAssertEqual(detail.status, .notFound)
    try await bench.send(bench.signed("b", of: .oss))
    let next = try await events.next("request")
    XCTAssertEqual(next["n"]?.integer, number + 1)
  }

  // matrix: Console: masking
  func testHeadersAreShownWithoutSecrets() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    var request = try bench.request(.put, "a", of: .s3)
    request.headerFields[.contentType] = "text/x-test"
    request.headerFields[.cookie] = "session=M4RK-of-a-page"
    request = try bench.sign(request, of: .s3, with: ConsoleBench.temporary)
    request.headerFields[.referer] = "http://127.0.0.1/?X-Amz-Security-Token=M4RK"
    try await bench.send(request, body: [1])
    let number = try await events.next("request")["n"]?.integer ?? 0
    let text = try await bench.text("requests/\(number)")
    XCTAssertFalse(text.contains("M4RK"), text)
    let detail = try JSONValue(parsing: Array(text.utf8))
    func value(_ name: String, _ side: String) -> String? {
      detail[side]?.array?.first { $0[0]?.string == name }?[1]?.string
    }
    XCTAssertEqual(value("content-type", "request"), "text/x-test")
    XCTAssertEqual(value("authorization", "request"), Secret.mask)
    XCTAssertEqual(value("x-amz-security-token", "request"), Secret.mask)
    XCTAssertEqual(value("host", "request"), bench.cloud.s3Endpoint.authority)
    XCTAssertNotNil(value("ETag", "response") ?? value("etag", "response"))
    XCTAssertEqual(detail["explanation"], .null)
  }
}
