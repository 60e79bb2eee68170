// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests successful form uploads.
final class FormTests: CloudTestCase {
  // matrix: OSS V1: form
  // matrix: OSS V4: form
  // matrix: COS V5: form
  // matrix: S3 V4: form
  func testFileIsUploadedByForm() async throws {
    try await withEachService { client in
      for signer in client.formSigners {
        let form = try client.form(signer, client.policy())
        let reply = try await client.post(FormBody(form, file: Array("meow".utf8)))
        XCTAssertEqual(reply.status, 204, reply.text)
        XCTAssertEqual(reply.header("etag"), client.tag("4a4be40c96ac6314e91d93f38043a634"))
        let get = try await client.send(.get, "uploads/alice/cat.png")
        XCTAssertEqual(get.text, "meow")
        let kind: LocalCloud.SignatureKind =
          switch client.provider {
          case .oss: form.fields.contains { $0.name == "Signature" } ? .ossV1 : .ossV4
          case .cos: .cosV5
          case .s3: .s3V4
          }
        XCTAssertNotNil(client.cloud.statistics.verified[kind])
        _ = try await client.send(.delete, "uploads/alice/cat.png")
      }
    }
  }

  func testResponseStatusIsTheOneThatTheFormRequests() async throws {
    try await withEachService { client in
      let answers: [(FormPolicy.Response, Int)] = [(.ok, 200), (.created, 201), (.noContent, 204)]
      for (answer, status) in answers {
        let form = try client.form(client.formSigners[0], client.policy { $0.response = answer })
        let reply = try await client.post(FormBody(form, file: [1]))
        XCTAssertEqual(reply.status, status)
        let location = try XCTUnwrap(reply.header("location"))
        XCTAssertTrue(location.hasSuffix("/\(Self.bucket)/uploads/alice/cat.png"), location)
        guard status == 201 else { continue }
        XCTAssertEqual(try reply.document.name, "PostResponse")
        XCTAssertEqual(try reply.document["Key"]?.text, "uploads/alice/cat.png")
        XCTAssertEqual(try reply.document["Bucket"]?.text, Self.bucket)
        XCTAssertEqual(try reply.document["ETag"]?.text, reply.header("etag"))
        XCTAssertEqual(try reply.document["Location"]?.text, location)
      }
    }
  }

  func testRedirectNamesTheObject() async throws {
    try await withEachService { client in
      let policy = client.policy {
        $0.response = .redirect("https://app.example.com/done?a=b")
        $0.objects = .key("uploads/a b.png")
      }
      let body = FormBody(try client.form(client.formSigners[0], policy), file: [1])
      let text = RawConnection.head([
        "POST /\(Self.bucket)/ HTTP/1.1", "Host: \(client.cloud.endpoint(of: client.provider).authority)",
        "Content-Type: \(body.contentType)", "Content-Length: \(body.bytes.count)",
      ])
      let answer = try await RawConnection.exchange(
        text + String(decoding: body.bytes, as: UTF8.self), with: client.cloud.endpoint(of: client.provider))
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 303"), answer)
      let tag = client.tag("55a54008ad1ba589aa210d2629c1df41").replacingOccurrences(of: "\"", with: "%22")
      XCTAssertTrue(
        answer.contains(
          "https://app.example.com/done?a=b&bucket=\(Self.bucket)&key=uploads%2Fa%20b.png&etag=\(tag)\r\n"), answer)
    }
  }

  func testFileNameIsInsertedIntoTheKey() async throws {
    try await withEachService { client in
      for (name, last) in [
        ("a b.png", "a b.png"), ("C:\\dir\\x.png", "x.png"), ("../../etc/passwd", "passwd"),
        ("dir/\u{301}y.png", "\u{301}y.png"),
      ] {
        var body = FormBody(try client.form(client.formSigners[0], client.policy()), file: [1])
        body.fileName = name
        let reply = try await client.post(body)
        XCTAssertEqual(reply.status, 204, reply.text)
        let head = try await client.send(.head, "uploads/alice/\(last)")
        XCTAssertEqual(head.status, 200, last)
      }
      var body = FormBody(try client.form(client.formSigners[0], client.policy()), file: [1])
      body.change("key", to: "uploads/alice/chosen")
      _ = try await client.post(body)
      let chosen = try await client.send(.head, "uploads/alice/chosen")
      XCTAssertEqual(chosen.status, 200)
    }
  }

  func testFormFieldsAreStoredWithTheObject() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let policy = client.policy {
        $0.contentType = .startsWith("image/")
        $0.conditions = [FormCondition("\(client.prefix)meta-author", .equals("alice"))]
      }
      let form = try client.form(client.formSigners[0], policy)
      XCTAssertEqual(form.openConditions, [FormCondition("Content-Type", .startsWith("image/"))])
      let more = [
        FormField("Content-Type", "image/png"), FormField("Cache-Control", "no-store"),
        FormField(client.provider == .oss ? "x-oss-object-acl" : "acl", "public-read"),
      ]
      let reply = try await client.post(FormBody(form, adding: more, file: [1]))
      XCTAssertEqual(reply.status, 204, reply.text)
      let head = try await client.send(client.request(.head, "uploads/alice/cat.png"))
      XCTAssertEqual(head.status, 200)
      XCTAssertEqual(head.header("content-type"), "image/png")
      XCTAssertEqual(head.header("cache-control"), "no-store")
      XCTAssertEqual(head.header("\(client.prefix)meta-author"), "alice")
    }
  }

  func testTemporaryKeySignsForms() async throws {
    let temporary = AccessKey(
      id: "STS.id", secret: "temporary", sessionToken: "a+token/with=signs",
      expiration: clock.now.advanced(by: .seconds(3_600)))
    var configuration = configuration
    configuration.accounts.append(LocalCloud.Account(temporary))
    try await withEachService(configuration, of: [.oss, .cos]) { client in
      for signer in client.formSigners {
        let form = try client.form(signer, client.policy(), with: temporary)
        let good = try await client.post(FormBody(form, file: [1]))
        XCTAssertEqual(good.status, 204, good.text)
        for value in [nil, "another"] {
          var body = FormBody(form, file: [1])
          body.change("\(client.prefix)security-token", to: value)
          let reply = try await client.post(body)
          XCTAssertEqual(reply.status, 403)
          XCTAssertFalse(reply.text.contains("a+token"))
        }
      }
    }
  }

  func testFieldsAfterTheFileAreIgnored() async throws {
    try await withEachService { client in
      var body = FormBody(try client.form(client.formSigners[0], client.policy()), file: [1])
      body.after = [FormField("submit", "Upload"), FormField("key", "uploads/alice/other")]
      let reply = try await client.post(body)
      XCTAssertEqual(reply.status, 204, reply.text)
      let other = try await client.send(.head, "uploads/alice/other")
      XCTAssertEqual(other.status, 404)
    }
  }

  func testFileOfArbitraryBytesIsStoredUnchanged() async throws {
    try await withEachService { client in
      let mark = "\r\n------WebKitFormBoundary7MA4YWxkTrZu0g"
      let files: [[UInt8]] = [
        Array(repeating: 13, count: 300_000), Array(String(repeating: mark, count: 5_000).utf8),
        Array("\r\n--".utf8), (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }, [],
      ]
      let policy = client.policy { $0.sizes = nil }
      for file in files {
        let reply = try await client.post(FormBody(try client.form(client.formSigners[0], policy), file: file))
        XCTAssertEqual(reply.status, 204, reply.text)
        let get = try await client.send(.get, "uploads/alice/cat.png")
        XCTAssertTrue(get.body == file, "\(file.count) bytes")
      }
    }
  }
}
