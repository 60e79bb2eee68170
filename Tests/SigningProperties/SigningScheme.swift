package import HTTPTypes
package import StorageAuth

/// A way of signing with everything that the properties of all of them need.
package struct SigningScheme<
  Signing: SplitSigner<AccessKey> & Presigner<AccessKey>, Verifying: SignatureVerifier
>: Sendable where Signing.Request == HTTPRequest {
  package let name: String
  package let signer: Signing
  package let verifier: Verifying
  package let endpoint: ServiceEndpoint
  package let bucket: String
  /// What requests of this scheme can carry.
  package let vocabulary: Vocabulary
  /// The signature that a server with the secret makes of a pending one, with code that the package does not use.
  package let remoteSignature: @Sendable (PendingSignature, String) -> String

  package init(
    _ name: String, signer: Signing, verifier: Verifying, endpoint: ServiceEndpoint, bucket: String,
    vocabulary: Vocabulary, remoteSignature: @escaping @Sendable (PendingSignature, String) -> String
  ) {
    self.name = name
    self.signer = signer
    self.verifier = verifier
    self.endpoint = endpoint
    self.bucket = bucket
    self.vocabulary = vocabulary
    self.remoteSignature = remoteSignature
  }

  /// Verifies a request that has to carry an authorization.
  package func verify(
    _ request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let claim = try verifier.claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign it.")
    }
    return try verifier.verify(claim, of: request, against: key, at: date)
  }
}

/// The names that a scheme signs.
package struct Vocabulary: Sendable {
  /// Parameters that are signed.
  package let parameters: [String]
  /// Headers that are signed.
  package let headers: [String]

  package init(parameters: [String], headers: [String]) {
    self.parameters = parameters
    self.headers = headers
  }
}

/// What a property found to be wrong.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws unless something holds.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(message()) }
}
