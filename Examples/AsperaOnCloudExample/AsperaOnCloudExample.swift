// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsperaAuth
import AsperaClient
import ExampleSupport
import StorageClient
import SystemPackage

/// An example of an app whose user has files in Aspera on Cloud, and sends packages with Faspex 5.
///
/// The user's private key signs a JSON Web Token for each grant. The app stores no password and no long-lived token.
@main
struct AsperaOnCloudExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AsperaOnCloudExample", abstract: "Moves a file and a package with JWT grants.",
    discussion: """
      By default it uses LocalCloud and ascp-simulator. Aspera on Cloud itself requires STORAGE_AUTH_LIVE=1, \
      ASPERA_ORGANIZATION, ASPERA_USER, ASPERA_CLIENT_ID, ASPERA_CLIENT_SECRET, ASPERA_JWT_KEY (a file), \
      ASPERA_WORKSPACE, and ascp with IBM's key.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await Place(localOnly: local)
    do {
      try await files(place)
      if let faspex = place.faspex { try await package(faspex, place) }
    } catch {
      await place.close()
      throw error
    }
    await place.close()
  }

  /// Uploads, lists, downloads and deletes a file in the user's home folder.
  private func files(_ place: Place) async throws {
    say("# files of Aspera on Cloud")
    let client = StorageClient(place.home)
    let watch = client.events.observe { event in
      if case .refresh(let refresh) = event, case .succeeded = refresh.outcome { say("  token from \(refresh.source)") }
    }
    defer { watch.cancel() }
    try await client.upload(Array("a picture of a cat".utf8), to: "example/cat.jpg")
    for try await case .object(let object) in client.list(prefix: "example/") {
      say("  listed: \(object.key), \(object.size) bytes")
    }
    try await client.node().rename("example/cat.jpg", to: "dog.jpg")
    let bytes = try await client.download("example/dog.jpg", upTo: 1 << 20)
    say("  downloaded: \(String(decoding: bytes, as: UTF8.self))")
    try await client.delete("example/dog.jpg")
  }

  /// Sends a package, and receives it as its recipient does.
  private func package(_ faspex: (sender: FaspexClient, recipient: FaspexClient), _ place: Place) async throws {
    say("# a package of Faspex 5")
    let draft = PackageDraft(title: "Pictures", recipients: [.init(place.recipient)])
    let sent = try await faspex.sender.send(draft, files: [place.picture])
    say("  sent: \(sent.title)")
    for package in try await faspex.recipient.packages() {
      try await faspex.recipient.receive(package, to: place.inbox)
      say("  received: \(package.title), files: \(try place.received.joined(separator: ", "))")
    }
  }
}
