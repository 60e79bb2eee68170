public import AsperaAuth

/// A transfer that a queue carries out: what goes where, with which account, and where its token comes from.
///
/// ```swift
/// let session = TransferSession(
///   TransferSpec(.send, [TransferPath("/data/cat.jpg")], destinationRoot: "/photos"), account: account)
/// ```
public struct TransferSession: Sendable, Identifiable {
  /// Where the token of a session comes from.
  public enum Token: Sendable {
    /// The issuer of the queue, if it has one; otherwise the session has no token, unless one is in its specification.
    case none
    /// A token that is there already. A queue with an issuer asks the issuer all the same; a fixed token that the
    /// server refuses ends the session.
    case fixed(AsperaToken)
    /// An issuer of its own, which is asked instead of the one of the queue.
    case issuer(any TokenIssuer)
  }

  /// What the session is called, in events and in calls to the queue.
  public var id: String

  /// The transfer; account, ports and token need not be in it.
  public var specification: TransferSpec

  /// The account; the one of the queue if not given.
  public var account: AsperaAccount?

  /// Where the token comes from.
  public var token: Token

  /// Whether paths are added while the session runs, until it is finished by hand.
  public var isPersistent: Bool

  /// Describes a session.
  ///
  /// - Parameters:
  ///   - specification: The transfer.
  ///   - account: The account; the one of the queue if not given.
  ///   - token: Where the token comes from.
  ///   - isPersistent: Whether paths are added while the session runs, until it is finished by hand.
  ///   - id: What the session is called; something random if not given.
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

  /// Describes a session with an issuer of its own.
  ///
  /// - Parameters:
  ///   - specification: The transfer.
  ///   - account: The account; the one of the queue if not given.
  ///   - issuer: Who is asked for its tokens.
  ///   - isPersistent: Whether paths are added while the session runs, until it is finished by hand.
  ///   - id: What the session is called; something random if not given.
  public init(
    _ specification: TransferSpec, account: AsperaAccount? = nil, issuer: some TokenIssuer, isPersistent: Bool = false,
    id: String? = nil
  ) {
    self.init(specification, account: account, token: .issuer(issuer), isPersistent: isPersistent, id: id)
  }
}

extension TransferSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id, the direction, and where it goes.
  public var description: String { "TransferSession(\(id): \(specification.subject(for: account)))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the id alone.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension TransferSpec {
  /// What the transfer is, for people and events: no path and no secret is in it.
  func subject(for account: AsperaAccount?) -> String {
    let user = account?.user ?? remoteUser
    let host = account?.host ?? remoteHost ?? "a server that the issuer names"
    return "\(direction?.rawValue ?? "transfer") aspera://\(user.map { "\($0)@" } ?? "")\(host)"
  }

  /// The transfer as an issuer may see it: with the host and the user of the account, without secrets.
  func forIssuer(of account: AsperaAccount?) -> TransferSpec {
    var visible = withoutSecrets
    visible.remoteHost = account?.host ?? remoteHost
    visible.remoteUser = account?.user ?? remoteUser
    return visible
  }
}
