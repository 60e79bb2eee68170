// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import Hummingbird
import Logging
import OSSAuth
import StorageAuth
import StorageAuthServer

/// The server of an app, which holds the key and signs requests for the folders of logged-in users.
struct AppServer {
  let oss: SigningAccount
  let cos: SigningAccount
  let buckets: [String]

  /// Runs the server until the task is cancelled.
  ///
  /// - Parameter onReady: A closure that receives the URL of the signing route.
  func run(onReady: @escaping @Sendable (String) -> Void) async throws {
    let signing = SigningService<UserContext>(oss, cos) { [buckets] context in
      SigningRules(
        AccessPolicy(
          buckets.map { bucket in
            AccessRule(.read, .write, .delete, .list, objects: .prefix("users/\(context.user)/"), in: bucket)
          }))
    }
    let router = Router(context: AppContext.self)
    signing.addRoutes(to: router.group().add(middleware: BearerLogin()).group(context: UserContext.self))
    // The service logs each signing request. A real app stores these lines.
    var quiet = Logger(label: "app")
    quiet.logLevel = .critical
    let limits = ConnectionLimits()
    let application = Application(
      router: router, server: .http1(limits),
      configuration: .init(
        address: .hostname("127.0.0.1", port: 0), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in
        onReady("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/sign")
      }, logger: quiet)
    try await application.run()
  }
}

/// The context of a request to the app server, with the logged-in user after the ``BearerLogin`` middleware.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var user: String?

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
/// A real app checks its own tokens.
struct BearerLogin: RouterMiddleware {
  private static let users = ["token-of-alice": "alice", "token-of-bob": "bob"]

  func handle(
    _ request: Request, context: AppContext, next: @concurrent (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    guard let header = request.headers[.authorization], header.hasPrefix("Bearer "),
      let user = Self.users[String(header.dropFirst("Bearer ".count))]
    else { throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "Log in first.") }
    var context = context
    context.user = user
    return try await next(request, context)
  }
}
