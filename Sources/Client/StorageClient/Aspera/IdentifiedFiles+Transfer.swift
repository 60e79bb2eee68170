// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

extension IdentifiedFiles {
  /// Returns a transfer below a folder, which the credential of the Node API authorizes.
  ///
  /// - Parameters:
  ///   - spec: The transfer specification, with paths on the server that are relative to the folder.
  ///   - fileID: The ID of the folder.
  ///   - key: The object key for errors and events.
  ///   - room: The context of the client's transfers.
  func prepared(
    _ spec: TransferSpec, fileID: String, _ key: String, _ room: TransferContext
  ) async throws -> PreparedTransfer {
    var grant = try await server(for: key, room)
    if let tags = spec.direction.flatMap({ node.provider.tags[$0] }) { grant.tags = tags }
    let client = node.client
    let issuer = NodeAccessTokenIssuer(
      access: client.credentials, fileID: fileID, specification: grant,
      margin: node.provider.transfers.queue.tokenMargin ?? .seconds(120), time: client.time)
    return PreparedTransfer(specification: spec, issuer: issuer)
  }

  /// Returns what the node tells about its transfer server, and registers a generated key with the node.
  private func server(for key: String, _ room: TransferContext) async throws -> TransferSpec {
    let memory = node.client.memory.value { ServerMemory() }
    if let known = memory.server(for: access.identity) { return known }
    var server = TransferSpec(fields: JSONObject())
    let info = try await info(for: key)
    server.remoteUser = room.ownUser ?? info?["transfer_user"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    if let account = room.account {
      if account.hostKey == nil { server.sshfp = info?.setting("ssh_fingerprint") }
    } else {
      server.remoteHost = room.host
      if info?.setting("wss_enabled") == "false" { server.offersWebSocket = false }
      server.webSocketPort = info?.setting("wss_port").flatMap { Int($0) }
    }
    if let line = room.publicKey {
      let user = server.remoteUser ?? AsperaAccount.defaultTokenUser
      let (_, answer) = try await node.call(
        .post, "/public_keys", as: "public_keys", key, body: ["username": .string(user), "public_key": .string(line)])
      try NodeAnswer.checkChange(answer)
    }
    memory.note(server, for: access.identity)
    return server
  }

  /// Requests information about the node, and returns `nil` if the credential may not read it.
  ///
  /// According to IBM's description, `/info` requires Basic authorization, but some nodes accept bearer tokens. A bearer
  /// token that is refused here is not refreshed.
  private func info(for key: String) async throws -> JSONValue? {
    let draft = try node.draft(.get, "/info", as: "info", key)
    guard case .bearer = access.method else {
      return try NodeAnswer.info(try await node.client.exchange(draft).1)
    }
    switch try await node.client.attempt(draft, { try await $0.body.collected(upTo: 1 << 20) }) {
    case .done(let body, _): return try body.map { body throws(StorageError) in try NodeAnswer.info(body) }
    case .refused(let refusal):
      if refusal.error.isRetryable { throw refusal.error }
      return nil
    case .lost(let error): throw error
    case .unsigned(let error): throw error
    }
  }
}

extension JSONValue {
  /// Returns a value in the `settings` of a response to `/info`, or `nil` if it is missing or empty.
  fileprivate func setting(_ name: String) -> String? {
    self["settings"]?.array?.first { $0["name"]?.string == name }?["value"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The transfer server of the access key that a client uses.
private final class ServerMemory: Sendable {
  private let state = Lock<(accessKey: String, server: TransferSpec)?>(nil)

  /// Returns the server of an access key, or `nil` if it is unknown.
  func server(for accessKey: String) -> TransferSpec? {
    state.withLock { $0?.accessKey == accessKey ? $0?.server : nil }
  }

  /// Records the server of an access key.
  func note(_ server: TransferSpec, for accessKey: String) {
    state.withLock { $0 = (accessKey, server) }
  }
}
