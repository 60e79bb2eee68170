// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A signer of one service's strings to sign, with the provider of its key.
///
/// ```swift
/// let oss = SigningAccount(OSSStringSigner(region: "cn-hangzhou"), credentials: CredentialCache(.alibabaDefault))
/// ```
public struct SigningAccount: Sendable {
  /// The signer, which parses strings to sign before it signs them.
  public let signer: any StringSigner

  let credentials: any CredentialProvider<AccessKey>

  /// Creates an account.
  ///
  /// - Parameters:
  ///   - signer: The signer, which parses strings to sign before it signs them.
  ///   - credentials: The provider of the signing key; wrap a slow provider in a `CredentialCache`.
  public init(_ signer: some StringSigner, credentials: some CredentialProvider<AccessKey>) {
    self.signer = signer
    self.credentials = credentials
  }
}
