// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A source of credentials.
///
/// A provider may perform I/O and holds its own dependencies. It returns a credential that is valid now, or throws:
/// ``CredentialError/Code/notConfigured`` makes a chain continue with the next provider; any other error is a failure
/// that a chain must not hide. A provider fetches a credential on each call: caching is the task of a
/// ``CredentialCache``.
///
/// ```swift
/// struct Vault: CredentialProvider {
///   let source = "vault"
///   func credential() async throws(CredentialError) -> AccessKey { … }
/// }
/// ```
public protocol CredentialProvider<Value>: Sendable {
  /// The type of the credentials.
  associatedtype Value: Credential

  /// The name of the source, for errors, events and reports; without secrets.
  var source: String { get }

  /// Fetches a credential.
  ///
  /// - Returns: A credential that is valid when the function returns.
  /// - Throws: A ``CredentialError`` that names the source and the remedy.
  func credential() async throws(CredentialError) -> Value

  /// Fetches a credential, and the time by its issuer's clock.
  ///
  /// A provider that receives the issuer's time implements this function, so that a wrong clock on this machine neither
  /// shortens nor extends the lifetime of the credential. Other providers get a default implementation that calls
  /// ``credential()``.
  ///
  /// - Returns: A credential that is valid when the function returns.
  /// - Throws: A ``CredentialError`` that names the source and the remedy.
  func issue() async throws(CredentialError) -> IssuedCredential<Value>
}

extension CredentialProvider {
  /// The name of the type.
  public var source: String { "\(Self.self)" }

  /// Fetches a credential with ``credential()``; the issuer's time is not known.
  ///
  /// - Throws: The ``CredentialError`` that ``credential()`` throws.
  public func issue() async throws(CredentialError) -> IssuedCredential<Value> {
    IssuedCredential(try await credential())
  }
}

/// A credential with the time and the source of its issue, as far as they are known.
public struct IssuedCredential<Value: Credential>: Sendable {
  /// The credential.
  public let credential: Value

  /// The time by the issuer's clock when it issued the credential; `nil` if the issuer did not report it.
  public let issuerTime: Timestamp?

  /// The name of the source that issued the credential; `nil` if it is the provider that was called.
  public let source: String?

  /// Creates the result of a provider.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - issuerTime: The time by the issuer's clock when it issued the credential, or `nil` if it is not known.
  ///   - source: The name of the source, if the provider has several.
  public init(_ credential: Value, issuerTime: Timestamp? = nil, source: String? = nil) {
    self.credential = credential
    self.issuerTime = issuerTime
    self.source = source
  }
}

/// A provider that always returns the same credential.
public struct StaticCredentialProvider<Value: Credential>: CredentialProvider {
  private let value: Value

  /// The name of the source.
  public let source: String

  /// Creates a provider of a fixed credential.
  ///
  /// - Parameters:
  ///   - value: The credential.
  ///   - source: The name of the source.
  public init(_ value: Value, source: String = "fixed credential") {
    self.value = value
    self.source = source
  }

  /// Returns the credential that was passed to the initializer.
  ///
  /// - Throws: Never.
  public func credential() async throws(CredentialError) -> Value { value }
}
