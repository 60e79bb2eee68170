// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The authentication of Node API requests.
///
/// A request contains either Basic authorization with the credentials of a node user or access key, or a bearer token.
/// With a bearer token, the header `X-Aspera-AccessKey` contains the ID of the access key.
struct NodeAuthenticator: Sendable {
  let directory: NodeDirectory

  /// Returns the authenticated caller of a Node API request.
  ///
  /// - Throws: A 401 (Unauthorized) error response if the authorization is missing, unreadable or invalid.
  func caller(of call: InboundCall) throws(ErrorResponse) -> NodeCaller {
    guard let authorization = call.authorization else {
      throw Self.refusal("Send one Authorization header: Basic, or Bearer with X-Aspera-AccessKey.")
    }
    let parts = authorization.words(between: " ", atMost: 1).map(String.init)
    guard parts.count == 2 else { throw Self.refusal("The Authorization header cannot be read.") }
    switch parts[0].asciiLowercased {
    case "basic": return try basic(parts[1])
    case "bearer": return try bearer(parts[1], call.header("x-aspera-accesskey"), at: call.date)
    default: throw Self.refusal("The Node API supports only Basic and Bearer.")
    }
  }

  private func basic(_ text: String) throws(ErrorResponse) -> NodeCaller {
    guard let bytes = [UInt8](base64: text), let pair = String(validating: bytes, as: UTF8.self),
      let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { throw Self.refusal("The Basic authorization is not the Base64 of a name and a password.") }
    let name = String(pair[..<colon])
    let secret = Secret(String(pair[pair.index(after: colon)...]))
    if directory.isUser(name, secret) { return .user(name) }
    if let key = directory.accessKey(name), key.secret == secret { return .accessKey(key) }
    throw Self.refusal("The name or the password is wrong.")
  }

  private func bearer(_ text: String, _ accessKey: String?, at date: Timestamp) throws(ErrorResponse) -> NodeCaller {
    guard let accessKey else { throw Self.refusal("A bearer token needs the access key in X-Aspera-AccessKey.") }
    do {
      let caller = try BearerCheck(directory).caller(text, for: accessKey, at: date)
      return .bearer(caller.key, caller.user)
    } catch {
      throw Self.refusal(error.message)
    }
  }

  private static func refusal(_ message: String) -> ErrorResponse { .node(.unauthorized, message) }
}
