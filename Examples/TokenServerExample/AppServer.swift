import CloudCredentials
import Hummingbird
import Logging
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient
import Synchronization

/// The server of an app: a login, and a route that hands out keys to those who are logged in.
struct AppServer {
  private let logins: Logins
  private let tokens: TokenService

  init(sts: String, owner: AccessKey, bucket: String, users: [String: String]) {
    logins = Logins(users: users)
    let keys = StaticCredentialProvider(owner)
    tokens = TokenService(audit: { print("  audit: \($0)") }) { scope in
      AlibabaAssumeRoleProvider(
        roleARN: "acs:ram::1250000000:role/localcloud", sessionName: scope.name, keys: keys, duration: scope.life,
        policy: try scope.policy.ramDocument(), endpoint: .url(sts), transport: AsyncHTTPClientTransport.shared)
    }
    self.bucket = bucket
  }

  private let bucket: String

  /// Runs the server while `body` does.
  func run(_ body: @escaping @Sendable (_ address: String) async throws -> Void) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var quiet = Logger(label: "app")
    quiet.logLevel = .critical
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      if let number = await ports.first(where: { _ in true }) { try await body("http://127.0.0.1:\(number)") }
      group.cancelAll()
    }
  }

  private var router: Router<BasicRequestContext> {
    let router = Router()
    router.post("login") { [logins] request, _ -> String in
      try logins.token(for: request.headers[.authorization])
    }
    // The second layer that the vendors' documents ask for: nobody gets a key who is not logged in.
    router.temporaryKeys(.oss, at: "distribute-token.json", from: tokens) { [logins, bucket] request, _ in
      let user = try logins.user(of: request.headers[.authorization])
      let own = AccessRule(.read, .write, .delete, keys: .prefix("users/\(user)/"), in: bucket)
      return TokenOrder(caller: user, scope: TokenScope("user-\(user)", AccessPolicy([own])))
    }
    return router
  }
}

/// Who is logged in, in memory: an app has its own.
final class Logins: Sendable {
  private let users: [String: Secret]
  private let tokens = Mutex<[String: String]>([:])

  init(users: [String: String]) {
    self.users = users.mapValues { Secret($0) }
  }

  /// Logs a user in, who is named as `Basic name:password`.
  func token(for authorization: String?) throws -> String {
    let parts = authorization?.split(separator: " ").last?.split(separator: ":", maxSplits: 1) ?? []
    guard parts.count == 2, let password = users[String(parts[0])], password == Secret(String(parts[1])) else {
      throw HTTPError(.unauthorized, message: "The name or the password is wrong.")
    }
    let token = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    tokens.withLock { $0[token] = String(parts[0]) }
    return token
  }

  /// Whose bearer token it is.
  func user(of authorization: String?) throws -> String {
    let token = authorization.map { String($0.dropFirst("Bearer ".count)) } ?? ""
    guard let user = tokens.withLock({ $0[token] }) else { throw HTTPError(.unauthorized, message: "Log in first.") }
    return user
  }
}
