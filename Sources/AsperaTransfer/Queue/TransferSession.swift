// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// A transfer for a ``TransferQueue``: its specification, its account, and the source of its token.
///
/// ```swift
/// let session = TransferSession(
///   TransferSpec(.send, [TransferPath("/data/cat.jpg")], destinationRoot: "/photos"), account: account)
/// ```
public struct TransferSession: Sendable, Identifiable {
  /// The source of a session's token.
  public enum Token: Sendable {
    /// The queue's issuer, if it has one; otherwise the token in the session's specification, if there is one.
    case none
    /// A token that the caller already has.
    ///
    /// A queue with an issuer requests a token from the issuer regardless of this one. Without an issuer, the session
    /// ends when the server rejects the fixed token.
    case fixed(AsperaToken)
    /// An issuer for this session, used instead of the queue's issuer.
    case issuer(any TokenIssuer)
  }

  /// The name of the session in events and in calls to the queue.
  public var id: String

  /// The transfer; it need not contain the account, the ports or the token.
  public var specification: TransferSpec

  /// The account, or `nil` to use the queue's account.
  public var account: AsperaAccount?

  /// The source of the session's token.
  public var token: Token

  /// A Boolean value that indicates whether paths can be added while the session runs, until the caller calls
  /// ``TransferQueue/finish(_:)``.
  public var isPersistent: Bool

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - specification: The transfer.
  ///   - account: The account, or `nil` to use the queue's account.
  ///   - token: The source of the session's token.
  ///   - isPersistent: Whether paths can be added while the session runs, until the caller finishes it.
  ///   - id: The name of the session, or `nil` for a random one.
  public init(
    _ specification: TransferSpec, account: AsperaAccount? = nil, token: Token = .none, isPersistent: Bool = false,
    id: String? = nil
  ) {
    self.id = id ?? String(UInt64.random(in: .min ... .max), radix: 16)
    self.specification = specification
    self.account = account
    self.token = token
    self.isPersistent = isPersistent
  }

  /// Creates a session with its own token issuer.
  ///
  /// - Parameters:
  ///   - specification: The transfer.
  ///   - account: The account, or `nil` to use the queue's account.
  ///   - issuer: The issuer that provides the session's tokens.
  ///   - isPersistent: Whether paths can be added while the session runs, until the caller finishes it.
  ///   - id: The name of the session, or `nil` for a random one.
  public init(
    _ specification: TransferSpec, account: AsperaAccount? = nil, issuer: some TokenIssuer, isPersistent: Bool = false,
    id: String? = nil
  ) {
    self.init(specification, account: account, token: .issuer(issuer), isPersistent: isPersistent, id: id)
  }
}

extension TransferSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The session's id, direction, user and host.
  public var description: String { "TransferSession(\(id): \(specification.subject(for: account)))" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows only the id, so that reflection does not print secrets.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension TransferSpec {
  /// Returns a description of the transfer for messages and events: direction, user and host, without paths and
  /// secrets.
  func subject(for account: AsperaAccount?) -> String {
    let user = account?.user ?? remoteUser
    let host = account?.host ?? remoteHost ?? "a server that the issuer names"
    return "\(direction?.rawValue ?? "transfer") aspera://\(user.map { "\($0)@" } ?? "")\(host)"
  }

  /// Returns the specification that an issuer receives: with the account's host and user, without secrets.
  func forIssuer(of account: AsperaAccount?) -> TransferSpec {
    var visible = withoutSecrets
    visible.remoteHost = account?.host ?? remoteHost
    visible.remoteUser = account?.user ?? remoteUser
    return visible
  }
}
