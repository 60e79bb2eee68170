// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageJSON

/// The simulated transfer server, which replaces SSH and ascp for `ascp-simulator` with JSON and bytes over HTTP.
///
/// A client connects, logs in, begins a session, transfers folders and files in pieces, and ends the session.
/// Sources/Testing/LocalCloud/LocalCloud.docc/LocalAsperaNode.md describes the calls.
struct TransferDesk: Sendable {
  static let endpoint = LocalCloud.Endpoint.transfer

  let aspera: AsperaContext
  let connections = ConnectionTable()
  let partialUploads = PartialUploadTable()

  /// Opens a connection and returns the response with the connection's ID and the host key's fingerprint.
  func connect() throws -> Answer {
    aspera.count { $0.connections += 1 }
    let connection = TransferConnection(aspera.cloud.injector.transferFault())
    try inject(connection.fault(at: .connecting))
    return Answer(["connection": .string(connections.add(connection)), "host_key": .string(aspera.hostKey.description)])
  }

  /// Logs in a user with a password or a public key.
  func login(_ document: JSONValue, _ connection: TransferConnection) throws -> Answer {
    guard let user = document["user"]?.string else { throw TransferRefusal.protocolError }
    let keys = document["public_keys"]?.array?.compactMap(\.string) ?? []
    let password = document["password"]?.string.map { Secret($0) }
    guard aspera.directory.admits(user, password: password, publicKeys: keys),
      let account = aspera.directory.transferAccount(user)
    else { throw TransferRefusal.account }
    connection.account = account
    aspera.count { $0.logins += 1 }
    return Answer([:])
  }

  /// Begins a transfer session.
  ///
  /// The transfer token must be valid and grant access to the paths that are already known.
  func begin(_ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) throws -> Answer {
    guard let account = connection.account,
      let direction = document["direction"]?.string.flatMap({ TransferDirection(rawValue: $0) })
    else { throw TransferRefusal.protocolError }
    try inject(connection.fault(at: .afterAuthentication))
    let claim = try TransferTokenCheck(aspera: aspera).claim(
      document["token"]?.string, tags: document["tags"], account: account, direction, at: date)
    let paths = document["paths"]?.array ?? []
    for path in paths { _ = try Self.path(path, claim) }
    let record = TransferRecord(
      .init(
        accessKey: claim?.accessKey, userID: claim?.creator ?? account.user, direction: direction, login: account.user,
        tokenType: TransferTokenCheck.type(of: document["token"]?.string), tags: document["tags"],
        cookie: document["cookie"]?.string, paths: paths.prefix(100).compactMap(\.string), date: date),
      clientSeen: date)
    aspera.activity.add(record)
    aspera.activity.add("started", of: record, at: date)
    connection.session = TransferConnection.Session(direction: direction, claim: claim, record: record)
    aspera.count { $0.sessions += 1 }
    return Answer(["piece": .number(JSONNumber(connection.pieceByteCount))])
  }

  /// Ends a transfer session successfully.
  func end(_ id: String, _ connection: TransferConnection, at date: Timestamp) throws -> Answer {
    guard let session = connection.session, connection.isComplete else { throw TransferRefusal.protocolError }
    try inject(connection.faultInContent(isEnd: true))
    aspera.packages.completed(session.claim)
    connections.remove(id)
    aspera.activity.end(session.record, .completed, at: date)
    aspera.count { $0.completed += 1 }
    return Answer([:])
  }

  /// Ends a transfer session whose client gives up, with the client's error code and text.
  func abort(_ id: String, _ document: JSONValue, _ connection: TransferConnection, at date: Timestamp) -> Answer {
    connections.remove(id)
    if let record = connection.session?.record, record.progress.status == .running {
      let refusal = TransferRefusal(
        document["code"]?.integer ?? 0, (document["description"]?.string ?? "").shortened(to: 1_024))
      let isCanceled = refusal.code == TransferRefusal.canceled.code
      aspera.activity.end(record, isCanceled ? .canceled : .failed, refusal, at: date)
    }
    return Answer([:])
  }

  /// Throws the error for an injected fault, and counts the fault; does not throw if the fault is `nil`.
  func inject(_ fault: LocalCloud.TransferFault?) throws {
    guard let fault else { return }
    aspera.count { $0.faults[fault.code, default: 0] += 1 }
    throw InjectedRefusal(refusal: TransferRefusal(fault))
  }

  /// Returns the path on the node that a session names relative to its folder, after checking that the session's token
  /// grants access to the path.
  static func path(_ value: JSONValue?, _ claim: TransferClaim?) throws -> NodePath {
    guard let text = value?.string else { throw TransferRefusal.protocolError }
    guard let path = NodePath(text).map({ (claim?.base ?? .root).appending($0) }), path.isWithinLimits else {
      throw TransferRefusal(41, "The path is too long, or leads out of the docroot: \(text.shortened(to: 4_096))")
    }
    try TransferTokenCheck.check(path, against: claim)
    return path
  }
}

/// An injected error of the simulated transfer server, which is not counted as a real error response.
struct InjectedRefusal: Error {
  let refusal: TransferRefusal
}
