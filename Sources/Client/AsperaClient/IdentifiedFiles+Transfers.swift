// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient

extension IdentifiedFiles {
  private static let defaultTokenMargin = Duration.seconds(120)
  private static let infoByteLimit = 1 << 20

  func upload(of file: String, to key: String, in context: TransferContext) async throws -> TransferSession {
    var spec = TransferSpec(.send, [TransferPath(file, to: path(of: key))], destinationRoot: "/")
    spec.createsFolder = true
    return try await session(spec, fileID: rootID(for: key), for: key, in: context)
  }

  func download(
    of key: String, into folder: TemporaryFolder, in context: TransferContext
  ) async throws -> TransferSession {
    let (parent, file) = NodeFilePath.split(path(of: key))
    guard let id = try await folderID(parent, for: key) else {
      throw node.notFound(key, code: "NotFound", "No file and no folder has the key.")
    }
    let paths = [TransferPath(file, to: TemporaryFolder.contentName)]
    let spec = TransferSpec(.receive, paths, destinationRoot: folder.path)
    return try await session(spec, fileID: id, for: key, in: context)
  }

  /// Returns a transfer with paths relative to the folder with an ID, which the credential of the Node API authorizes.
  private func session(
    _ spec: TransferSpec, fileID: String, for key: String, in context: TransferContext
  ) async throws -> TransferSession {
    var grant = try await prepareTransferServer(for: key, in: context)
    if let tags = spec.direction.flatMap({ node.provider.tags[$0] }) { grant.tags = tags }
    let issuer = NodeAccessTokenIssuer(
      access: node.sender.credentials, fileID: fileID, specification: grant,
      margin: node.provider.transfers.queue.tokenMargin ?? Self.defaultTokenMargin)
    return context.session(spec, issuer: issuer)
  }

  /// Returns what the node tells about its transfer server, and registers a generated key with the node.
  private func prepareTransferServer(for key: String, in context: TransferContext) async throws -> TransferSpec {
    if let known = memory.server(for: access.identity) { return known }
    var server = TransferSpec(fields: JSONObject())
    let info = try await info(for: key)
    server.remoteUser = context.ownUser ?? info?["transfer_user"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    if let account = context.account {
      if account.hostKey == nil { server.sshfp = info?.setting("ssh_fingerprint") }
    } else {
      server.remoteHost = context.host
      if info?.setting("wss_enabled") == "false" { server.offersWebSocket = false }
      server.webSocketPort = info?.setting("wss_port").flatMap { Int(digits: $0) }
    }
    if let publicKey = context.publicKey {
      let user = server.remoteUser ?? AsperaAccount.defaultTokenUser
      let (_, document) = try await node.call(
        .post, "/public_keys", as: "public_keys", for: key,
        body: ["username": .string(user), "public_key": .string(publicKey)])
      try NodeResponse.requireChangeResponse(document)
    }
    memory.remember(server, for: access.identity)
    return server
  }

  /// Requests information about the node, and returns `nil` if the credential may not read it.
  ///
  /// According to IBM's description, `/info` requires Basic authorization, but some nodes accept bearer tokens. A bearer
  /// token that is rejected here is not refreshed.
  private func info(for key: String) async throws -> JSONValue? {
    let draft = try node.draft(.get, "/info", as: "info", for: key)
    guard case .bearer = access.method else {
      return try NodeResponse.info(try await node.sender.exchange(draft).1)
    }
    switch try await node.sender.sendOnce(draft, { try await $0.body.collected(upTo: Self.infoByteLimit) }) {
    case .succeeded(let body, _): return try body.map { body throws(StorageError) in try NodeResponse.info(body) }
    case .failed(.rejected(let rejection)):
      if rejection.error.isRetryable { throw rejection.error }
      return nil
    case .failed(.unanswered(let error)): throw error
    case .failed(.unsigned(let error)): throw error
    }
  }
}

extension JSONValue {
  /// Returns a value in the `settings` of a response to `/info`, or `nil` if it is missing or empty.
  fileprivate func setting(_ name: String) -> String? {
    self["settings"]?.array?.first { $0["name"]?.string == name }?["value"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}
