// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension AscpCommandBuilder {
  private static let credentials = ["remote_password", "ssh_private_key", "ssh_private_key_path"]

  /// Checks that ascp can carry out the transfer without revealing a secret or skipping the check of a pinned host key.
  func checkSupport() throws(AsperaError) {
    if specification.fields["use_ascp4"]?.bool == true {
      throw AsperaError(
        .unsupported, "The transfer specification requests ascp4, which has other arguments.",
        remedy: "Leave use_ascp4 out.")
    }
    let tags = try specification.decodedTags()
    try checkIDs(tags)
    guard tags.map({ $0 == TransferSpec(fields: $0).withoutSecrets.fields }) ?? true else {
      throw AsperaError(
        .unsupported,
        "The tags hold a secret, and ascp gets tags as an argument, which every user of the machine sees.",
        remedy: "Leave passwords, tokens and storage credentials out of the tags.")
    }
    if isWebSocket, specification.sshfp?.isEmpty == false, !options.givesUpHostKey {
      throw AsperaError(
        .invalidHostKey, "A host key is pinned, and ascp cannot check it over a WebSocket.",
        remedy: "Go over SSH (webSocket: .whereNeeded and a UDP port), or set givesUpHostKey to trust certificates.")
    }
  }

  /// Checks the fields that name the access key and the folder of a transfer by their IDs.
  ///
  /// A node that starts a transfer for a bearer token writes these IDs into the tags, where the server's ascp reads them.
  /// ascp has no options for them, so they must already be in the tags. A folder of this machine has no ID for ascp.
  private func checkIDs(_ tags: JSONObject?) throws(AsperaError) {
    let node = tags?["aspera"]?["node"]
    let isUpload = specification.direction == .send
    let members = [
      "remote_access_key": "access_key", isUpload ? "destination_root_id" : "source_root_id": "file_id",
    ]
    for name in ["remote_access_key", "destination_root_id", "source_root_id"] {
      guard let id = specification.filled(name) else { continue }
      guard let member = members[name] else {
        throw AsperaError(
          .unsupported, "The field \(name) names a folder of this machine by an ID, and ascp knows only its path.",
          remedy: "Leave the field out, and name the folder by its path.")
      }
      guard node?[member]?.string == id else {
        throw AsperaError(
          .unsupported, "ascp has no option for the field \(name), and the tags do not hold the same ID.",
          remedy: "Set aspera.node.\(member) in the tags to this ID.")
      }
    }
  }

  /// Adds the options for the connection: the certificates for a WebSocket, or the key of the token account.
  mutating func addAccess() throws(AsperaError) {
    if isWebSocket {
      if let path = options.certificatesPath ?? specification.text("wss_cert_auth_path") { arguments += ["-i", path] }
      arguments.append("--ws-connect")
      return
    }
    guard !Self.credentials.contains(where: { specification.filled($0) != nil }) else { return }
    guard specification.filled("token") != nil, let path = options.tokenKeyPath else {
      throw AsperaError(
        .missingCredential, "The transfer specification has neither a password nor a private key.",
        remedy: "Sign it with an account; for a transfer with only a token, with the default token account.")
    }
    arguments += ["-i", path]
  }

  /// Changes the specification of a session over SSH into a specification for a WebSocket.
  ///
  /// The WebSocket's port replaces the SSH port. The UDP port, the host key and the account's credential are removed,
  /// because a WebSocket uses none of them.
  mutating func useWebSocket() {
    guard isWebSocket else { return }
    specification.sshPort = specification.webSocketPort
    specification.udpPort = nil
    specification.sshfp = nil
    for name in Self.credentials + ["ssh_private_key_passphrase"] { specification.fields[name] = nil }
  }

  mutating func addFallbackFiles() {
    let isAsked = specification.httpFallback == .on || specification.httpFallback == .force
    if isAsked, let files = options.fallback {
      arguments += ["-I", files.certificatePath, "-Y", files.keyPath]
    }
  }

  /// Adds the options that select one session of a transfer with several sessions.
  mutating func addPart() throws(AsperaError) {
    let count = specification.sessionCount ?? 0
    guard count > 1 || options.part != nil else { return }
    guard let part = options.part, part.count == max(count, 1), (1...part.count).contains(part.index) else {
      throw TransferSpec.invalid(
        "has multi_session \(count), and no session of that many is selected",
        "Create a command for each session, from 1 to \(max(count, 1)).")
    }
    if part.separatesPorts {
      let first = specification.udpPort ?? AsperaAccount.defaultPort
      guard part.count <= 65_536 - first else {
        throw TransferSpec.invalid("has a UDP port too high for \(part.count) sessions", "Use a lower fasp_port.")
      }
      let port = first + part.index - 1
      arguments += ["-O", "\(port)"]
      specification.udpPort = nil
    }
    if part.count > 1 { arguments.append("-C\(part.index):\(part.count)") }
  }
}
