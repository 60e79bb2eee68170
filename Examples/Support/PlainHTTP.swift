// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import AsyncHTTPTransport
internal import Foundation
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
public import StorageAuth

/// The response to a request, with its whole body.
public struct Reply: Sendable {
  /// The status and the headers.
  public let response: HTTPResponse

  /// The bytes of the body.
  public let body: [UInt8]

  /// The status code.
  public var status: Int { response.status.code }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

/// Sends a request, signed or not, with a plain HTTP client that knows no storage service.
///
/// - Parameters:
///   - request: The request. Like any HTTP client, the function adds the length of the body.
///   - body: The body of the request.
/// - Throws: An error if no response arrives.
public func send(_ request: HTTPRequest, _ body: String = "") async throws -> Reply {
  var request = request
  if request.method == .put { request.headerFields[.contentLength] = "\(body.utf8.count)" }
  let answer = try await AsyncHTTPClientTransport.shared.send(
    request, body: body.isEmpty ? .none : .bytes(Array(body.utf8)))
  var bytes: [UInt8] = []
  for try await chunk in answer.body { bytes += chunk }
  return Reply(response: answer.response, body: bytes)
}

/// Uses a presigned URL with AsyncHTTPClient, as a program without a key does.
///
/// - Parameters:
///   - link: The URL, with the method and the headers that were signed.
///   - body: The body of an upload.
/// - Throws: An error if no response arrives.
public func send(_ link: PresignedRequest, _ body: String = "") async throws -> Reply {
  var request = HTTPClientRequest(url: link.url)
  request.method = HTTPMethod(rawValue: link.method.rawValue)
  for header in link.headers { request.headers.add(name: header.name.rawName, value: header.value) }
  if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
  return try await send(request)
}

/// Gets a document that needs no signature, such as the temporary key in the response of an app server.
///
/// - Parameters:
///   - type: The type of the document, in JSON. Its dates are in ISO 8601.
///   - url: The URL.
/// - Throws: An error if no response arrives or if the document has another form.
public func get<Document: Decodable>(_ type: Document.Type, from url: String) async throws -> Document {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  return try decoder.decode(type, from: Data(try await send(HTTPClientRequest(url: url)).body))
}

private func send(_ request: HTTPClientRequest) async throws -> Reply {
  let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
  let body = try await answer.body.collect(upTo: 1 << 20)
  return Reply(
    response: HTTPResponse(status: .init(code: Int(answer.status.code))), body: Array(body.readableBytesView))
}
