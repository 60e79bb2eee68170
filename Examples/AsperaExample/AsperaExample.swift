// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsperaAuth
import AsperaClient
import AsperaTransfer
import ExampleSupport
import StorageAuth
import StorageClient

/// An example of the authentication of Aspera: an account logs in, and a token authorizes the paths of a transfer.
@main
struct AsperaExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AsperaExample", abstract: "Logs in to Aspera in each way and moves a file.",
    discussion: """
      By default it uses LocalCloud and ascp-simulator. A real server requires STORAGE_AUTH_LIVE=1, \
      ASPERA_NODE_URL with the credentials that `storage-auth` accepts, and ascp; ASPERA_HOST and ASPERA_USER with \
      ASPERA_SCP_PASS for the password, or ASPERA_KEY and ASPERA_KEY_PASSPHRASE for a file with the key.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await Place(localOnly: local)
    do {
      if let server = place.server {
        if let password = place.password { try await logIn(to: server, password: password, place) }
        if let key = place.key { try await logIn(to: server, key: key.text, passphrase: key.passphrase, place) }
      }
      try await useToken(place)
      try await useIssuer(place)
      if let server = place.server { try await explainRefusal(server, place) }
    } catch {
      await place.close()
      throw error
    }
    await place.close()
  }

  /// Logs in with a password; the account determines which paths the transfer may use.
  private func logIn(to server: Place.Server, password: String, _ place: Place) async throws {
    say("# with a password")
    let account = try AsperaAccount(
      host: server.host, user: server.user, password: password, sshPort: server.port, udpPort: server.port,
      hostKey: server.hostKey)
    await show(TransferQueue(engine: place.engine, account: account).run([place.upload]))
  }

  /// Logs in with a private key, which a passphrase decrypts.
  private func logIn(to server: Place.Server, key: String, passphrase: String?, _ place: Place) async throws {
    say("# with a key and its passphrase")
    let privateKey = AsperaPrivateKey.pem(Secret(key), passphrase: passphrase.map { Secret($0) })
    say("  the key is", try await privateKey.check(on: .system).passphrase)
    let account = try AsperaAccount(
      host: server.host, user: server.user, privateKey: privateKey, sshPort: server.port, udpPort: server.port,
      hostKey: server.hostKey)
    await show(TransferQueue(engine: place.engine, account: account).run([place.upload]))
  }

  /// Authorizes a transfer with a token that the app already has, such as one from its own server.
  private func useToken(_ place: Place) async throws {
    say("# with a token")
    let grant = try await place.issuer.issue(for: TokenRequest(session: "1", specification: place.upload), in: .system)
      .credential
    // The signer combines the account of tokens, the grant and the paths. An engine such as ascp runs the result.
    let account = try place.tokenAccount(for: grant)
    let signed = try TransferSigner(account: account).signed(place.upload, with: grant, in: .now)
    say("  signed for \(signed.remoteUser ?? ""), with a token of the kind \(grant.token?.kind.rawValue ?? "")")
    if let token = grant.token {
      let queue = TransferQueue(engine: place.engine, account: account)
      await show(queue.run([TransferSession(place.upload, token: .fixed(token))]))
    }
  }

  /// Authorizes transfers with an issuer, which the queue asks for another token when a server rejects one.
  private func useIssuer(_ place: Place) async throws {
    say("# with an issuer")
    let queue = TransferQueue(
      engine: place.engine, account: try place.tokenAccount(for: nil), issuer: place.issuer, in: .system)
    place.rejectFirstToken()
    await show(queue.run([place.upload]))
  }

  /// Shows why a server refuses an account, and what helps.
  private func explainRefusal(_ server: Place.Server, _ place: Place) async throws {
    say("# a refusal, explained")
    let account = try AsperaAccount(
      host: server.host, user: server.user, password: "not the password", sshPort: server.port, udpPort: server.port,
      hostKey: server.hostKey)
    await show(TransferQueue(engine: place.engine, account: account).run([place.upload]))
  }

  private func show(_ events: TransferEvents) async {
    for await event in events {
      switch event.kind {
      case .tokenIssued(let issuance): say("  token from \(issuance.source) (\(issuance.reason))")
      case .retry(let retry): say("  again: \(retry.failure)")
      case .didStartRunning: say("  running")
      case .finished(.success(let summary)): say("  moved \(summary.bytes) bytes")
      case .finished(.failure(let failure)):
        say("  refused: \(failure.message)")
        say("  remedy: \(failure.remedy)")
      default: break
      }
    }
  }
}
