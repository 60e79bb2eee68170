// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential provider that always returns the same credential.
public struct StaticCredentialProvider<Value: Credential>: CredentialProvider {
  private let credential: Value
  /// The name of the credential's source, for errors and events.
  public let source: String

  /// Creates a provider that always returns the same credential; the parameters are the properties.
  public init(_ credential: Value, source: String = "fixed credential") {
    self.credential = credential
    self.source = source
  }

  /// Returns the credential of the initializer, without using the context.
  ///
  /// - Throws: No error.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    IssuedCredential(credential)
  }
}
