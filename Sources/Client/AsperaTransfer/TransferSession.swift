// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// A transfer session for a ``TransferQueue``, which consists of a specification, an account and a source of tokens.
///
/// ```swift
/// let session = TransferSession(
///   TransferSpec(.send, [TransferPath("/data/cat.jpg")], destinationRoot: "/photos"), account: account)
/// ```
public struct TransferSession: Sendable, Identifiable, Redacted {
  /// A source of tokens for a session.
  public enum TokenSource: Sendable {
    /// The session uses the queue's token issuer, or else the token in its specification, if there is one.
    case queueDefault
    /// The session uses a token that the caller already has.
    ///
    /// A queue with an issuer ignores this token, and requests a token from the issuer. In a queue without an issuer,
    /// the session ends when the server rejects the fixed token.
    case fixed(AsperaToken)
    /// The session uses the given token issuer instead of the queue's issuer.
    case issuer(any TokenIssuer)
  }

  /// The session ID, which identifies the session in events and in calls to the queue.
  public var id: String
  /// The transfer specification, which need not contain the account, the ports or the token.
  public var specification: TransferSpec
  /// The account for the transfer, or `nil` to use the queue's account.
  public var account: AsperaAccount?
  /// The source of tokens for the session.
  public var token: TokenSource
  /// Whether paths can be added to the running session until ``TransferQueue/finish(_:)`` is called.
  public var isPersistent: Bool

  /// Creates a transfer session that uses the given source of tokens.
  ///
  /// The parameters are the properties; without an ID, the session has a random one.
  public init(
    _ specification: TransferSpec, account: AsperaAccount? = nil, token: TokenSource = .queueDefault,
    isPersistent: Bool = false, id: String? = nil
  ) {
    self.id = id ?? String(UInt64.random(in: .min ... .max), radix: 16)
    self.specification = specification
    self.account = account
    self.token = token
    self.isPersistent = isPersistent
  }

  /// Creates a transfer session that has its own token issuer.
  ///
  /// The other parameters are those of the initializer with a source of tokens.
  public init(
    _ specification: TransferSpec, account: AsperaAccount? = nil, issuer: some TokenIssuer, isPersistent: Bool = false,
    id: String? = nil
  ) { self.init(specification, account: account, token: .issuer(issuer), isPersistent: isPersistent, id: id) }

  /// A description that contains the session's ID, direction, user and host.
  public var description: String { "TransferSession(\(id): \(specification.subject(for: account)))" }
}

extension TransferSpec {
  func subject(for account: AsperaAccount?) -> String {
    let user = account?.user ?? remoteUser
    let host = account?.host ?? remoteHost ?? "a server that the issuer names"
    return "\(direction?.rawValue ?? "transfer") aspera://\(user.map { "\($0)@" } ?? "")\(host)"
  }

  /// Returns the specification to send to a token issuer, which contains the account's host and user but no secrets.
  ///
  /// A host that the caller did not specify is left out, because a node returns the host that a request contains.
  func specificationForIssuer(of account: AsperaAccount?) -> TransferSpec {
    var request = withoutSecrets
    if let account, !account.isHostAssumed { request.remoteHost = account.host }
    request.remoteUser = account?.user ?? remoteUser
    return request
  }
}
