/// The result of a login test.
public enum AscpLogin: Sendable, Hashable {
  /// The server accepts the account; it may still require a token for a transfer.
  case accepted
  /// The login failed or was not completed; contains the reason.
  case refused(TransferFailure)
}
