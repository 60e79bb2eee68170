import Hummingbird

/// The context of a request, with the user once the login has been checked.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var user: String?

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// The context of a request behind the login, which always has a user.
struct UserContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let user: String

  init(context: AppContext) throws {
    guard let user = context.user else { throw HTTPError(.unauthorized) }
    coreContext = context.coreContext
    self.user = user
  }
}

/// A middleware that accepts the tokens of users who have logged in.
struct BearerLogin: RouterMiddleware {
  let logins: Logins

  func handle(
    _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    let parts = request.headers[.authorization]?.split(separator: " ") ?? []
    guard parts.count == 2, parts[0] == "Bearer", let user = logins.user(of: String(parts[1])) else {
      throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "Log in first.")
    }
    var context = context
    context.user = user
    return try await next(request, context)
  }
}
