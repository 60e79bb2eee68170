// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

/// A verifier of the tokens with which clients begin transfer sessions.
struct TransferTokenCheck: Sendable {
  let aspera: AsperaContext

  /// Verifies the transfer token of a session and returns its permissions.
  ///
  /// - Parameters:
  ///   - token: The token, or `nil` if the session has no token.
  ///   - tags: The tags of the session.
  ///   - account: The account that logged in.
  ///   - direction: The direction of the transfer, from the client's point of view.
  ///   - date: The current time.
  /// - Returns: The permissions of the token, or `nil` if the session may access all paths.
  /// - Throws: `TransferRefusal` if the token is missing, invalid or expired, or does not match the session.
  func claim(
    _ token: String?, tags: JSONValue?, account: LocalCloud.TransferAccount, _ direction: TransferDirection,
    at date: Timestamp
  ) throws(TransferRefusal) -> TransferClaim? {
    guard let token, !token.isEmpty else {
      guard account.requiresToken else { return nil }
      throw Self.refusal("undefined token")
    }
    if token.hasBytePrefix("Basic ") {
      try checkBasic(String(token.dropFirst("Basic ".count)))
      return nil
    }
    if token.hasBytePrefix("Bearer ") {
      try checkBearer(String(token.dropFirst("Bearer ".count)), tags, at: date)
      return nil
    }
    guard let claim = aspera.tokens.claim(of: token) else { throw Self.refusal("token denied by server") }
    guard claim.end > date else {
      let seconds = claim.end.duration(to: date).components.seconds
      throw Self.refusal("token expired \(seconds) seconds ago")
    }
    guard claim.direction == direction else {
      throw Self.refusal("the direction of the session, \(direction.rawValue), does not match the token")
    }
    guard claim.user == account.user else {
      throw Self.refusal("the user name of the session, \(account.user), does not match the token")
    }
    return claim
  }

  /// Checks that a token grants access to a path; `nil` permissions grant access to all paths.
  ///
  /// - Throws: `TransferRefusal` if the token doesn't grant access to the path.
  static func check(_ path: NodePath, against claim: TransferClaim?) throws(TransferRefusal) {
    guard let claim, !claim.covers(path) else { return }
    throw refusal("the token does not match the file list: \(path.text) is not part of it")
  }

  private func checkBasic(_ text: String) throws(TransferRefusal) {
    guard let bytes = [UInt8](base64: text), let pair = String(validating: bytes, as: UTF8.self),
      let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":")),
      let key = aspera.directory.accessKey(String(pair[..<colon])),
      key.secret == Secret(String(pair[pair.index(after: colon)...]))
    else { throw Self.refusal("bad token Basic") }
  }

  private func checkBearer(_ text: String, _ tags: JSONValue?, at date: Timestamp) throws(TransferRefusal) {
    let node = tags?["aspera"]?["node"]
    guard let accessKey = node?["access_key"]?.string, node?["file_id"]?.code != nil else {
      throw Self.refusal("tags missing: aspera.node.access_key and file_id; token authentication failed")
    }
    switch BearerCheck(aspera.directory).problem(of: text, for: accessKey, at: date) {
    case nil: return
    case .expired(let end)?:
      throw TransferRefusal(37, "Bearer token has expired: it ended at \(end.iso8601), now is \(date.iso8601)")
    case let problem?: throw Self.refusal("bad token Bearer: \(problem.message)")
    }
  }

  private static func refusal(_ text: String) -> TransferRefusal {
    TransferRefusal(34, "The server refused the session: \(text)")
  }
}
