// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
package import StorageAuth

/// The check of the tokens with which clients begin transfer sessions.
struct TransferTokenCheck: Sendable {
  let aspera: AsperaContext

  /// Returns the permissions of a session's token, or `nil` if the session may access all paths.
  func permissions(
    forToken token: String?, tags: JSONValue?, account: LocalCloud.TransferAccount, direction: TransferDirection,
    at date: Timestamp
  ) throws(TransferRefusal) -> TransferPermissions? {
    guard let token, !token.isEmpty else {
      guard account.requiresToken else { return nil }
      throw Self.refusal("undefined token")
    }
    let node = tags?["aspera"]?["node"]
    if let base64 = token.removingBytePrefix("Basic ") {
      let key = try basicKey(String(base64))
      if let named = node?["access_key"]?.string, !named.isIdentical(to: key.id) {
        throw Self.refusal("bad token Basic: the tags name another access key")
      }
      return try permissions(of: .accessKey(key), fileID: node?["file_id"]?.code, account, direction, at: date)
    }
    if let bearerToken = token.removingBytePrefix("Bearer ") {
      guard let accessKey = node?["access_key"]?.string, let fileID = node?["file_id"]?.code else {
        throw Self.refusal("tags missing: aspera.node.access_key and file_id; token authentication failed")
      }
      let caller = try bearerCaller(String(bearerToken), accessKey, at: date)
      return try permissions(of: caller, fileID: fileID, account, direction, at: date)
    }
    let issued = aspera.tokens.permissions(of: token)
    guard let (permissions, expiration) = issued else { throw Self.refusal("token denied by server") }
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

  static func kind(ofToken token: String?) -> String {
    guard let token, !token.isEmpty else { return "none" }
    if token.hasBytePrefix("Basic ") { return "basic_token" }
    return token.hasBytePrefix("Bearer ") ? "bearer_token" : "auth_token"
  }

  /// Throws unless a token grants access to a path; `nil` permissions grant access to all paths.
  static func requireAccess(to path: NodePath, with permissions: TransferPermissions?) throws(TransferRefusal) {
    guard let permissions, !permissions.covers(path) else { return }
    let text = path.relative(to: permissions.base).text
    throw refusal("the token does not match the file list: \(text) is not part of it")
  }

  /// Throws unless a folder exists or a token grants its creation, as `nil` permissions do.
  func requireFolder(_ folder: NodePath, with permissions: TransferPermissions?) throws {
    guard permissions?.mayMakeFolders == false, try aspera.files.entry(at: folder) == nil else { return }
    throw Self.missingLevel("mkdir")
  }

  private func permissions(
    of caller: NodeCaller, fileID: String?, _ account: LocalCloud.TransferAccount, _ direction: TransferDirection,
    at date: Timestamp
  ) throws(TransferRefusal) -> TransferPermissions {
    do {
      let files = try FileService(aspera, for: caller)
      var base = files.root
      if let fileID { base = try files.folder(fileID, requiring: [direction == .send ? .write : .read]).path }
      return TransferPermissions(
        direction: direction, user: account.user, accessKey: caller.accessKey?.id, creator: caller.userID, base: base,
        locations: [base], mayMakeFolders: files.levels(at: base).contains(.mkdir),
        mayDelete: files.levels(at: base).contains(.delete))
    } catch let error as ErrorResponse {
      throw Self.refusal("\(error.message) Token authentication failed")
    } catch {
      throw Self.refusal("the folder of the session cannot be found; token authentication failed")
    }
  }

  private func basicKey(_ base64: String) throws(TransferRefusal) -> LocalCloud.NodeAccessKey {
    guard let credential = BasicCredential(base64: base64), let key = aspera.directory.accessKey(credential.name),
      key.secret == credential.password
    else { throw Self.refusal("bad token Basic") }
    return key
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

/// The permissions of a session of the transfer server.
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
/// Unless the table is full, a token stays for an hour after its expiration, so that it is rejected as expired.
package final class TransferTokenTable: Sendable {
  private static let retention = Duration.seconds(3600)
  private let tokens = ExpiringTable<(permissions: TransferPermissions, expiration: Timestamp)>(capacity: 20_000)
  /// A closure that receives every issued transfer token and access token, so that tests can search for leaks.
  package static let watcher = Lock<(@Sendable (String) -> Void)?>(nil)

  func issue(_ permissions: TransferPermissions, until expiration: Timestamp, at date: Timestamp) -> String {
    let token = "ATM2_AC" + RandomText.alphanumerics(76) + "_2MTA"
    tokens.insert((permissions, expiration), for: token, until: expiration.advanced(by: Self.retention), at: date)
    Self.watcher.withLock { $0 }?(token)
    return token
  }

  func permissions(of token: String) -> (TransferPermissions, expiration: Timestamp)? { tokens.value(of: token) }
}
