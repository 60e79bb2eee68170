/// What a failure of ascp means for whoever decides what follows.
public enum AscpFailureClass: String, Sendable, Hashable, CaseIterable {
  /// The server does not take the account; neither another token nor waiting helps.
  case account
  /// The host key is not the expected one. Never tried again.
  case hostKey
  /// The token has ended; a new one helps.
  case tokenExpired
  /// The server refuses the token; a new one can help.
  case tokenRejected
  /// The server wants a token and saw none; one can help.
  case tokenMissing
  /// The user may not do this, or the token is for another user, direction or list of files; another token of the same
  /// kind does not help.
  case authorizationDenied
  /// The network or the server failed for a moment; the same again can help.
  case transport
  /// The transfer cannot work as it was asked for.
  case caller
  /// A licence, of ascp or of the server, does not allow it.
  case license
  /// Something else, which trying again does not cure.
  case other

  /// Whether the same transfer with the same token can succeed a little later.
  public var isRetryable: Bool { self == .transport }
}
