// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A request that `URLSession` sends as it was signed, with its body.
struct ExactRequest: Sendable {
  /// The request, without a body that is streamed.
  let urlRequest: URLRequest

  /// The body to stream, or `nil` if there is none.
  let streamedBody: HTTPBody?

  /// The authority of the request, for error messages.
  let host: String

  /// Whether the request has the method HEAD, to which the response has no body.
  let isHead: Bool

  /// The scheme and the authority of the request.
  let origin: String

  /// Whether the request may be sent on a connection that has been used before.
  ///
  /// If the server closes such a connection, a session sends the request again on another one. That is harmless for
  /// requests that write no object. A session asks for a streamed body before it sends the body again, but not if the
  /// connection ended before it had read the first bytes.
  let canReuseConnection: Bool

  /// Creates a request for `URLSession`.
  ///
  /// - Throws: `TransportError` with the code `invalidRequest` if `URLSession` would change the request.
  init(_ request: HTTPRequest, body: HTTPBody) throws(TransportError) {
    let address = try RequestAddress(request)
    var urlRequest = URLRequest(url: address.url)
    urlRequest.httpMethod = request.method.rawValue
    guard urlRequest.httpMethod == request.method.rawValue else {
      throw .unsendable("URLSession would change the method \(request.method).", to: address.authority)
    }
    if body.length > 0, [.get, .head].contains(request.method) {
      throw .unsendable("URLSession sends no body with \(request.method).", to: address.authority)
    }
    for field in try FieldCheck(request, body: body, authority: address.authority).fields {
      urlRequest.setValue(field.value, forHTTPHeaderField: field.name.rawName)
      guard urlRequest.value(forHTTPHeaderField: field.name.rawName)?.utf8.elementsEqual(field.value.utf8) == true
      else {
        throw .unsendable("URLSession would change the header \(field.name).", to: address.authority)
      }
    }
    urlRequest.omitDefaultFields()
    streamedBody = urlRequest.setBody(body)
    self.urlRequest = urlRequest
    host = address.authority
    isHead = request.method == .head
    origin = "\(address.scheme)://\(address.authority)"
    canReuseConnection = [.get, .head, .delete].contains(request.method)
  }
}

extension TransportError {
  static func unsendable(_ reason: String, to host: String) -> TransportError {
    TransportError(
      .invalidRequest, "The request to \(host) cannot be sent unchanged: \(reason)",
      remedy: "Change the request, or send it with AsyncHTTPClientTransport.")
  }
}
