// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird

/// A middleware that keeps other web pages away from the console, and the console's page away from other servers.
///
/// - Every response has a content security policy: the page loads scripts and styles from the console only, connects to
///   no other server, and cannot be shown in a frame.
/// - A browser states in `Sec-Fetch-Site` which page caused a request (W3C, "Fetch Metadata Request Headers"). Requests
///   that another site caused are rejected, except for opening the page itself.
struct PageProtection<Context: RequestContext>: RouterMiddleware {
  private static var headers: HTTPFields {
    var headers: HTTPFields = [
      .cacheControl: "no-store",
      .contentSecurityPolicy: """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
      """,
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return headers
  }

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      guard isAllowed(request) else {
        throw HTTPError(.forbidden, message: "Another web page caused this request. Open the console itself.")
      }
      response = try await next(request, context)
    } catch let error as HTTPError {
      response = try error.response(from: request, context: context)
    }
    response.headers.append(contentsOf: Self.headers)
    return response
  }

  /// Returns whether a request comes from the page of the console, from the user, or from a program.
  private func isAllowed(_ request: Request) -> Bool {
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
    guard let site = field("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return true }
    return field("Sec-Fetch-Dest") == "document" && request.uri.path == "/"
  }
}
