import StorageClient

@main
struct PhotoApp {
  static func main() async throws {
    let session = try await logIn("mia", "cat-lover-1")
    let keys = CredentialCache(
      AppServerCredentialProvider(source: "the app's server", format: .cos) {
        AppServerRequest("http://127.0.0.1:8080/api/credentials", headers: [.authorization: "Bearer \(session)"])
      })
    let key = try await keys.credential()
    print(key.id, "from", key.start?.iso8601 ?? "now", "until", key.expiration?.iso8601 ?? "forever")
  }
}
