// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
package import StorageAuthTesting

/// A signer, a presigner and a verifier with everything that the property tests require.
package struct SigningScheme<
  Signing: TwoStepSigner<AccessKey> & Presigner<AccessKey>, Verifying: SignatureVerifier
>: Sendable where Signing.Request == HTTPRequest {
  package let name: String
  package let signer: Signing
  package let verifier: Verifying
  /// The source of the requests.
  package let maker: SampleMaker
  /// Computes the signature of a pending one as a server with the secret does, with code independent of the package.
  package let remoteSignature: @Sendable (PendingSignature, String) -> String

  package init(
    _ name: String, signer: Signing, verifier: Verifying, maker: SampleMaker,
    remoteSignature: @escaping @Sendable (PendingSignature, String) -> String
  ) {
    self.name = name
    self.signer = signer
    self.verifier = verifier
    self.maker = maker
    self.remoteSignature = remoteSignature
  }

  /// Verifies a request that must carry an authorization.
  package func verify(
    _ request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let claim = try verifier.claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign it.")
    }
    return try verifier.verify(claim, against: key, at: date)
  }
}

/// A violation that a property test found.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
