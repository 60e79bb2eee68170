// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import XCTest

/// Tests callbacks from an upload to the app's server and back: headers, URLs and forms, in one request and in parts.
final class CallbackRoundTripTests: XCTestCase {
  private let reply = Array(#"{"Status":"OK"}"#.utf8)

  // matrix: OSS callback: headers, reply
  func testUploadsReturnTheReplyOfTheServer() async throws {
    let bench = try await CallbackBench(self)
    let options = UploadOptions(contentType: "image/jpeg", headers: try bench.callback().headerFields)
    let small = try await bench.client.upload([1, 2, 3], to: "a/ü &.jpg", options: options)
    XCTAssertEqual(small.callbackReply, reply)
    XCTAssertNotNil(small.etag)
    let large = try await bench.client.upload(
      [UInt8](repeating: 7, count: 300_000), to: "large.jpg", options: options)
    XCTAssertEqual(large.callbackReply, reply)
    XCTAssertNotNil(large.etag)
    let callbacks = bench.handled.callbacks
    XCTAssertEqual(callbacks.map { $0.value(of: "object") }, ["a/ü &.jpg", "large.jpg"])
    XCTAssertEqual(callbacks.map { $0.value(of: "size") }, ["3", "300000"])
    XCTAssertEqual(callbacks.map { $0.value(of: "by") }, ["PutObject", "CompleteMultipartUpload"])
    XCTAssertEqual(callbacks.map { $0.value(of: "type") }, ["image/jpeg", "image/jpeg"])
    XCTAssertEqual(callbacks.map { $0.value(of: "user") }, ["a&b=ü", "a&b=ü"])
    XCTAssertEqual(callbacks.map(\.target), ["/uploaded?id=1", "/uploaded?id=1"])
    let without = try await bench.client.upload([1], to: "plain")
    XCTAssertNil(without.callbackReply)
  }

  // matrix: OSS callback: URL
  func testPresignedUploadsReturnTheReplyOfTheServer() async throws {
    let bench = try await CallbackBench(self)
    let callback = bench.callback()
    for version in [OSSSignatureVersion.v4, .v1] {
      let client = StorageClient(
        .oss(bucket: "photos", region: "cn-hangzhou", signature: version, endpoint: bench.cloud.ossEndpoint),
        credentials: CallbackBench.key)
      let inURL = try await client.presign(
        .put, "url", parameters: try callback.parameters, validFor: .seconds(600))
      let first = try await inURL.upload(.bytes([1]))
      XCTAssertEqual(first.callbackReply, reply)
      let inHeaders = try await client.presign(
        .put, "headers", headers: try callback.headerFields, validFor: .seconds(600))
      let second = try await inHeaders.upload(.bytes([1]))
      XCTAssertEqual(second.callbackReply, reply)
    }
    XCTAssertEqual(bench.handled.callbacks.map { $0.value(of: "object") }, ["url", "headers", "url", "headers"])
  }

  // matrix: OSS callback: form
  func testFormUploadReturnsTheReplyOfTheServer() async throws {
    let bench = try await CallbackBench(self)
    let callback = bench.callback()
    let policy = FormPolicy(
      bucket: "photos", objects: .key("form.jpg"), conditions: [try callback.formCondition],
      until: Timestamp.now.advanced(by: .seconds(600)))
    let form = try OSSSigner(region: "cn-hangzhou").sign(
      policy, to: bench.cloud.ossEndpoint, with: CallbackBench.key, in: SigningContext(date: .now))
    var text = ""
    for field in form.fields + callback.formFields {
      text += "--b\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n"
    }
    text += "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nhello\r\n--b--\r\n"
    var request = HTTPClientRequest(url: form.url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=b")
    request.body = .bytes(ByteBuffer(string: text))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let body = try await response.body.collect(upTo: 1 << 20)
    XCTAssertEqual(response.status.code, 200, String(buffer: body))
    XCTAssertEqual(Array(buffer: body), reply)
    XCTAssertEqual(bench.handled.callbacks.map { $0.value(of: "user") }, ["a&b=ü"])
    XCTAssertEqual(bench.handled.callbacks.map { $0.value(of: "by") }, ["PostObject"])
  }

  func testJSONBodyHasQuotedTextsAndNumbers() async throws {
    let bench = try await CallbackBench(self)
    let callback = bench.callback(body: #"{"key":${object},"size":${size},"user":${x:user}}"#, format: .json)
    try await bench.client.upload(
      [1, 2], to: "a\"b", options: UploadOptions(headers: try callback.headerFields))
    let document = try JSONValue(parsing: XCTUnwrap(bench.handled.callbacks.first).body)
    XCTAssertEqual(document, ["key": "a\"b", "size": 2, "user": "a&b=ü"])
  }

  // matrix: OSS callback: failed callback
  func testFailedCallbackLeavesTheObject() async throws {
    for (status, reply, message) in [
      (HTTPResponse.Status.badRequest, "{}", "Error status : 400."),
      (.ok, "<p>", "Response body is not valid json format."),
    ] {
      let bench = try await CallbackBench(self, reply: reply, status: status)
      let options = UploadOptions(headers: try bench.callback().headerFields)
      for size in [3, 300_000] {
        do {
          _ = try await bench.client.upload(
            [UInt8](repeating: 1, count: size), to: "\(size)", options: options)
          XCTFail("the callback failed")
        } catch let error as ServiceError {
          XCTAssertEqual(error.kind, .callbackFailed)
          XCTAssertTrue(error.isStored)
          XCTAssertEqual(error.message, message)
        }
        let info = try await bench.client.head("\(size)")
        XCTAssertEqual(info.size, Int64(size))
      }
      XCTAssertEqual(bench.cloud.writes(of: .oss, in: "photos"), ["3": 1, "300000": 1])
    }
  }

  /// A transport whose requests are never answered.
  private struct SilentTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
      let (never, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      continuation.finish()
      throw TransportError(.cancelled, "The request was cancelled.", remedy: "Retry.")
    }
  }

  func testServerThatDoesNotAnswerFailsTheCallbackAfterFiveSeconds() async throws {
    var configuration = LocalCloud.Configuration(accounts: [.init(CallbackBench.key)], buckets: ["photos"])
    configuration.callbacks = LocalCloud.Callbacks(transport: SilentTransport())
    configuration.sleep = { duration in XCTAssertEqual(duration, .seconds(5)) }
    let cloud = try await LocalCloud.start(configuration)
    addTeardownBlock { await cloud.stop() }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: CallbackBench.key)
    let callback = UploadCallback(to: ["http://127.0.0.1:1/"], body: "a")
    do {
      _ = try await client.upload([1], to: "k", options: UploadOptions(headers: try callback.headerFields))
      XCTFail("the callback failed")
    } catch let error as ServiceError {
      XCTAssertTrue(error.isStored)
      XCTAssertEqual(
        error.message, "Error status : -1 127.0.0.1:1 reply timeout, cost:5000ms, timeout:5000ms.")
    }
    let info = try await client.head("k")
    XCTAssertEqual(info.size, 1)
  }

  func testCallbacksToOtherMachinesAreNotSent() async throws {
    let bench = try await CallbackBench(self)
    for url in ["http://10.0.0.1/", "http://metadata.example/", "http://127.0.0.1.example.com/"] {
      let callback = UploadCallback(to: [url], body: "a")
      do {
        _ = try await bench.client.upload(
          [1], to: "k", options: UploadOptions(headers: try callback.headerFields))
        XCTFail("the callback failed")
      } catch let error as ServiceError {
        XCTAssertTrue(error.message.contains("this machine only"), error.message)
      }
    }
    let second = UploadCallback(to: ["http://10.0.0.1/", bench.server + "/b"], body: "a")
    let object = try await bench.client.upload(
      [1], to: "k", options: UploadOptions(headers: try second.headerFields))
    XCTAssertEqual(object.callbackReply, reply)
  }

  // matrix: OSS callback: bad input
  func testBodyOfACallbackIsLimited() async throws {
    let bench = try await CallbackBench(self)
    func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    let (body, value) = (String(repeating: "${x:a}", count: 600), String(repeating: "a", count: 2_000))
    let headers: HTTPFields = [
      try XCTUnwrap(HTTPField.Name("x-oss-callback")): base64(
        #"{"callbackUrl":"\#(bench.server)/a","callbackBody":"\#(body)"}"#),
      try XCTUnwrap(HTTPField.Name("x-oss-callback-var")): base64(#"{"x:a":"\#(value)"}"#),
    ]
    do {
      _ = try await bench.client.upload([1], to: "k", options: UploadOptions(headers: headers))
      XCTFail("sent 1,200,000 bytes")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .callbackFailed)
      XCTAssertTrue(error.message.contains("too large"), error.message)
    }
    XCTAssertTrue(bench.handled.callbacks.isEmpty)
  }

  // matrix: OSS callback: bad input
  func testInvalidCallbacksAreRejectedBeforeTheObjectIsStored() async throws {
    let bench = try await CallbackBench(self)
    let name = try XCTUnwrap(HTTPField.Name("x-oss-callback"))
    let variables = try XCTUnwrap(HTTPField.Name("x-oss-callback-var"))
    let valid = try XCTUnwrap(bench.callback().headerFields[name])
    func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    var headers: [HTTPFields] = [
      "e", base64("[]"), base64("{"), base64(#"{"callbackUrl":"http://a/"}"#), base64(#"{"callbackBody":"a"}"#),
      base64(#"{"callbackUrl":"","callbackBody":"a"}"#), base64(#"{"callbackUrl":"http://u@a/","callbackBody":"a"}"#),
      base64(#"{"callbackUrl":"a;a;a;a;a;a","callbackBody":"a"}"#),
      base64(#"{"callbackUrl":"a","callbackBody":"a","callbackBodyType":"text/plain"}"#),
      base64(#"{"callbackUrl":"a","callbackBody":"a","callbackBodyType":5}"#),
      base64(#"{"callbackUrl":"a","callbackBody":"a","callbackHost":5}"#),
      base64(#"{"callbackUrl":"a","callbackBody":"a","callbackSNI":123}"#),
    ].map { [name: $0] }
    headers += [base64(#"{"user":"1"}"#), base64(#"{"x:User":"1"}"#), base64("x")].map { [name: valid, variables: $0] }
    for fields in headers {
      do {
        _ = try await bench.client.upload([1], to: "k", options: UploadOptions(headers: fields))
        XCTFail("accepted \(fields)")
      } catch let error as ServiceError {
        XCTAssertEqual(error.code, "InvalidArgument", "\(fields)")
      }
    }
    XCTAssertEqual(bench.cloud.writes(of: .oss, in: "photos"), [:])
    XCTAssertTrue(bench.handled.callbacks.isEmpty)
  }
}
