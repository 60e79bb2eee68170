// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A signer of a storage service's strings to sign, together with the provider of the signing key.
///
/// ```swift
/// let oss = SigningAccount(OSSStringSigner(region: "cn-hangzhou"), credentials: CredentialCache(.alibabaDefault))
/// ```
public struct SigningAccount: Sendable {
  /// The signer, which parses each string to sign before it signs the string.
  public let signer: any StringSigner

  let credentials: any CredentialProvider<AccessKey>

  /// Creates an account from a signer and a provider of its key.
  ///
  /// - Parameters:
  ///   - signer: The signer, which parses each string to sign before it signs the string.
  ///   - credentials: The provider of the signing key. Wrap a slow provider in a `CredentialCache`.
  public init(_ signer: some StringSigner, credentials: some CredentialProvider<AccessKey>) {
    self.signer = signer
    self.credentials = credentials
  }
}
