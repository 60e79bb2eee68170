/// What was found out about an account before anything started.
///
/// Nothing in it is secret.
public struct AccountReport: Sendable, Hashable {
  /// What the account logs in with.
  public enum Authentication: Sendable, Hashable {
    /// A password, of which nothing more can be known here.
    case password
    /// A private key.
    case privateKey(PrivateKeyReport)
  }

  /// What the account logs in with.
  public let authentication: Authentication

  /// What is no reason to refuse the account and worth knowing, each in a sentence.
  public let notes: [String]
}
