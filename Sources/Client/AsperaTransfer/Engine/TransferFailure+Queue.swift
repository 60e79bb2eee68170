// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

extension TransferFailure {
  package static let cancelled = TransferFailure(
    .cancelled, "The session was cancelled.", remedy: "Run it again if it is still needed.")

  static let tokenRequired = TransferFailure(
    .token(.missing), "The account requires a token for each transfer; the session has neither a token nor an issuer.",
    remedy: "Give the session a token or an issuer, or the queue an issuer.")

  static let endedEarly = TransferFailure(
    .transport, "The engine ended a persistent session before it was finished.",
    remedy: "Look at the engine's log; the server may end sessions that are idle.")

  package static let undividable = TransferFailure(
    .caller, "The transfer specification has multi_session, and a persistent session cannot be divided into several.",
    remedy: "Leave multi_session out, or add the paths before the session starts.")

  static func tokensTooShort(_ count: Int) -> TransferFailure {
    TransferFailure(
      .token(.expired), "\(count) consecutive tokens had become too short-lived before the transfer could start.",
      remedy: "Let the issuer give tokens a longer lifetime, or reduce startSpacing and tokenMargin of the queue.")
  }

  /// Returns the failure of a session whose fixed token expired before the transfer started.
  static func fixedTokenEnded(_ expiration: Timestamp?) -> TransferFailure {
    TransferFailure(
      .token(.expired),
      "The token of the session expired\(expiration.map { " at \($0)" } ?? ""), before the transfer began.",
      remedy: "Give the session an issuer, which can provide another token.")
  }

  static func unsignable(_ error: SigningError) -> TransferFailure {
    TransferFailure(.caller, "The transfer cannot be signed: \(error.message)", remedy: error.remedy)
  }

  init(issuer error: CredentialError) {
    self.init(.issuer(error), "\(error.source) provided no token: \(error.message)", remedy: error.remedy)
  }

  /// Returns the same failure with a count, such as the number of retries, appended to its message.
  func after(_ count: Int, _ what: String) -> TransferFailure {
    TransferFailure(kind, code: code, "\(message) \(count) \(what).", remedy: remedy)
  }

  /// The same failure with advice for a session that has a fixed token and no issuer.
  var withoutIssuer: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The session has a fixed token and no issuer.",
      remedy: "\(remedy) A session with an issuer gets another token automatically.")
  }

  /// The same failure with advice for a transfer whose bearer token lacks the tags that it needs.
  var withoutTags: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The token is a bearer token, and the tags do not name its access key.",
      remedy: "Set aspera.node.access_key and aspera.node.file_id in the tags: a server checks bearer tokens by them.")
  }

  /// The same failure with advice for the case that the server accepted the account before and several sessions are
  /// active.
  var underBurst: TransferFailure {
    TransferFailure(
      kind, code: code, "\(message) The server accepted this account before, and several sessions are active.",
      remedy: "\(remedy) If the account is right, the server may limit simultaneous logins: increase startSpacing.")
  }

  /// Whether the server rejected the token or what the token authorizes.
  var isAboutToken: Bool {
    switch kind {
    case .token, .authorization: true
    default: false
    }
  }
}
