import Hummingbird
import LocalCloud
import StorageAuth
import StorageAuthServer

@main
struct KeyServer {
  static func main() async throws {
    let owner = AccessKey(id: "owner-id", secret: "owner-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(owner)], buckets: ["photos"], ossPort: 9000))
    let tokens = tokenService(owner: owner, sts: cloud.servicesURL)

    let router = Router(context: AppContext.self)
    router.group("api").add(middleware: BearerLogin(users: ["mia-token": "mia", "noah-token": "noah"]))
      .group(context: UserContext.self)
      .temporaryKeys(.oss, at: "distribute-token.json", from: tokens) { _, context in
        let folder = AccessRule(.read, .write, objects: .prefix("users/\(context.user)/"), in: "photos")
        return KeyRequest(caller: context.user, scope: TokenScope("user-\(context.user)", AccessPolicy([folder])))
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
