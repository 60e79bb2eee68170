import StorageClient

@main
struct FileClient {
  static func main() async throws {
    let mia = AccessKey(id: "mia-id", secret: "mia-secret")
    let files = StorageClient(
      .oss(bucket: "files", region: "cn-hangzhou", endpoint: "http://127.0.0.1:8080", style: .path), credentials: mia)
    try await files.upload(Array("a cat".utf8), to: "cat.txt")
    print(String(decoding: try await files.download("cat.txt", upTo: 1 << 20), as: UTF8.self))

    let wrong = AccessKey(id: "mia-id", secret: "guessed")
    let guesser = StorageClient(
      .oss(bucket: "files", region: "cn-hangzhou", endpoint: "http://127.0.0.1:8080", style: .path), credentials: wrong)
    do {
      _ = try await guesser.download("cat.txt", upTo: 1 << 20)
    } catch let error as ServiceError {
      print("Refused:", error.code)
    }
  }
}
