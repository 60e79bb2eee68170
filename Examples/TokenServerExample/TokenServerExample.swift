// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import Foundation
import KeyServer
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuthServer
import StorageClient

/// An example of an app with its own server, which issues temporary keys to the app's storage clients.
///
/// Users log in, the server requests keys for each user's folder from the token service, and the app uploads directly to
/// the storage service. Its client refreshes the keys automatically.
@main
struct TokenServerExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "TokenServerExample",
    abstract: "Runs an app's token server and two of its clients, against LocalCloud.",
    discussion: "The example does not leave this machine and needs no account.")

  @Option(help: "The storage service of the app.")
  var provider = Service.oss

  func run() async throws {
    let owner = AccessKey(id: "owner-id", secret: "owner-secret")
    var configuration = LocalCloud.Configuration(
      accounts: [.init(owner)], buckets: [provider.bucket], services: .init(tokenLifetime: .seconds(10)))
    configuration.callbacks = LocalCloud.Callbacks(transport: AsyncHTTPClientTransport.shared)
    let cloud = try await LocalCloud.start(configuration)
    do {
      let server = AppServer(
        provider, sts: cloud.servicesURL, keyHost: cloud.servicesEndpoint.authority, owner: owner,
        users: ["mia": "cat-lover-1", "noah": "dog-lover-2"], log: { say("  \($0)") })
      try await server.run { address in try await use(address, cloud) }
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  /// Runs the clients of two users against the app server.
  private func use(_ address: String, _ cloud: LocalCloud) async throws {
    say("# mia and noah log in, and their apps request temporary keys")
    let mia = try await AppClient(user: "mia", password: "cat-lover-1", server: address, provider, cloud)
    let noah = try await AppClient(user: "noah", password: "dog-lover-2", server: address, provider, cloud)
    say("  the server's response: \(mia.names.joined(separator: ", "))")
    say("# mia uploads to her own folder")
    say("  her key: \(try await mia.keys.credential())")
    try await mia.photos.upload(Array("a cat".utf8), to: "users/mia/cat.txt")
    await mia.show("users/mia/cat.txt")
    for try await entry in mia.photos.list(prefix: "users/mia/") { say("  listed: \(entry.name)") }
    if provider == .oss { try await uploadWithCallback(mia, address) }
    say("# noah cannot see it")
    await noah.show("users/mia/cat.txt")
    say("# no key without a login")
    let url = "\(address)/distribute-token.json"
    let refusal = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    say("  \(refusal.status.code), \(refusal.headers.first(name: "WWW-Authenticate") ?? "without WWW-Authenticate")")
    say("# a wrong password")
    do {
      _ = try await AppClient(user: "mia", password: "guess", server: address, provider, cloud)
    } catch {
      say("  \(error)")
    }
    say("# keys are valid for ten seconds here, and mia uploads for twelve")
    for number in 1...12 {
      try await mia.photos.upload([1, 2, 3], to: "users/mia/\(number)")
      try await Task.sleep(for: .seconds(1))
    }
    say("  her app received more than one key: \(mia.keyCount > 1)")
  }

  /// Uploads with a callback: OSS tells the app's server about the object, and the app receives the server's reply.
  private func uploadWithCallback(_ app: AppClient, _ address: String) async throws {
    say("# the service calls the app's server after an upload, and mia receives the server's reply")
    let callback = UploadCallback(to: ["\(address)/uploaded"], body: "bucket=${bucket}&object=${object}")
    let told = try await app.photos.upload(
      Array("a kitten".utf8), to: "users/mia/kitten.txt",
      options: UploadOptions(headers: try callback.headerFields))
    say("  \(String(decoding: told.callbackReply ?? [], as: UTF8.self))")
  }
}
