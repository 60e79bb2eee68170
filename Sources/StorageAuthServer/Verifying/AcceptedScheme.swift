public import COSAuth
internal import HTTPTypes
public import OSSAuth
internal import StorageAuth
internal import StorageCrypto

/// A kind of signature that a ``SignatureMiddleware`` accepts: what verifies it, and how its service refuses.
public struct AcceptedScheme: Sendable {
  typealias KeyLookup = @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?

  let service: VerificationAnswers.Service
  let controlPrefixes: [String]
  let recognizes: @Sendable (HTTPRequest) throws(VerificationError) -> Bool
  let verify: @Sendable (HTTPRequest, Timestamp, KeyLookup) async throws -> VerifiedRequest

  private init(_ verifier: some SignatureVerifier, of service: VerificationAnswers.Service) {
    self.service = service
    controlPrefixes = verifier.controlPrefixes
    recognizes = { request throws(VerificationError) in try verifier.recognizes(request) }
    verify = { try await verifier.verify($0, at: $1, keys: $2) }
  }

  /// Accepts signatures of OSS; the middleware checks a body against its `x-oss-content-sha256`.
  public static func oss(_ verifier: OSSVerifier) -> AcceptedScheme {
    AcceptedScheme(verifier.acceptingPayloadHashes, of: .oss)
  }

  /// Accepts signatures of COS; the strict mode unless older SDKs have to be served.
  public static func cos(_ verifier: COSVerifier) -> AcceptedScheme {
    AcceptedScheme(verifier, of: .cos)
  }
}

/// The schemes that a middleware accepts, at least one.
struct AcceptedSchemes: Sendable {
  let first: AcceptedScheme
  let others: [AcceptedScheme]

  /// Returns the scheme that a request is verified by: the one that recognizes it.
  ///
  /// - Throws: A `VerificationError` if none or more than one does.
  func scheme(of request: HTTPRequest) throws(VerificationError) -> AcceptedScheme {
    guard !others.isEmpty else { return first }
    var found: AcceptedScheme?
    for scheme in [first] + others where try scheme.recognizes(request) {
      guard found == nil else {
        throw .ambiguous("The request carries authorizations of more than one scheme.")
      }
      found = scheme
    }
    if let found { return found }
    guard (request.headerFields[.authorization] ?? "").isEmpty else {
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not one that is accepted here.",
        remedy: "Sign the request by a scheme that the service documents.")
    }
    throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
  }

  /// Refuses what has an effect in another scheme than the request's and is not signed; its own verifier saw to its own.
  ///
  /// A signature of OSS covers no `x-cos-` header: a handler that takes both would act on what was added after signing.
  func checkControls(
    of request: HTTPRequest, _ verified: VerifiedRequest, by scheme: AcceptedScheme
  ) throws(VerificationError) {
    let prefixes = ([first] + others).filter { $0.service != scheme.service }.flatMap(\.controlPrefixes)
    guard !prefixes.isEmpty else { return }
    for field in request.headerFields where !verified.signedHeaders.contains(field.name.canonicalName) {
      try check(field.name.canonicalName, "header", prefixes, verified)
    }
    for parameter in verified.unsignedParameters { try check(parameter.name.string, "parameter", prefixes, verified) }
  }

  private func check(
    _ name: String, _ kind: String, _ prefixes: [String], _ verified: VerifiedRequest
  ) throws(VerificationError) {
    let bytes = name.utf8.lazy.map(asciiLowercased)
    for prefix in prefixes where bytes.starts(with: prefix.utf8) {
      throw VerificationError(
        .unsignedField, "A \(kind) that starts with \(prefix) is not signed.",
        remedy: "Sign it, or leave it out."
      ).with(accessKeyID: verified.accessKeyID)
    }
  }
}
