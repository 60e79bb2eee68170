public import StorageAuth

/// A service that issues tokens for transfers.
///
/// A queue asks it when a session is activated, and again when a token is too short-lived or the server no longer takes
/// it.
public protocol TokenIssuer: Sendable {
  /// The name of the service, for errors and events; without secrets.
  var source: String { get }

  /// Issues a token.
  ///
  /// - Parameter request: What it is for, and why it is needed.
  /// - Returns: The grant, and the issuer's time where it said it.
  /// - Throws: A `CredentialError` that names the service and what to do.
  func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant>
}

/// What a token is needed for.
public struct TokenRequest: Sendable, Equatable {
  /// Why a token is needed.
  public enum Reason: String, Sendable, Hashable {
    /// The session begins.
    case initial
    /// The last token has ended, or ends too soon.
    case expired
    /// The server refused the last token.
    case rejected
    /// The server wants a token and there was none.
    case missing
  }

  /// The session.
  public var session: String

  /// The transfer, without secrets.
  public var specification: TransferSpec

  /// Why a token is needed.
  public var reason: Reason

  /// How often a token was asked for in this session, this time included.
  public var attempt: Int

  /// Makes a request.
  public init(session: String, specification: TransferSpec, reason: Reason = .initial, attempt: Int = 1) {
    self.session = session
    self.specification = specification
    self.reason = reason
    self.attempt = attempt
  }
}
