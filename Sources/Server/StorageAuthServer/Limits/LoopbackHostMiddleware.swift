// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// A middleware that rejects requests whose `Host` header is not a name of this machine.
///
/// It protects servers on a loopback address that give access without a login against DNS rebinding. A web page whose
/// host name resolves to 127.0.0.1 can send requests to such a server and read the responses, but the requests contain
/// the page's own host name.
///
/// ```swift
/// let router = Router()
/// router.add(middleware: LoopbackHostMiddleware())
/// ```
public struct LoopbackHostMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Creates a middleware that accepts only the names of this machine.
  public init() {}

  /// Passes on a request whose `Host` header is a name of this machine.
  ///
  /// - Throws: An `HTTPError` with the status 403 for any other request, or the error of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A second Host header appears among the other headers.
    guard LoopbackHost.isNamed(by: request.head.authority),
      !request.headers.contains(where: { $0.name.canonicalName == "host" })
    else {
      throw HTTPError(
        .forbidden, message: "The Host header does not name this machine. Use localhost or 127.0.0.1 in the URL.")
    }
    return try await next(request, context)
  }
}
