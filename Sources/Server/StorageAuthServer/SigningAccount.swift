// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer of a storage service's strings to sign, together with the provider of the signing key.
///
/// ```swift
/// let oss = SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: CredentialCache(.alibabaDefault))
/// ```
public struct SigningAccount: Sendable {
  /// The signer, which parses each string to sign before it signs the string.
  public let signer: any StringToSignSigner

  let credentials: any CredentialProvider<AccessKey>
  let context: ProviderContext

  /// Creates an account from a signer and a provider of its key.
  ///
  /// - Parameters:
  ///   - signer: The signer, which parses each string to sign before it signs the string.
  ///   - credentials: The provider of the signing key. Wrap a slow provider in a `CredentialCache`.
  ///   - context: The context of a provider that is not a cache. The default has no network.
  public init(
    _ signer: some StringToSignSigner, credentials: some CredentialProvider<AccessKey>,
    in context: ProviderContext = .local
  ) {
    self.signer = signer
    self.credentials = credentials
    self.context = context
  }
}
