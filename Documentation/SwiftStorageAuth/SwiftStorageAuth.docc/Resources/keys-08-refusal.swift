import StorageClient

@main
struct PhotoApp {
  static func main() async throws {
    let keys = CredentialCache(
      AppServerCredentialProvider(source: "the app's server") {
        AppServerRequest(
          "http://127.0.0.1:8080/api/distribute-token.json", headers: [.authorization: "Bearer mia-token"])
      })

    let photos = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: "http://127.0.0.1:9000"), credentials: keys)
    try await photos.upload(Array("a cat".utf8), to: "users/mia/cat.txt")
    print(String(decoding: try await photos.download("users/mia/cat.txt", upTo: 1 << 20), as: UTF8.self))

    do {
      try await photos.upload(Array("a dog".utf8), to: "users/noah/dog.txt")
    } catch let error as ServiceError {
      print("Refused:", error.code)
    }
  }
}
