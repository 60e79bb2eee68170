import Hummingbird

/// What the server knows about a request: who is logged in, once ``BearerLogin`` has found it out.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var user: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// The same behind the login, where there is always somebody; without the middleware nobody gets here.
struct UserContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let user: String

  init(context: AppContext) throws {
    guard let user = context.user else { throw HTTPError(.unauthorized) }
    coreContext = context.coreContext
    self.user = user
  }
}

/// Lets only those through who send a token of the login: the second layer that the vendors' documents ask for.
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
