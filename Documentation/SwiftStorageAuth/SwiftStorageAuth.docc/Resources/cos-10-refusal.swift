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

    let photos = StorageClient(
      .cos(bucket: "photos-1250000000", region: "ap-guangzhou", endpoint: "http://127.0.0.1:9001"), credentials: keys)
    try await photos.upload(Array("a cat".utf8), to: "users/mia/cat.txt")
    for try await entry in photos.list(prefix: "users/mia/") { print("Listed:", entry.name) }

    do {
      try await photos.upload(Array("a dog".utf8), to: "users/noah/dog.txt")
    } catch let error as ServiceError {
      print("Refused:", error.code)
    }
  }
}
