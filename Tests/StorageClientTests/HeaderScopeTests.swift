// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests which headers are sent with which request of an operation, compared with the vendors' SDKs.
final class HeaderScopeTests: XCTestCase {
  private struct Vendor {
    let name: String
    let prefix: String
    let transport: RecordingTransport
    let store: any ObjectStore

    func field(_ name: String) -> HTTPField.Name { HTTPField.Name(prefix + name) ?? .accept }
  }

  private func vendors(_ answer: @escaping RecordingTransport.Handler) -> [Vendor] {
    let transports = (RecordingTransport(answer), RecordingTransport(answer))
    return [
      Vendor(name: "OSS", prefix: "x-oss-", transport: transports.0, store: ossClient(transports.0)),
      Vendor(name: "COS", prefix: "x-cos-", transport: transports.1, store: cosClient(transports.1)),
    ]
  }

  private static let key = [
    "server-side-encryption-customer-algorithm": "AES256", "server-side-encryption-customer-key": "MDEy",
    "server-side-encryption-customer-key-MD5": "U5L6",
  ]

  private func headers(_ vendor: Vendor, _ more: [String: String] = [:]) -> HTTPFields {
    var headers = HTTPFields()
    for (name, value) in Self.key.merging(more, uniquingKeysWith: { $1 }) { headers[vendor.field(name)] = value }
    return headers
  }

