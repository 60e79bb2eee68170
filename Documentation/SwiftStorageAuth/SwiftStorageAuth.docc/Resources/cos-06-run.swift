import Hummingbird
import LocalCloud
import StorageAuth
import StorageAuthServer

@main
struct KeyServer {
  static let bucket = "photos-1250000000"

  static func main() async throws {
    let owner = AccessKey(id: "AKIDowner", secret: "owner-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(owner)], buckets: [bucket], cosPort: 9001))
    let tokens = tokenService(owner: owner, sts: cloud.servicesURL)
    let logins = Logins()

    let router = Router(context: AppContext.self)
    router.post("login") { request, context in
      guard let token = logins.token(for: try await request.decode(as: Login.self, context: context)) else {
        throw HTTPError(.unauthorized, message: "The name or the password is wrong.")
      }
      return token
    }
    router.group("api").add(middleware: BearerLogin(logins: logins)).group(context: UserContext.self)
      .temporaryKeys(.cos, at: "credentials", from: tokens) { _, context in
        let own = AccessRule(.read, .write, .list, objects: .prefix("users/\(context.user)/"), in: bucket)
        return KeyRequest(caller: context.user, scope: TokenScope("user-\(context.user)", AccessPolicy([own])))
      }

    let limits = ConnectionLimits()
    let application = Application(
      router: router, server: .http1(limits),
      configuration: .init(
        address: .hostname("127.0.0.1", port: 8080), availableConnectionsDelegate: limits.availableConnections))
    try await application.run()
    await cloud.stop()
  }
}
