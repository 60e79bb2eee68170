/// What a server said to an account.
public enum AscpLogin: Sendable, Hashable {
  /// It takes the account; a token may still be wanted for a transfer.
  case accepted
  /// The login failed, or did not come to an answer: why.
  case refused(TransferFailure)
}
