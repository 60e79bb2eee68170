// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests form bodies that are malformed or ambiguous.
final class MultipartTests: CloudTestCase {
  private static let fileHead = "Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"

  /// A body whose fields are valid and whose remainder, with the file's part, is given; `B` stands for the boundary.
  private func body(_ client: TestClient, _ rest: String) throws -> [UInt8] {
    let form = try client.form(client.formSigners[0], client.policy())
    let fields = form.fields.map {
      "--B\r\nContent-Disposition: form-data; name=\"\($0.name)\"\r\n\r\n\($0.value)\r\n"
    }
    return Array((fields.joined() + rest).utf8)
  }

  private func assert(
    _ rest: String, status: Int, _ code: String? = "MalformedPOSTRequest", line: UInt = #line
  ) async throws {
    try await withEachService { client in
      let reply = try await client.post(try body(client, rest), type: "multipart/form-data; boundary=B")
      XCTAssertEqual(reply.status, status, "\(rest): \(reply.text)", line: line)
      if status != 204 { XCTAssertEqual(try reply.errorCode, code, "\(rest): \(reply.text)", line: line) }
      let head = try await client.send(.head, "uploads/alice/a")
      XCTAssertEqual(head.status, status == 204 ? 200 : 404, rest, line: line)
    }
  }

  func testWellFormedBodiesAreAccepted() async throws {
    try await assert("--B\r\n\(Self.fileHead)x\r\n--B--\r\n", status: 204)
    try await assert("--B\r\n\(Self.fileHead)x\r\n--B--", status: 204)
    try await assert("--B\r\nX-Other: a\r\n\(Self.fileHead)\r\n--C\r\n--B--\r\n", status: 204)
    try await assert(
      "--B\r\nContent-Type: a/b\r\ncontent-disposition:form-data;name=file;filename=a\r\n\r\nx\r\n--B--\r\n",
      status: 204)
  }

  func testFormThatArrivesByteByByteIsAccepted() async throws {
    try await withEachService { client in
      let endpoint = client.cloud.endpoint(of: client.provider)
      let bytes = try body(client, "--B\r\n\(Self.fileHead)a\r\n--Ab\r\r\n--\r\nc\r\n--B--\r\n")
      let head = RawConnection.head([
        "POST /\(Self.bucket)/ HTTP/1.1", "Host: \(endpoint.authority)", "Transfer-Encoding: chunked",
        "Content-Type: multipart/form-data; boundary=B",
      ])
      let chunks = bytes.map { "1\r\n\(Character(Unicode.Scalar($0)))\r\n" }.joined()
      let answer = try await RawConnection.exchange(head + chunks + "0\r\n\r\n", with: endpoint)
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 204"), answer)
      let get = try await client.send(.get, "uploads/alice/a")
      XCTAssertEqual(get.text, "a\r\n--Ab\r\r\n--\r\nc")
    }
  }

  func testInvalidBoundariesAreRejected() async throws {
    let bodies = [
      "--B\r\n\(Self.fileHead)x\r\n--B", "--B\r\n\(Self.fileHead)x\r\n--B-", "--B\r\n\(Self.fileHead)x",
      "--B\r\n\(Self.fileHead)x\n--B--\r\n", "--B\r\n\(Self.fileHead)x\r\n--B--\r\nmore",
      "--B\r\n\(Self.fileHead)x\r\n--BB--\r\n", "--B\r\n\(Self.fileHead)x\r\n--B--\r",
      "--B \r\n\(Self.fileHead)x\r\n--B--",
      "--B\n\(Self.fileHead)x\r\n--B--",
    ]
    for body in bodies { try await assert(body, status: 400) }
    try await withEachService { client in
      let whole = "--B\r\n\(Self.fileHead)x\r\n--B--\r\n"
      let types = [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"B",
        "multipart/form-data; boundary=B; boundary=C",
        "multipart/form-data; boundary=\(String(repeating: "B", count: 71))",
        "multipart/form-data; boundary=\"B\"x", "multipart/form-datax; boundary=B",
      ]
      for type in types {
        let reply = try await client.post(try body(client, whole), type: type)
        XCTAssertEqual(try reply.errorCode, "MalformedPOSTRequest", type)
      }
      for front in ["preamble\r\n", "\r\n", " "] {
        let reply = try await client.post(
          Array(front.utf8) + (try body(client, whole)), type: "multipart/form-data; boundary=B")
        XCTAssertEqual(try reply.errorCode, "MalformedPOSTRequest", front)
      }
    }
  }

  func testAmbiguousPartHeadersAreRejected() async throws {
    let heads = [
      "", "Content-Type: a/b\r\n", "Content-Disposition: form-data\r\n",
      "Content-Disposition: form-data; name=\"\"\r\n",
      "Content-Disposition: attachment; name=\"file\"\r\n", "Content-Disposition: form-data; name=\"file\r\n",
      "Content-Disposition: form-data; name=\"file\"; name=\"key\"\r\n",
      "Content-Disposition: form-data; name=\"file\" x\r\n", "Content-Disposition: form-data; name=\"fi\\\"le\"\r\n",
      "Content-Disposition: form-data; name=\"file\"\r\nContent-Disposition: form-data; name=\"x\"\r\n",
      "Content-Disposition: form-data;\r\n name=\"file\"\r\n", "Content-Disposition : form-data; name=\"file\"\r\n",
      "Content-Disposition: form-data; name=\"file\"\nX: y\r\n",
      "Content-Disposition: form-data; name=\"fi\u{0}le\"\r\n",
      "Content-Disposition: form-data; name=\"file\"; filename*=UTF-8''a\r\n", "no header\r\n",
      "Content-Disposition: form-data; name=\"file\"xfilename=\"a\"\r\n",
      "bad name: x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n",
      "X: \(String(repeating: "a", count: 9_000))\r\nContent-Disposition: form-data; name=\"file\"\r\n",
    ]
    for head in heads { try await assert("--B\r\n\(head)\r\nx\r\n--B--\r\n", status: 400) }
  }

  func testFormsWithoutAFileOrWithTwoAreRejected() async throws {
    try await assert("--B--\r\n", status: 400, "InvalidArgument")
    try await assert(
      "--B\r\n\(Self.fileHead)x\r\n--B\r\n\(Self.fileHead)y\r\n--B--\r\n", status: 400, "InvalidArgument")
  }

  func testFieldSizeAndCountAreLimited() async throws {
    func field(_ name: String, _ value: String) -> String {
      "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }
    let file = "--B\r\n\(Self.fileHead)x\r\n"
    let long = field("x-long", String(repeating: "a", count: 70_000))
    let many = (0..<120).map { field("x-\($0)", "a") }.joined()
    for fields in [long, many] {
      try await assert(fields + file + "--B--\r\n", status: 400)
      try await assert(file + fields + "--B--\r\n", status: 400)
    }
  }

  func testFieldsThatAreNotUTF8AreRejected() async throws {
    try await withEachService { client in
      var bytes = Array("--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n".utf8)
      bytes += [0xff, 0xfe]
      bytes += Array("\r\n".utf8) + (try body(client, "--B\r\n\(Self.fileHead)x\r\n--B--\r\n"))
      let reply = try await client.post(bytes, type: "multipart/form-data; boundary=B")
      XCTAssertEqual(try reply.errorCode, "MalformedPOSTRequest")
    }
  }
}
