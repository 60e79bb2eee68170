// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rule that an implementation of `CredentialProvider` must follow.
public enum ProviderRule: String, CaseIterable, Sendable {
  /// The provider has a source name that errors, events and reports can contain.
  case source = "the source has a name, on one line"
  /// The provider returns a credential.
  case credential = "it returns a credential"
  /// The provider returns a credential that has not expired.
  case validity = "the credential has not expired when it is returned"
  /// The provider supports concurrent calls.
  case concurrency = "each of many concurrent calls returns a credential"
  /// The provider and the credential disclose no secret when they are displayed.
  case redaction = "no description, dump or mirror of the provider or the credential shows a secret"
  /// The provider's errors describe how to fix the problem.
  case failure = "a failure names its source, has a message and a remedy, and does not have the code cancelled"
  /// The provider's errors disclose no secret when they are displayed.
  case failureRedaction = "no description, dump or mirror of a failure shows a secret"
  /// The provider stops waiting when the caller's task is cancelled.
  case cancellation = "cancelling the task ends a wait with the code cancelled"
}
