import LocalCloud
import StorageClient

@main
struct FirstUpload {
  static func main() async throws {
    let key = AccessKey(id: "test-id", secret: "test-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    let endpoint = "http://\(cloud.ossEndpoint.authority)"
    print("OSS listens on \(endpoint)")

    await cloud.stop()
  }
}
