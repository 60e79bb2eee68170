import AcmeStorage
import StorageClient

@main
struct AcmeApp {
  static func main() async throws {
    let client = StorageClient(.acme(bucket: "photos", region: "north"))
    try await client.upload(Array("hello".utf8), to: "hello.txt")
  }
}