  private func names(_ request: RecordingTransport.Recorded, _ vendor: Vendor) -> Set<String> {
    let prefix = vendor.prefix.lowercased()
    return Set(
      request.headers.map(\.name.canonicalName).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(6)) })
  }

  private let signing: Set<String> = ["date", "content-sha256", "security-token"]

  func testHeadersOfAMultipartUploadAreSentWithTheRequestsTheyBelongTo() async throws {
    let service = MultipartService()
    for vendor in vendors(service.answer) {
      let options = UploadOptions(
        storageClass: "IA",
        headers: headers(
          vendor, ["traffic-limit": "819200", "request-payer": "requester", "tagging": "a=b", "callback": "e30="]))
      try await vendor.store.upload(.bytes(pattern(300_000)), to: "k", options: options, progress: nil)
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.map(\.method), [.post, .put, .put, .put, .post], vendor.name)
      let key = Set(Self.key.keys.map { $0.lowercased() })
      XCTAssertEqual(
        names(requests[0], vendor).subtracting(signing), key.union(["request-payer", "tagging", "storage-class"]),
        vendor.name)
      for part in requests[1...3] {
        XCTAssertEqual(
          names(part, vendor).subtracting(signing), key.union(["request-payer", "traffic-limit"]), vendor.name)
      }
      XCTAssertEqual(names(requests[4], vendor).subtracting(signing), ["request-payer", "callback"], vendor.name)
    }
  }

  func testCompletionForS3CarriesTheCustomerProvidedKey() async throws {
    let service = MultipartService()
    let transport = RecordingTransport(service.answer)
    let client = StorageClient(
      .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint), credentials: ClientTestSupport.key,
      configuration: .test, transport: transport)
    let vendor = Vendor(name: "S3", prefix: "x-amz-", transport: transport, store: client)
    try await vendor.store.upload(
      .bytes(pattern(300_000)), to: "k", options: UploadOptions(headers: headers(vendor)), progress: nil)
    let completion = try XCTUnwrap(transport.requests.last)
    XCTAssertEqual(completion.method, .post)
    for field in headers(vendor) { XCTAssertEqual(completion.headers[field.name], field.value, field.name.rawName) }
  }

  func testAbortOfAMultipartUploadCarriesRequestPayer() async throws {
    let service = MultipartService()
    let failing: RecordingTransport.Handler = { request async throws(TransportError) in
      request.parameter("partNumber") == "2" ? HTTPStreamingResponse(403) : try await service.answer(request)
    }
    for vendor in vendors(failing) {
      let options = UploadOptions(headers: headers(vendor, ["request-payer": "requester"]))
      await assertThrows(ServiceError.self) {
        _ = try await vendor.store.upload(.bytes(pattern(300_000)), to: "k", options: options, progress: nil)
      }
      let last = try XCTUnwrap(vendor.transport.requests.last)
      XCTAssertEqual(last.method, .delete)
      XCTAssertEqual(names(last, vendor).subtracting(signing), ["request-payer"], vendor.name)
    }
  }

  func testUploadWithOneRequestCarriesAllHeaders() async throws {
    for vendor in vendors({ _ async throws(TransportError) in HTTPStreamingResponse(200) }) {
      let all = headers(vendor, ["traffic-limit": "819200", "request-payer": "requester", "callback": "e30="])
      try await vendor.store.upload(.bytes([1]), to: "k", options: UploadOptions(headers: all), progress: nil)
      let request = try XCTUnwrap(vendor.transport.requests.first)
      for field in all { XCTAssertEqual(request.headers[field.name], field.value, vendor.name) }
    }
  }

  func testEveryRangeOfADownloadCarriesTheHeaders() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(450_000)
    for vendor in vendors(ObjectService(bytes).answer) {
      let all = headers(vendor, ["traffic-limit": "819200", "request-payer": "requester"])
      try await vendor.store.download(
        "k", to: directory.path(vendor.name), options: DownloadOptions(headers: all), progress: nil)
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.count, 4, vendor.name)
      for request in requests {
        for field in all { XCTAssertEqual(request.headers[field.name], field.value, vendor.name) }
      }
    }
  }

  func testResumedDownloadCarriesTheHeaders() async throws {
    let bytes = pattern(1000)
    let service = ObjectService(bytes)
    let breaking: RecordingTransport.Handler = { request async throws(TransportError) in
      var reply = try await service.answer(request)
      guard request.headers[.range] == nil else { return reply }
      reply.body = ByteStream(Array(bytes.prefix(100)))
      return reply
    }
    for vendor in vendors(breaking) {
      let all = headers(vendor, ["request-payer": "requester"])
      let read = try await vendor.store.download("k", upTo: 2000, options: DownloadOptions(headers: all))
      XCTAssertEqual(read, bytes, vendor.name)
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.map { $0.headers[.range] }, [nil, "bytes=100-999"], vendor.name)
      for request in requests {
        for field in all { XCTAssertEqual(request.headers[field.name], field.value, vendor.name) }
      }
    }
  }

  func testHeadAndCopyCarryTheHeaders() async throws {
    let answer: RecordingTransport.Handler = { _ async throws(TransportError) in
      HTTPStreamingResponse(200, copyAnswer)
    }
    for vendor in vendors(answer) {
      let all = headers(vendor, ["request-payer": "requester"])
      _ = try await vendor.store.head("k", headers: all)
      let source = vendor.field("copy-source-server-side-encryption-customer-key")
      var copying = all
      copying[source] = "MDEy"
      let store = try XCTUnwrap(vendor.store as? any BucketStore)
      try await store.copy(from: "k", to: "l", options: CopyOptions(headers: copying))
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.map(\.method), [.head, .put])
      for field in all { XCTAssertEqual(requests[0].headers[field.name], field.value, vendor.name) }
      for field in copying { XCTAssertEqual(requests[1].headers[field.name], field.value, vendor.name) }
    }
  }

  /// Covers that the HEAD request that confirms a completion with a lost response carries the customer-provided key.
  func testHeadAfterALostCompletionCarriesTheCustomerKey() async throws {
    let service = MultipartService()
    let losing: RecordingTransport.Handler = { request async throws(TransportError) in
      if request.method == .head {
        let object = service.object ?? []
        return HTTPStreamingResponse(
          200, "",
          [
            "Content-Length": "\(object.count)", "x-oss-hash-crc64ecma": "\(crc(object).value)",
            "x-cos-hash-crc64ecma": "\(crc(object).value)",
          ])
      }
      guard request.method == .post, request.parameter("uploadId") != nil else {
        return try await service.answer(request)
      }
      guard service.object == nil else {
        return HTTPStreamingResponse(404, "<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>")
      }
      _ = try await service.answer(request)
      throw TransportError(.connectionLost, "Lost.", remedy: "None.")
    }
    let transport = RecordingTransport(losing)
    let vendor = Vendor(name: "OSS", prefix: "x-oss-", transport: transport, store: ossClient(transport))
    let options = UploadOptions(headers: headers(vendor, ["request-payer": "requester", "traffic-limit": "819200"]))
    try await vendor.store.upload(.bytes(pattern(300_000)), to: "k", options: options, progress: nil)
    let question = try XCTUnwrap(transport.requests.last)
    XCTAssertEqual(question.method, .head)
    XCTAssertEqual(
      names(question, vendor).subtracting(signing),
      Set(Self.key.keys.map { $0.lowercased() }).union(["request-payer"]))
  }

  func testGetAfterARejectedHeadCarriesTheHeaders() async throws {
    for vendor in vendors({ _ async throws(TransportError) in HTTPStreamingResponse(403) }) {
      let all = headers(vendor, ["request-payer": "requester"])
      await assertThrows(ServiceError.self) { _ = try await vendor.store.head("k", headers: all) }
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.prefix(2).map(\.method), [.head, .get], vendor.name)
      for request in requests {
        for field in all { XCTAssertEqual(request.headers[field.name], field.value, vendor.name) }
      }
    }
  }

  func testUnknownHeaderIsSentWithEveryRequest() async throws {
    let service = MultipartService()
    for vendor in vendors(service.answer) {
      let new = vendor.field("invented-in-2027")
      try await vendor.store.upload(
        .bytes(pattern(300_000)), to: "k", options: UploadOptions(headers: [new: "1"]), progress: nil)
      XCTAssertEqual(vendor.transport.requests.map { $0.headers[new] }, Array(repeating: "1", count: 5), vendor.name)
    }
  }

  func testAllHeadersWithTheSameNameAreSent() async throws {
    let name = try XCTUnwrap(HTTPField.Name("x-note"))
    for vendor in vendors({ _ async throws(TransportError) in HTTPStreamingResponse(200, copyAnswer) }) {
      var headers: HTTPFields = [.cacheControl: "no-store"]
      headers[values: name] = ["1", "2"]
      try await vendor.store.upload([1], to: "k", options: UploadOptions(cacheControl: "private", headers: headers))
      let store = try XCTUnwrap(vendor.store as? any BucketStore)
      try await store.copy(from: "k", to: "l", options: CopyOptions(headers: headers))
      headers[.cacheControl] = nil
      _ = try await vendor.store.open("k", options: DownloadOptions(headers: headers))
      let requests = vendor.transport.requests
      XCTAssertEqual(requests.map { $0.headers[values: name] }, Array(repeating: ["1", "2"], count: 3), vendor.name)
      XCTAssertEqual(requests[0].headers[values: .cacheControl], ["no-store"], vendor.name)
    }
  }

  func testHeaderOfNoRequestOfTheOperationIsRejected() async throws {
    for vendor in vendors({ _ async throws(TransportError) in HTTPStreamingResponse(200) }) {
      let store = vendor.store
      func refused(_ header: String, _ operation: () async throws -> Void) async {
        await assertThrows(StorageError.self, operation) {
          XCTAssertEqual($0.code, .invalidOption, vendor.name)
          XCTAssertTrue($0.message.lowercased().contains(header), $0.message)
        }
      }
      await refused("range") { try await store.upload([1], to: "k", options: UploadOptions(headers: [.range: "x"])) }
      for name in [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, vendor.field("copy-source"), vendor.field("tagging-directive"),
      ] {
        await refused(name.canonicalName) {
          try await store.upload([1], to: "k", options: UploadOptions(headers: [name: "x"]))
        }
      }
      await refused("content-md5") {
        try await store.upload(pattern(300_000), to: "k", options: UploadOptions(headers: [.contentMD5: "x"]))
      }
      await refused("storage-class") {
        _ = try await store.open("k", options: DownloadOptions(headers: [vendor.field("storage-class"): "IA"]))
      }
      await refused("if-match") {
        _ = try await store.open("k", options: DownloadOptions(headers: [.ifMatch: "x"]))
      }
      await refused("traffic-limit") {
        _ = try await store.head("k", headers: [vendor.field("traffic-limit"): "819200"])
      }
      XCTAssertEqual(vendor.transport.requests.count, 0, vendor.name)
    }
  }

  func testLocalCloudAcceptsTheHeadersOfEveryRequest() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() {
      let payer: HTTPField.Name = try XCTUnwrap(
        HTTPField.Name(name == "COS V5" ? "x-cos-request-payer" : "x-oss-request-payer"))
      let bytes = pattern(450_000)
      try await store.upload(bytes, to: "k", options: UploadOptions(headers: [payer: "requester"]))
      let read = try await store.download("k", upTo: 1 << 20, options: DownloadOptions(headers: [payer: "requester"]))
      XCTAssertEqual(read, bytes, name)
      let info = try await store.head("k", headers: [payer: "requester"])
      XCTAssertEqual(info.size, 450_000, name)
    }
  }
}
