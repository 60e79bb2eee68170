// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuthServer

/// The reason why a Redis server has not run a command, or has not confirmed it.
enum RedisFailure: Error, Sendable, Hashable {
  /// The server cannot be reached, or refused the connection; the text describes why.
  case unreachable(String)
  /// The server did not answer in time.
  case timeout
  /// The connection was lost before the reply.
  case closed
  /// Too many commands wait for their replies.
  case busy
  /// The server answered with an error; the text is its first word, such as `NOAUTH`.
  case refused(String)
  /// The reply is not what the command returns.
  case malformed

  /// Creates a failure from an error reply, of which only the code is kept.
  init(reply: String) {
    self = .refused(String(reply.prefix { $0.isASCII && ($0.isUppercase || $0 == "_") }.prefix(32)))
  }

  private var reason: String {
    switch self {
    case .unreachable(let reason): "cannot be reached: \(reason)"
    case .timeout: "did not answer in time"
    case .closed: "closed the connection"
    case .busy: "has not answered too many commands"
    case .refused(let code): "answered with the error \(code.isEmpty ? "ERR" : code)"
    case .malformed: "sent a reply that is not in the protocol"
    }
  }

  /// Returns the error that a store throws because of the failure.
  func storeError(_ server: String) -> StoreError {
    StoreError(
      "Redis at \(server) \(reason).", remedy: "Check that the server runs, that the address and password are right.")
  }
}
