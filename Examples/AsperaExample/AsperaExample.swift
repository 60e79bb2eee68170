// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsperaAuth
import AsperaTransfer
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient

/// An example of an app that uses Aspera.
///
/// The app transfers files with a password, a key, a token and a token issuer, and with a storage client as for the
/// clouds.
@main
struct AsperaExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AsperaExample", abstract: "Logs in to Aspera in each way and moves a file.",
    discussion: """
      By default it uses LocalCloud and ascp-simulator. A real server requires STORAGE_AUTH_LIVE=1, \
      ASPERA_NODE_URL with the credentials that `storage-auth` accepts, and ascp; ASPERA_HOST and ASPERA_USER with \
      ASPERA_SCP_PASS for the password, or ASPERA_KEY for a file with the key.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await Place(localOnly: local)
    do {
      if let account = try place.passwordAccount { try await plain("with a password", account, place) }
      if let account = try place.keyAccount { try await plain("with a key", account, place) }
      try await token(place)
      try await issuer(place)
      try await client(place)
    } catch {
      await place.close()
      throw error
    }
    await place.close()
  }

  /// Transfers a file with the login of an account, which determines the permissions without a token.
  private func plain(_ title: String, _ account: AsperaAccount, _ place: Place) async throws {
    say("# \(title)")
    let queue = TransferQueue(engine: place.engine, account: account)
    try await show(queue.run([place.upload]))
  }

  /// Transfers a file with an existing token, which is valid for one session.
  private func token(_ place: Place) async throws {
    say("# with a token on the session")
    let grant = try await place.issuer.issue(for: TokenRequest(session: "1", specification: place.upload), in: .system)
      .credential
    guard let token = grant.token, let host = grant.specification?.remoteHost else { return }
    let queue = TransferQueue(engine: place.engine, account: try place.tokenAccount(at: host, grant))
    try await show(queue.run([TransferSession(place.upload, token: .fixed(token))]))
  }

  /// Transfers a file with a token issuer.
  ///
  /// The queue fetches tokens from the issuer and replaces tokens that a server rejects.
  private func issuer(_ place: Place) async throws {
    say("# with an issuer")
    let queue = TransferQueue(
      engine: place.engine, account: try place.tokenAccount(at: place.host, nil), issuer: place.issuer, in: .system)
    // LocalCloud reports the first token as expired, so the queue fetches another token and continues.
    place.cloud?.faults.transfers = [.tokenExpired(.first(1))]
    try await show(queue.run([place.upload]))
  }

  /// Uploads, lists, downloads and deletes files on the node with a storage client, as with a bucket.
  private func client(_ place: Place) async throws {
    say("# with a client")
    let client = place.client
    try await client.upload(Array("a picture of a dog".utf8), to: "example/dog.jpg")
    for try await case .object(let object) in client.list(prefix: "example/") {
      say("  listed: \(object.key), \(object.size) bytes")
    }
    let bytes = try await client.download("example/dog.jpg", upTo: 1 << 20)
    say("  downloaded: \(String(decoding: bytes, as: UTF8.self))")
    try await client.delete(["example/cat.jpg", "example/dog.jpg"])
  }

  private func show(_ events: TransferEvents) async throws {
    for await event in events {
      switch event.kind {
      case .tokenIssued(let issuance): say("  token from \(issuance.source) (\(issuance.reason))")
      case .retry(let retry): say("  again: \(retry.failure)")
      case .didStartRunning: say("  running")
      case .finished(let result): say("  moved \(try result.get().bytes) bytes")
      default: break
      }
    }
  }
}
