import StorageClient

@main
struct PhotoApp {
  static func main() async throws {
    let keys = CredentialCache(
      AppServerCredentialProvider(source: "the app's server") {
        AppServerRequest(
          "http://127.0.0.1:8080/api/distribute-token.json", headers: [.authorization: "Bearer mia-token"])
      })
    print(try await keys.credential().id)
  }
}
