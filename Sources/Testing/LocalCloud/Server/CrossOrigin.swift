// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The CORS rules of the server, like the rules of a bucket that allows all methods and headers.
struct CrossOrigin: Sendable {
  private static let methods = "GET, PUT, POST, DELETE, HEAD"
  private static let lifetime = "600"

  /// The allowed origins, such as `https://app.example.com`, or `*` for all origins.
  let origins: [String]

  /// Returns the response to a preflight request, which a browser sends without authorization before the actual
  /// request.
  ///
  /// - Throws: `AccessForbidden` if the origin or the method is not allowed.
  func preflight(_ head: HTTPRequest) throws(RefusalAnswer) -> Answer {
    guard let origin = allowed(head), let method = head.headerFields.first("access-control-request-method"),
      Self.methods.split(separator: ", ").contains(method[...])
    else {
      throw RefusalAnswer(
        .forbidden, "AccessForbidden",
        "CORSResponse: This CORS request is not allowed: the origin or the method is not allowed.")
    }
    var answer = Answer(.ok)
    mark(&answer, origin)
    answer.headers.set("access-control-allow-methods", Self.methods)
    answer.headers.set("access-control-max-age", Self.lifetime)
    if let names = head.headerFields.first("access-control-request-headers") {
      answer.headers.set("access-control-allow-headers", names)
    }
    return answer
  }

  /// Adds the CORS headers to a response, if the request's origin is allowed.
  ///
  /// With these headers, the web page that sent the request can read the response.
  ///
  /// - Parameter names: The names of the response headers that the web page can read.
  func mark(_ answer: inout Answer, for head: HTTPRequest, exposing names: [String]) {
    guard let origin = allowed(head) else { return }
    mark(&answer, origin)
    answer.headers.set("access-control-expose-headers", names.joined(separator: ", "))
  }

  private func mark(_ answer: inout Answer, _ origin: String) {
    answer.headers.set("access-control-allow-origin", origins.contains("*") ? "*" : origin)
    answer.headers.set("vary", "Origin")
  }

  private func allowed(_ head: HTTPRequest) -> String? {
    head.headerFields.first("origin").flatMap { origins.contains($0) || origins.contains("*") ? $0 : nil }
  }
}
