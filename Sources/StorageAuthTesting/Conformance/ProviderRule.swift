// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The rules for a credential provider.
public enum ProviderRule: String, CaseIterable, Sendable {
  /// Errors, events and reports can name the source.
  case source = "the source has a name, on one line"
  /// The provider returns a credential.
  case credential = "it returns a credential"
  /// The returned credential is usable.
  case validity = "the credential has not expired when it is returned"
  /// The provider supports concurrent calls.
  case concurrency = "each of many concurrent calls returns a credential"
  /// The provider and the credential disclose no secret when they are displayed.
  case redaction = "no description, dump or mirror of the provider or the credential shows a secret"
  /// A failure states its remedy.
  case failure = "a failure names its source, has a message and a remedy, and does not have the code cancelled"
  /// A failure discloses no secret when it is displayed.
  case failureRedaction = "no description, dump or mirror of a failure shows a secret"
  /// A caller can cancel its wait.
  case cancellation = "cancelling the task ends a wait with the code cancelled"
}
