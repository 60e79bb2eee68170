// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The verifiers of the signature schemes that a middleware accepts.
struct AcceptedSchemes: Sendable {
  /// The verifier whose error codes are those of a request without an authorization.
  let primary: any SignatureVerifier
  private let verifiers: [any SignatureVerifier]

  init(primary: any SignatureVerifier, others: [any SignatureVerifier]) {
    self.primary = primary.acceptingPayloadHashes
    verifiers = [self.primary] + others.map { $0.acceptingPayloadHashes }
  }

  /// Returns the verifier that recognizes a request, and all other verifiers.
  func verifier(
    for request: HTTPRequest
  ) throws(VerificationError) -> (verifier: any SignatureVerifier, others: [any SignatureVerifier]) {
    // A single verifier itself refuses the requests that it does not recognize.
    guard verifiers.count > 1 else { return (primary, []) }
    var matching: (any SignatureVerifier)?
    var others: [any SignatureVerifier] = []
    for verifier in verifiers {
      guard try verifier.recognizes(request) else {
        others.append(verifier)
        continue
      }
      guard matching == nil else { throw .ambiguous("The request carries authorizations of more than one scheme.") }
      matching = verifier
    }
    if let matching { return (matching, others) }
    guard (request.headerFields[.authorization] ?? "").isEmpty else {
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not one that is accepted here.",
        remedy: "Sign the request by a scheme that the service documents.")
    }
    throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
  }

  /// Rejects unsigned headers and parameters that have an effect in another scheme than the request's own.
  ///
  /// An OSS signature does not cover `x-cos-` headers, so a handler of both schemes would act on headers added later.
  static func requireSignedControls(
    of others: [any SignatureVerifier], in request: HTTPRequest, _ verified: VerifiedRequest
  ) throws(VerificationError) {
    let prefixes = others.flatMap(\.controlPrefixes)
    guard !prefixes.isEmpty else { return }
    for field in request.headerFields where !verified.signedHeaders.contains(field.name.canonicalName) {
      try requireNoPrefix(among: prefixes, inUnsigned: "header", named: field.name.canonicalName, of: verified)
    }
    for parameter in verified.unsignedParameters {
      try requireNoPrefix(among: prefixes, inUnsigned: "parameter", named: parameter.name.string, of: verified)
    }
  }

  private static func requireNoPrefix(
    among prefixes: [String], inUnsigned kind: String, named name: String, of verified: VerifiedRequest
  ) throws(VerificationError) {
    let lowercasedName = name.utf8.lazy.map(asciiLowercased)
    for prefix in prefixes where lowercasedName.starts(with: prefix.utf8) {
      throw VerificationError(
        .unsignedField, "A \(kind) that starts with \(prefix) is not signed.", remedy: "Sign it, or leave it out."
      ).with(accessKeyID: verified.accessKeyID)
    }
  }
}
