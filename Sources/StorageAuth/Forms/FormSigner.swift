// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer of forms that carry their own authorization, with which a browser uploads directly to the service.
///
/// ```swift
/// let form = try signer.sign(policy, to: .oss(region: "cn-hangzhou"), with: key, in: .now)
/// ```
public protocol FormSigner<SigningCredential>: Sendable {
  /// The type of credential that signs a form.
  associatedtype SigningCredential: Credential

  /// Signs a form.
  ///
  /// - Parameters:
  ///   - policy: The form policy.
  ///   - endpoint: The endpoint of the service.
  ///   - credential: The credential.
  ///   - context: The time of signing.
  /// - Returns: The URL and the fields for a web page.
  /// - Throws: A ``SigningError`` if the service cannot express the policy, or if the credential is anonymous or
  ///   expires before the form.
  func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> SignedForm
}
