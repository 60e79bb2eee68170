// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import COSAuth
import ExampleSupport
import HTTPTypes
import LocalCloud
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageClient

/// An example of remote signing, with a server that holds the key and a client that holds no key.
@main
struct RemoteSigningExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "RemoteSigningExample",
    abstract: "Runs a server that signs and a client without a key, against LocalCloud.",
    discussion: "The example does not leave this machine and needs no account.")

  func run() async throws {
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let bucket = "photos-1250000000"
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: [bucket], isStrict: true))
    let server = AppServer(
      oss: SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: StaticCredentialProvider(key)),
      cos: SigningAccount(
        COSStringToSignSigner(endpoint: cloud.cosEndpoint), credentials: StaticCredentialProvider(key)),
      buckets: [bucket])
    let (addresses, ready) = AsyncStream.makeStream(of: String.self)
    let running = Task { try await server.run { ready.yield($0) } }
    guard let url = await addresses.first(where: { _ in true }) else { return }
    say("The server signs at \(url).")
    let signing = RemoteSigning.remote(url) { [.authorization: "Bearer token-of-alice"] }
    try await use(
      StorageClient(
        .oss(bucket: bucket, region: "cn-hangzhou", endpoint: cloud.ossEndpoint), signing: signing), "OSS V4")
    try await use(
      StorageClient(
        .oss(bucket: bucket, region: "cn-hangzhou", signature: .v1, endpoint: cloud.ossEndpoint), signing: signing),
      "OSS V1")
    try await use(
      StorageClient(
        .cos(bucket: bucket, region: "ap-guangzhou", endpoint: cloud.cosEndpoint), signing: signing), "COS V5")
    say("LocalCloud verified \(cloud.statistics.verifiedCount) signatures.")
    running.cancel()
    _ = await running.result
    await cloud.stop()
  }

  private func use<Provider: PresigningProvider>(_ client: StorageClient<Provider>, _ name: String) async throws {
    say("# \(name)")
    try await client.upload(Array("a cat".utf8), to: "users/alice/cat.txt")
    let text = String(decoding: try await client.download("users/alice/cat.txt", upTo: 100), as: UTF8.self)
    say("  uploaded and downloaded: \(text)")
    let link = try await client.presign(.get, "users/alice/cat.txt", validFor: .seconds(60))
    say("  a link: \(link)")
    await refused("read bob's file") { _ = try await client.download("users/bob/cat.txt", upTo: 100) }
    await refused("delete bob's file") { try await client.delete("users/bob/cat.txt") }
    await refused("create a link for a week") {
      _ = try await client.presign(.get, "users/alice/cat.txt", validFor: .seconds(7 * 86_400))
    }
    await refused("make the file public") {
      _ = try await client.presign(
        .put, "users/alice/cat.txt", parameters: [.init(name: "acl", value: nil)], validFor: .seconds(60))
    }
    try await client.delete("users/alice/cat.txt")
  }

  private func refused(_ what: String, _ act: () async throws -> Void) async {
    do {
      try await act()
      say("  SIGNED: \(what)")
    } catch {
      say("  not signed: \(what): \((error as? SigningError)?.message ?? "\(error)")")
    }
  }
}
