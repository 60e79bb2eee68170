// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer of upload forms, with which a browser uploads a file directly to the storage service.
///
/// A signed form contains its own authorization.
///
/// ```swift
/// let form = try signer.sign(policy, to: .oss(region: "cn-hangzhou"), with: key, in: .now)
/// ```
public protocol FormSigner<SigningCredential>: Sendable {
  /// The type of the credentials that sign forms.
  associatedtype SigningCredential: Credential

  /// Creates a signed upload form.
  ///
  /// - Parameters:
  ///   - policy: The upload that the form permits.
  ///   - endpoint: The endpoint of the service that receives the form.
  ///   - credential: The credential that signs the form.
  ///   - context: The time of signing.
  /// - Returns: The URL and the fields for a web page.
  /// - Throws: A ``SigningError`` for a policy that the service cannot express, or an anonymous or expiring credential.
  func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> SignedForm
}
