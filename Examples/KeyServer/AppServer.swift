// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import Hummingbird
import Logging
import NIOCore
import OSSAuth
package import StorageAuth
import StorageAuthServer

/// The server of an app, with a login route, a route that issues temporary keys to logged-in users, and a route for the
/// callbacks of OSS.
package struct AppServer: Sendable {
  private let logins: Logins
  private let tokens: TokenService
  private let service: Service
  private let callbacks: CallbackVerifier
  private let log: @Sendable (String) -> Void

  /// The lifetime of the keys.
  ///
  /// A key is issued again until half of its lifetime has passed. So each key that an app receives outlives an upload
  /// that the system performs within 1,500 seconds.
  private static let keyLifetime = Duration.seconds(3600)

  /// Creates the server.
  ///
  /// - Parameters:
  ///   - service: The storage service of the app.
  ///   - sts: The URL of the service's token service.
  ///   - keyHost: The host that publishes the public key of callbacks. With OSS itself it is left out.
  ///   - owner: The key of the app's account.
  ///   - users: The passwords by user name.
  ///   - log: A closure that receives the lines of the server's log.
  package init(
    _ service: Service, sts: String, keyHost: String, owner: AccessKey, users: [String: String],
    log: @escaping @Sendable (String) -> Void
  ) {
    self.service = service
    self.log = log
    logins = Logins(users: users)
    let context = ProviderContext(transport: AsyncHTTPClientTransport.shared)
    tokens = TokenService(audit: { log("audit: \($0)") }, in: context) { scope in
      log("policy of \(scope.name): \(try service.document(of: scope))")
      return try service.provider(of: scope, owner: StaticCredentialProvider(owner), sts: sts)
    }
    callbacks = CallbackVerifier(keyHosts: [keyHost], transport: AsyncHTTPClientTransport.shared)
  }

  /// Runs the server while the given closure runs, and passes the server's URL to the closure.
  package func run(_ body: @escaping @Sendable (_ address: String) async throws -> Void) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var quiet = Logger(label: "app")
    quiet.logLevel = .critical
    let limits = ConnectionLimits()
    let application = Application(
      router: router, server: .http1(limits),
      configuration: .init(
        address: .hostname("127.0.0.1", port: 0), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      if let number = await ports.first(where: { _ in true }) { try await body("http://127.0.0.1:\(number)") }
      group.cancelAll()
    }
  }

  private var router: Router<AppContext> {
    let router = Router(context: AppContext.self)
    router.post("login") { [logins] request, context in
      let login = try await request.decode(as: Login.self, context: context)
      guard let token = await logins.token(for: login.name, Secret(login.password)) else {
        throw HTTPError(.unauthorized, message: "The name or the password is wrong.")
      }
      return token
    }
    router.group().add(middleware: BearerLogin(logins: logins)).group(context: UserContext.self)
      .temporaryKeys(service.format, at: "distribute-token.json", from: tokens) { [service] _, context in
        // The least rights with which the app can do its work: those to the user's own objects.
        let own = AccessRule(
          .read, .write, .delete, .list, objects: .prefix("users/\(context.user)/"), in: service.bucket)
        return KeyRequest(
          caller: context.user,
          scope: TokenScope("user-\(context.user)", AccessPolicy([own]), lifetime: Self.keyLifetime))
      }
    router.group("uploaded").add(middleware: CallbackMiddleware(callbacks)).post { [service, log] _, context in
      guard let callback = context.callback, callback.value(of: "bucket") == service.bucket,
        let key = callback.value(of: "object")
      else { throw HTTPError(.badRequest) }
      log("the server learns of \(key)")
      return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"thanks":true}"#)))
    }
    return router
  }
}
