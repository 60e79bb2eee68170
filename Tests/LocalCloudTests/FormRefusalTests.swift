// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that form uploads outside their policy are rejected and leave no file.
final class FormRefusalTests: CloudTestCase {
  private var root = ""

  override func setUpWithError() throws {
    root = try makeDirectory()
  }

  /// Runs a server for each test on a directory that must be empty at the end.
  private func withRefusals(
    of providers: [LocalCloud.Provider] = LocalCloud.Provider.allCases,
    _ body: (TestClient, any FormSigner<AccessKey>) async throws -> Void
  ) async throws {
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration, of: providers) { client in
      for signer in client.formSigners { try await body(client, signer) }
    }
    XCTAssertEqual(try contentFiles(below: root), [])
  }

  private func assertRefused(
    _ reply: Reply, _ status: Int, _ code: String, _ text: String = "", _ what: String = "", line: UInt = #line
  ) throws {
    XCTAssertEqual(reply.status, status, "\(what): \(reply.text)", line: line)
    XCTAssertEqual(try reply.errorCode, code, "\(what): \(reply.text)", line: line)
    let message = try reply.document["Message"]?.text ?? ""
    if !text.isEmpty { XCTAssertTrue((message + reply.text).contains(text), "\(what): \(reply.text)", line: line) }
  }

  // matrix: OSS V1: form, bad input
  // matrix: OSS V4: form, bad input
  // matrix: COS V5: form, bad input
  // matrix: S3 V4: form, bad input
  func testFileThatIsTooLargeOrTooSmallIsRejected() async throws {
    try await withRefusals { client, signer in
      let form = try client.form(signer, client.policy { $0.sizes = 3...500_000 })
      for size in [500_001, 2_000_000] {
        let reply = try await client.post(FormBody(form, file: Array(repeating: 1, count: size)))
        try assertRefused(reply, 400, "EntityTooLarge", "500000")
      }
      try assertRefused(
        try await client.post(FormBody(form, file: [1, 2])), 400, "EntityTooSmall", "smaller than the minimum")
    }
  }

  func testSizesAtTheLimitsAreAccepted() async throws {
    try await withEachService { client in
      let form = try client.form(client.formSigners[0], client.policy { $0.sizes = 3...5 })
      for (size, status) in [(2, 400), (3, 204), (5, 204), (6, 400)] {
        let reply = try await client.post(FormBody(form, file: Array(repeating: 1, count: size)))
        XCTAssertEqual(reply.status, status, "\(size)")
      }
    }
  }

  func testKeyOutsideThePolicyIsRejected() async throws {
    try await withRefusals(of: [.oss, .cos]) { client, signer in
      for key in ["uploads/bob/x", "uploads/alice", "${filename}", "/uploads/alice/x", "UPLOADS/alice/x"] {
        var body = FormBody(try client.form(signer, client.policy()), file: [1])
        body.change("key", to: key)
        let text =
          client.provider == .oss
          ? #"Invalid according to Policy: Policy Condition failed: ["starts-with","$key","uploads/alice/"]"#
          : "Condition key key doesn't match the value uploads/alice/"
        try assertRefused(try await client.post(body), 403, "AccessDenied", text, key)
      }
      var body = FormBody(try client.form(signer, client.policy { $0.objects = .key("one") }), file: [1])
      body.change("key", to: "one2")
      try assertRefused(try await client.post(body), 403, "AccessDenied")
      body.change("key", to: nil)
      try assertRefused(try await client.post(body), 400, "InvalidArgument")
    }
  }

  func testMediaTypeOutsideThePolicyIsRejected() async throws {
    try await withRefusals { client, signer in
      let form = try client.form(signer, client.policy { $0.contentType = .startsWith("image/") })
      for type in ["text/html", "Image/png", " image/png", ""] {
        var body = FormBody(form, adding: [FormField("Content-Type", type)], file: [1])
        body.fileType = type.isEmpty ? nil : type
        try assertRefused(try await client.post(body), 403, "AccessDenied", "", type)
      }
      var missing = FormBody(form, file: [1])
      missing.fileType = nil
      try assertRefused(try await client.post(missing), 403, "AccessDenied", "", "no type")
      guard client.provider == .oss else { return }
      // The type that OSS assigns to the object is checked as well, wherever it comes from.
      var body = FormBody(form, adding: [FormField("Content-Type", "image/png")], file: [1])
      body.fileType = "text/html"
      try assertRefused(try await client.post(body), 403, "AccessDenied", "", "file")
      body.fileType = "image/png"
      body.fields.append(FormField("x-oss-content-type", "text/html"))
      try assertRefused(try await client.post(body), 403, "AccessDenied", "", "x-oss-content-type")
    }
  }

  // matrix: OSS V1: expiry
  // matrix: OSS V4: expiry
  // matrix: COS V5: expiry
  func testExpiredFormIsRejected() async throws {
    try await withRefusals(of: [.oss, .cos]) { client, signer in
      let form = try client.form(signer, client.policy { $0.expiration = clock.now.advanced(by: .seconds(60)) })
      clock.advance(by: .seconds(60))
      let text = client.provider == .oss ? "Invalid according to Policy: Policy expired." : "has been expired"
      try assertRefused(try await client.post(FormBody(form, file: [1])), 403, "AccessDenied", text)
      clock.advance(by: .seconds(1))
      try assertRefused(try await client.post(FormBody(form, file: [1])), 403, "AccessDenied")
    }
  }

  func testOtherBucketIsRejected() async throws {
    try await withRefusals { client, signer in
      _ = try await client.send(.put, bucket: "other-1250000000")
      let form = try client.form(signer, client.policy())
      let reply = try await client.post(FormBody(form, file: [1]), to: "other-1250000000")
      try assertRefused(reply, 403, "AccessDenied", "bucket")
      let missing = try await client.post(FormBody(form, file: [1]), to: "missing-1250000000")
      try assertRefused(missing, 404, "NoSuchBucket")
    }
  }

  func testEveryChangedFieldIsRejected() async throws {
    try await withRefusals { client, signer in
      let policy = client.policy {
        $0.contentType = .equals("image/png")
        $0.response = .created
        $0.conditions = [FormCondition("\(client.prefix)meta-author", .equals("alice"))]
      }
      let form = try client.form(signer, policy)
      for field in form.fields {
        for value in [nil, field.value + "0", String(field.value.dropLast()), ""] {
          var body = FormBody(form, file: [1])
          // The file's name is appended to the prefix: a longer key is valid too.
          if field.name == "key", value?.hasPrefix("uploads/alice/") == true { continue }
          body.change(field.name, to: value)
          if field.name == "Content-Type" { body.fileType = value }
          let reply = try await client.post(body)
          XCTAssertTrue([400, 403].contains(reply.status), "\(field.name) \(value ?? "-"): \(reply.status)")
        }
        var twice = FormBody(form, file: [1])
        twice.fields.append(FormField(field.name.uppercased(), field.value))
        try assertRefused(try await client.post(twice), 400, "InvalidArgument", "", field.name)
      }
    }
  }

  func testSignatureOfAWrongOrUnknownKeyIsRejected() async throws {
    try await withRefusals { client, signer in
      let wrong = try client.form(signer, client.policy(), with: AccessKey(id: Self.key.id, secret: "wrong"))
      try assertRefused(try await client.post(FormBody(wrong, file: [1])), 403, "SignatureDoesNotMatch")
      let unknown = try client.form(signer, client.policy(), with: AccessKey(id: "nobody", secret: "wrong"))
      try assertRefused(try await client.post(FormBody(unknown, file: [1])), 403, "InvalidAccessKeyId")
      var bare = FormBody(unknown, file: [1])
      bare.fields = [FormField("key", "uploads/alice/x")]
      try assertRefused(try await client.post(bare), 403, "AccessDenied")
    }
  }

  func testChangedPolicyIsRejected() async throws {
    try await withRefusals { client, signer in
      var body = FormBody(try client.form(signer, client.policy()), file: [1])
      let policy = try XCTUnwrap(body.fields.first { $0.name == "policy" }?.value)
      let text = String(decoding: try XCTUnwrap(Data(base64Encoded: policy)), as: UTF8.self)
      for changed in [
        text.replacingOccurrences(of: "alice", with: "bob"), text.replacingOccurrences(of: "1000", with: "9999"),
        text + " ",
      ] {
        body.change("policy", to: Data(changed.utf8).base64EncodedString())
        try assertRefused(try await client.post(body), 403, "SignatureDoesNotMatch")
      }
    }
  }

  func testAuthorizationHeaderDoesNotAuthorizeAForm() async throws {
    try await withRefusals { client, signer in
      var body = FormBody(try client.form(signer, client.policy()), file: [1])
      body.fields = [FormField("key", "uploads/alice/x")]
      let request = try client.signed(client.request(.post, headers: ["Content-Type": body.contentType]))
      let reply = try await client.send(request, body: body.bytes)
      XCTAssertEqual(reply.status, 403, reply.text)
    }
  }

  func testTruncatedUploadLeavesNoFile() async throws {
    try await withRefusals { client, signer in
      let endpoint = client.cloud.endpoint(of: client.provider)
      let form = try client.form(signer, client.policy { $0.sizes = nil })
      let body = FormBody(form, file: Array(repeating: UInt8(ascii: "x"), count: 600_000))
      let head = RawConnection.head([
        "POST /\(Self.bucket)/ HTTP/1.1", "Host: \(endpoint.authority)", "Content-Type: \(body.contentType)",
        "Content-Length: \(body.bytes.count)",
      ])
      for length in [100, 1_500, 400_000, body.bytes.count - 3] {
        let part = String(decoding: body.bytes.prefix(length), as: UTF8.self)
        _ = try await RawConnection.exchange(head + part, with: endpoint, closing: true)
      }
      let complete = try await client.send(.head, "uploads/alice/cat.png")
      XCTAssertEqual(complete.status, 404)
    }
  }
}
