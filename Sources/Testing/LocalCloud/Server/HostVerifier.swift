// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The hosts at which a request names its bucket in the path: single labels, and the domains of the configuration.
///
/// At a host below one of them, the first label is the bucket name, as at a host below any other domain.
struct PathHosts: Sendable {
  private let domains: Set<String>

  init(_ domains: [String] = []) { self.domains = Set(domains.map(\.asciiLowercased)) }

  func contains(_ authority: String?) -> Bool {
    let host = hostWithoutPort(authority ?? "").asciiLowercased
    return !host.utf8.contains(UInt8(ascii: ".")) || domains.contains(host)
  }
}

/// A verifier that expects the bucket name in the path at some hosts, and at others as its base does by itself.
struct HostVerifier<Base: SignatureVerifier & FormVerifier>: SignatureVerifier, FormVerifier {
  /// A claim with the verifier that has read it.
  struct Claim: SignatureClaim {
    fileprivate let base: Base.Claim
    fileprivate let verifier: Base

    var accessKeyID: AccessKeyID { base.accessKeyID }
    var sessionToken: Secret? { base.sessionToken }
  }

  private let usual, inPath: Base
  private let isInPath: @Sendable (String) -> Bool

  init(_ usual: Base, inPath: Base, at isInPath: @escaping @Sendable (String) -> Bool) {
    (self.usual, self.inPath, self.isInPath) = (usual, inPath, isInPath)
  }

  func verifier(for request: HTTPRequest) -> Base { isInPath(request.authority ?? "") ? inPath : usual }

  func claim(in request: HTTPRequest) throws(VerificationError) -> Claim? {
    let verifier = verifier(for: request)
    return try verifier.claim(in: request).map { Claim(base: $0, verifier: verifier) }
  }

  func verify(_ claim: Claim, against key: AccessKey, at date: Timestamp) throws(VerificationError) -> VerifiedRequest {
    try claim.verifier.verify(claim.base, against: key, at: date)
  }

  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim { try usual.claim(in: form) }

  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm { try usual.verify(form, against: key, at: date) }
}
