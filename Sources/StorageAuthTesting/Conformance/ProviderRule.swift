/// What a provider of credentials has to keep.
public enum ProviderRule: String, CaseIterable, Sendable {
  /// Errors, events and reports can name the source.
  case source = "the source has a name, in one line"
  /// The provider works at all.
  case credential = "it gives a credential"
  /// What it gives can be used.
  case validity = "the credential has not ended when it is given"
  /// Many can ask at once.
  case concurrency = "each of many concurrent calls gets a credential"
  /// What is shown holds no secret.
  case redaction = "no description, dump or mirror of the provider or the credential shows a secret"
  /// A failure says what to do.
  case failure = "a failure names its source, says what is wrong and what to do, and is not called cancelled"
  /// What is shown of a failure holds no secret.
  case failureRedaction = "no description, dump or mirror of a failure shows a secret"
  /// Who does not want to wait any longer need not.
  case cancellation = "cancelling the task ends a wait with the code cancelled"
}
