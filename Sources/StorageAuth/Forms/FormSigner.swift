/// Makes forms that carry their own authorization, with which a browser uploads straight to the service.
///
/// ```swift
/// let form = try signer.sign(policy, to: .oss(region: "cn-hangzhou"), with: key, in: .now)
/// ```
public protocol FormSigner<SigningCredential>: Sendable {
  /// What a form is signed with.
  associatedtype SigningCredential: Credential

  /// Signs a form.
  ///
  /// - Parameters:
  ///   - policy: What the form may upload.
  ///   - endpoint: Where the service is.
  ///   - credential: The credential.
  ///   - context: The time of the act.
  /// - Returns: The URL and the fields that a page needs.
  /// - Throws: A ``SigningError`` if the service cannot express the policy, the credential ends first, or it is
  ///   anonymous.
  func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> SignedForm
}
