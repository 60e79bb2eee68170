// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
package import StorageAuth
internal import StorageCrypto

/// A verifier of the tokens with which clients begin transfer sessions.
struct TransferTokenCheck: Sendable {
  let aspera: AsperaContext

  /// Returns the permissions of a session's token, or `nil` if the session may access all paths.
  ///
  /// - Throws: `TransferRefusal` if the token is missing, invalid or expired, or does not match the session.
  func permissions(
    forToken token: String?, tags: JSONValue?, account: LocalCloud.TransferAccount, direction: TransferDirection,
    at date: Timestamp
  ) throws(TransferRefusal) -> TransferPermissions? {
    guard let token, !token.isEmpty else {
      guard account.requiresToken else { return nil }
      throw Self.refusal("undefined token")
    }
    let node = tags?["aspera"]?["node"]
    if token.hasBytePrefix("Basic ") {
      let caller = try basicCaller(String(token.dropFirst("Basic ".count)))
      if let named = node?["access_key"]?.string, let key = caller.accessKey, !named.isIdentical(to: key.id) {
        throw Self.refusal("bad token Basic: the tags name another access key")
      }
      return try permissions(of: caller, fileID: node?["file_id"]?.code, account, direction, at: date)
    }
    if token.hasBytePrefix("Bearer ") {
      guard let accessKey = node?["access_key"]?.string, let fileID = node?["file_id"]?.code else {
        throw Self.refusal("tags missing: aspera.node.access_key and file_id; token authentication failed")
      }
      let caller = try bearerCaller(String(token.dropFirst("Bearer ".count)), accessKey, at: date)
      return try permissions(of: caller, fileID: fileID, account, direction, at: date)
    }
    guard let (permissions, expiration) = aspera.tokens.permissions(of: token) else {
      throw Self.refusal("token denied by server")
    }
    let secondsAfterExpiration = expiration.duration(to: date).components.seconds
    guard expiration > date else { throw Self.refusal("token expired \(secondsAfterExpiration) seconds ago") }
    guard permissions.direction == direction else {
      throw Self.refusal("the direction of the session, \(direction.rawValue), does not match the token")
    }
    guard permissions.user == account.user else {
      throw Self.refusal("the user name of the session, \(account.user), does not match the token")
    }
    return permissions
  }

  /// Returns the kind of a token, in the words of the Node API.
  static func kind(ofToken token: String?) -> String {
    guard let token, !token.isEmpty else { return "none" }
    if token.hasBytePrefix("Basic ") { return "basic_token" }
    return token.hasBytePrefix("Bearer ") ? "bearer_token" : "auth_token"
  }

  /// Throws an error unless a token grants access to a path; `nil` permissions grant access to all paths.
  static func requireAccess(to path: NodePath, with permissions: TransferPermissions?) throws(TransferRefusal) {
    guard let permissions, !permissions.covers(path) else { return }
    let text = path.relative(to: permissions.base).text
    throw refusal("the token does not match the file list: \(text) is not part of it")
  }

  /// Throws an error unless a folder exists or a token grants its creation; `nil` permissions do.
  func requireFolder(_ folder: NodePath, with permissions: TransferPermissions?) throws {
    guard permissions?.mayMakeFolders == false, try aspera.files.entry(at: folder) == nil else { return }
    throw Self.missingLevel("mkdir")
  }

  /// Returns the permissions on the folder of a file ID, or on the root of the access key.
  private func permissions(
    of caller: NodeCaller, fileID: String?, _ account: LocalCloud.TransferAccount, _ direction: TransferDirection,
    at date: Timestamp
  ) throws(TransferRefusal) -> TransferPermissions {
    do {
      let files = try FileService(aspera, for: caller)
      var base = files.root
      if let fileID { base = try files.folder(fileID, for: [direction == .send ? .write : .read]).path }
      return TransferPermissions(
        direction: direction, user: account.user, accessKey: caller.accessKey?.id, creator: caller.userID, base: base,
        locations: [base],
        mayMakeFolders: files.levels(at: base).contains(.mkdir), mayDelete: files.levels(at: base).contains(.delete))
    } catch let error as ErrorResponse {
      throw Self.refusal("\(error.message) Token authentication failed")
    } catch {
      throw Self.refusal("the folder of the session cannot be found; token authentication failed")
    }
  }

  private func basicCaller(_ token: String) throws(TransferRefusal) -> NodeCaller {
    guard let bytes = [UInt8](base64: token), let pair = String(utf8: bytes),
      let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":")),
      let key = aspera.directory.accessKey(String(pair[..<colon])),
      key.secret == Secret(String(pair[pair.utf8.index(after: colon)...]))
    else { throw Self.refusal("bad token Basic") }
    return .accessKey(key)
  }

  private func bearerCaller(
    _ token: String, _ accessKey: String, at date: Timestamp
  ) throws(TransferRefusal) -> NodeCaller {
    do {
      return try aspera.directory.bearerCaller(token, for: accessKey, at: date)
    } catch .expired(let expiration) {
      throw TransferRefusal(
        .expiredToken, "Bearer token has expired: it ended at \(expiration.iso8601), now is \(date.iso8601)")
    } catch {
      throw Self.refusal("bad token Bearer: \(error.message)")
    }
  }

  static func missingLevel(_ name: String) -> TransferRefusal {
    refusal("the user does not have the access level \(name); token authorization failed")
  }

  static func refusal(_ text: String) -> TransferRefusal {
    TransferRefusal(.unauthorized, "The server refused the session: \(text)")
  }
}

/// The permissions that a transfer token grants.
struct TransferPermissions: Sendable {
  let direction: TransferDirection
  let user: String
  /// The ID of the access key that authorized the token, or `nil` if a node user did.
  let accessKey: String?
  let creator: String
  /// The folder of the session's paths: the root of the access key, or the folder of the session's file ID.
  let base: NodePath
  /// The paths that the token grants access to with everything below them, for writing if the direction is `send`.
  let locations: [NodePath]
  var mayMakeFolders = true
  var mayDelete = true

  func covers(_ path: NodePath) -> Bool { locations.contains { $0.contains(path) } }
}

/// The transfer tokens that the simulated node issued, with their permissions.
///
/// A token is retained for an hour after its expiration, unless the table is full, so that it is rejected as expired and not
/// as unknown.
package final class TransferTokenTable: Sendable {
  private static let retention = Duration.seconds(3600)

  private let tokens = ExpiringTable<(permissions: TransferPermissions, expiration: Timestamp)>(capacity: 20_000)

  /// A closure that receives every issued transfer token and access token, so that tests can search for leaked tokens.
  package static let watcher = Lock<(@Sendable (String) -> Void)?>(nil)

  /// Issues a transfer token with the given permissions, in the format of a real server.
  func issue(_ permissions: TransferPermissions, until expiration: Timestamp, at date: Timestamp) -> String {
    let token = "ATM2_AC" + RandomText.alphanumerics(76) + "_2MTA"
    tokens.insert((permissions, expiration), for: token, until: expiration.advanced(by: Self.retention), at: date)
    Self.watcher.withLock { $0 }?(token)
    return token
  }

  /// Returns the permissions of a token and its expiration, or `nil` if the table does not contain the token.
  func permissions(of token: String) -> (TransferPermissions, expiration: Timestamp)? { tokens.value(of: token) }
}
