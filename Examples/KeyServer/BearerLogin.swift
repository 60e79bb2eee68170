// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Hummingbird
import StorageAuthServer

/// The context of a request to the app server, with the logged-in user after the ``BearerLogin`` middleware, or the
/// verified callback after the callback middleware.
struct AppContext: CallbackRequestContext {
  var coreContext: CoreRequestContextStorage
  var user: String?
  var callback: VerifiedCallback?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The request context for routes that require a login, which always has a user.
///
/// Without the ``BearerLogin`` middleware, creating the context fails.
struct UserContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let user: String

  init(context: AppContext) throws {
    guard let user = context.user else { throw HTTPError(.unauthorized) }
    coreContext = context.coreContext
    self.user = user
  }
}

/// A middleware that requires a bearer token from a login.
///
/// This is the second layer of protection that the vendors' documentation requires.
struct BearerLogin: RouterMiddleware {
  let logins: Logins

  func handle(
    _ request: Request, context: AppContext, next: @concurrent (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    guard let header = request.headers[.authorization], header.hasPrefix("Bearer "),
      let user = await logins.user(of: String(header.dropFirst("Bearer ".count)))
    else {
      throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "Log in first.")
    }
    var context = context
    context.user = user
    return try await next(request, context)
  }
}
