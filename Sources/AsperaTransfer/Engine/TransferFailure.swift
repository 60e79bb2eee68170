public import AsperaAuth
public import StorageAuth

/// Why a transfer failed: the engine's own code and text, what that means, and what to do about it.
///
/// No secret and no token is in it.
public struct TransferFailure: Error, Sendable, Hashable {
  /// What the failure means for a queue.
  public enum Kind: Sendable, Hashable {
    /// The server does not take the account: wrong password, key or passphrase. A new token does not help.
    case account
    /// The host key is not the expected one. Never tried again.
    case hostKey
    /// The server does not take the token, or wants one; another one can help.
    case token(TokenRequest.Reason)
    /// The token is for something else, or the user may not do this; another token does not help.
    case authorization
    /// The network or the server failed for a moment; trying again can help.
    case transport
    /// The transfer cannot work as it was asked for: a file that is missing, a usage error.
    case caller
    /// The licence of the engine or the server does not allow it.
    case license
    /// The issuer of tokens gave none.
    case issuer(CredentialError)
    /// It was cancelled.
    case cancelled
    /// Something else.
    case other
  }

  /// What it means.
  public let kind: Kind

  /// The code of the engine, such as 19, where there is one.
  public let code: Int?

  /// What happened, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes a failure; for engines.
  public init(_ kind: Kind, code: Int? = nil, _ message: String, remedy: String) {
    self.kind = kind
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }
}

extension TransferFailure: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String {
    "\(code.map { "\($0): " } ?? "")\(message) \(remedy)"
  }
}
