import LocalCloud
import StorageClient

@main
struct FirstUpload {
  static func main() async throws {
    let key = AccessKey(id: "test-id", secret: "test-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    let endpoint = "http://\(cloud.ossEndpoint.authority)"
    print("OSS listens on \(endpoint)")

    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key)
    try await client.upload(Array("a picture of a cat".utf8), to: "2026/cat.jpg", metadata: ["author": "Mia"])

    let info = try await client.head("2026/cat.jpg")
    print(info.size ?? 0, "bytes of", info.contentType ?? "an unknown type", info.metadata)
    for try await entry in client.list(prefix: "2026/") { print("listed:", entry.name) }

    let bytes = try await client.download("2026/cat.jpg", upTo: 1 << 20)
    print(String(decoding: bytes, as: UTF8.self))

    let link = try await client.presign(.get, "2026/cat.jpg", validFor: .seconds(30 * 60))
    print("Valid for half an hour:", link.url)

    await cloud.stop()
  }
}
