// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The hosts at which a request names its bucket in the path: single labels, and the domains of the configuration.
///
/// With the domain `storage.test`, a request to `storage.test/photos/a` names the bucket in the path, and one to
/// `photos.storage.test/a` in the host, as in the services' own domains.
struct PathHosts: Sendable {
  private let domains: Set<String>

  init(_ domains: [String] = []) { self.domains = Set(domains.map(\.asciiLowercased)) }

  /// Returns whether an authority has such a host; a missing or empty one counts as a single label.
  func contains(_ authority: String?) -> Bool {
    let host = hostWithoutPort(authority ?? "").asciiLowercased
    return !host.utf8.contains(UInt8(ascii: ".")) || domains.contains(host)
  }
}

/// A verifier that uses one verifier for the hosts with the bucket name in the path, and another for all other hosts.
struct HostDependentVerifier<Base: SignatureVerifier & FormVerifier>: SignatureVerifier, FormVerifier {
  /// A claim with the verifier that has read it.
  struct Claim: SignatureClaim {
    fileprivate let base: Base.Claim
    fileprivate let verifier: Base

    var accessKeyID: AccessKeyID { base.accessKeyID }
    var sessionToken: Secret? { base.sessionToken }
  }

  private let defaultVerifier, pathStyleVerifier: Base
  /// A closure that returns whether requests to an authority name the bucket in the path.
  private let usesPathStyle: @Sendable (_ authority: String) -> Bool

  init(_ defaultVerifier: Base, pathStyle: Base, at usesPathStyle: @escaping @Sendable (String) -> Bool) {
    (self.defaultVerifier, pathStyleVerifier, self.usesPathStyle) = (defaultVerifier, pathStyle, usesPathStyle)
  }

  func verifier(for request: HTTPRequest) -> Base {
    usesPathStyle(request.authority ?? "") ? pathStyleVerifier : defaultVerifier
  }

  func claim(in request: HTTPRequest) throws(VerificationError) -> Claim? {
    let verifier = verifier(for: request)
    return try verifier.claim(in: request).map { Claim(base: $0, verifier: verifier) }
  }

  func verify(_ claim: Claim, against key: AccessKey, at date: Timestamp) throws(VerificationError) -> VerifiedRequest {
    try claim.verifier.verify(claim.base, against: key, at: date)
  }

  // The signature of a form covers neither host nor path, so that any verifier fits.

  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim { try defaultVerifier.claim(in: form) }

  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm { try defaultVerifier.verify(form, against: key, at: date) }
}
