// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// The context of a request, with the logged-in user after ``BearerLogin``.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var user: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The context behind the login, which always has a user; without the middleware, creating it fails.
struct UserContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let user: String

  init(context: AppContext) throws {
    guard let user = context.user else { throw HTTPError(.unauthorized) }
    coreContext = context.coreContext
    self.user = user
  }
}

/// A middleware that requires a token of the login: the second layer that the vendors' documentation asks for.
struct BearerLogin: RouterMiddleware {
  let logins: Logins

  func handle(
    _ request: Request, context: AppContext, next: @concurrent (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    guard let header = request.headers[.authorization], header.hasPrefix("Bearer "),
      let user = logins.user(of: String(header.dropFirst("Bearer ".count)))
    else {
      throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "Log in first.")
    }
    var context = context
    context.user = user
    return try await next(request, context)
  }
}
