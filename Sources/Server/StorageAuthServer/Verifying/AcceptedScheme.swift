// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A signature scheme that a ``SignatureMiddleware`` accepts: its verifier, and its service's error codes and formats.
struct AcceptedScheme: Sendable {
  typealias KeyLookup = @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?

  let errorCodes: ServiceErrorCodes
  let controlPrefixes: [String]
  let payloadHashHeader: HTTPField.Name?
  let recognizes: @Sendable (HTTPRequest) throws(VerificationError) -> Bool
  let verify: @Sendable (HTTPRequest, Timestamp, KeyLookup) async throws -> VerifiedRequest

  init(_ verifier: some SignatureVerifier) {
    let verifier = verifier.acceptingPayloadHashes
    errorCodes = verifier.errorCodes
    controlPrefixes = verifier.controlPrefixes
    payloadHashHeader = verifier.payloadHashHeader
    recognizes = { request throws(VerificationError) in try verifier.recognizes(request) }
    verify = { request, date, lookup in try await verifier.verify(request, at: date, lookup: lookup) }
  }
}

/// The signature schemes that a middleware accepts, at least one.
struct AcceptedSchemes: Sendable {
  let first: AcceptedScheme
  private let all: [AcceptedScheme]

  init(first: AcceptedScheme, others: [AcceptedScheme]) {
    self.first = first
    all = [first] + others
  }

  /// Returns the scheme that recognizes a request, and all other schemes.
  ///
  /// - Throws: A `VerificationError` if no scheme or more than one scheme recognizes the request.
  func scheme(of request: HTTPRequest) throws(VerificationError) -> (scheme: AcceptedScheme, others: [AcceptedScheme]) {
    guard all.count > 1 else { return (first, []) }
    var found: AcceptedScheme?
    var others: [AcceptedScheme] = []
    for scheme in all {
      guard try scheme.recognizes(request) else {
        others.append(scheme)
        continue
      }
      guard found == nil else {
        throw .ambiguous("The request carries authorizations of more than one scheme.")
      }
      found = scheme
    }
    if let found { return (found, others) }
    guard (request.headerFields[.authorization] ?? "").isEmpty else {
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not one that is accepted here.",
        remedy: "Sign the request by a scheme that the service documents.")
    }
    throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign the request.")
  }

  /// Rejects unsigned headers and parameters that have an effect in a scheme other than the request's own scheme.
  ///
  /// The request's own verifier has checked the headers and parameters of its own scheme. An OSS signature does not
  /// cover `x-cos-` headers, so a handler that supports both schemes would act on headers that were added after
  /// signing.
  static func checkControls(
    of request: HTTPRequest, _ verified: VerifiedRequest, in others: [AcceptedScheme]
  ) throws(VerificationError) {
    let prefixes = others.flatMap(\.controlPrefixes)
    guard !prefixes.isEmpty else { return }
    for field in request.headerFields where !verified.signedHeaders.contains(field.name.canonicalName) {
      try check(field.name.canonicalName, "header", prefixes, verified)
    }
    for parameter in verified.unsignedParameters { try check(parameter.name.string, "parameter", prefixes, verified) }
  }

  /// Rejects unsigned parameters that name an operation, which a handler could carry out instead of the signed one.
  static func checkOperations(_ verified: VerifiedRequest) throws(VerificationError) {
    guard let parameter = verified.unsignedParameters.first(where: { ParameterCatalog.namesOperation($0) }) else {
      return
    }
    throw VerificationError(
      .unsignedField, "The parameter \"\(parameter.name.string.onOneLine)\" is not signed, and may name an operation.",
      remedy: "Sign it, or leave it out."
    ).with(accessKeyID: verified.accessKeyID)
  }

  private static func check(
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
