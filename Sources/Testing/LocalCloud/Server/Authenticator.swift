// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A verifier for all signatures of requests and form uploads to a storage service.
struct Authenticator: Sendable {
  private let claimedID: @Sendable (HTTPRequest) throws -> AccessKeyID?
  private let verified: @Sendable (HTTPRequest, Timestamp) async throws -> VerifiedRequest
  private let fitting: @Sendable (HTTPRequest, AccessKey, Timestamp) -> Bool
  private let verifiedForm: @Sendable (SubmittedForm, Timestamp) async throws -> VerifiedForm

  init(_ verifier: some SignatureVerifier & FormVerifier, _ provider: LocalCloud.Provider, _ context: CloudContext) {
    @Sendable func key(_ id: AccessKeyID, at date: Timestamp) -> AccessKey? {
      let limit = TokenTable.UseLimit(uses: context.injector.faults.requestsPerToken)
      return context.keys.key(id, of: provider, at: date, counting: limit)
    }
    claimedID = { try verifier.claim(in: $0)?.accessKeyID }
    verified = { request, date in try await verifier.verify(request, at: date) { key($0, at: date) } }
    fitting = { request, key, date in
      guard let claim = try? verifier.claim(in: request) else { return false }
      return (try? verifier.verify(claim, against: key, at: date)) != nil
    }
    verifiedForm = { form, date in try await verifier.verify(form, at: date) { key($0, at: date) } }
  }

  /// Verifies the signature and policy of a form upload.
  ///
  /// - Throws: `VerificationError` if the authorization or the form itself is invalid.
  func verify(_ form: SubmittedForm, at date: Timestamp) async throws -> VerifiedForm {
    try await verifiedForm(form, date)
  }

  /// Returns the access key ID with which a request claims to be signed, or `nil` if it cannot be read.
  func claimedKeyID(of request: HTTPRequest) -> AccessKeyID? { (try? claimedID(request)) ?? nil }

  /// Returns whether a request is signed with a key.
  func fits(_ request: HTTPRequest, _ key: AccessKey, at date: Timestamp) -> Bool { fitting(request, key, date) }

  /// Verifies the signature of a request.
  ///
  /// - Returns: The verified request, or `nil` if the request contains no authorization.
  /// - Throws: `VerificationError` if the request contains an invalid authorization.
  func verify(_ request: HTTPRequest, at date: Timestamp) async throws(VerificationError) -> VerifiedRequest? {
    do {
      guard try claimedID(request) != nil else { return nil }
      return try await verified(request, date)
    } catch let error as VerificationError {
      throw error
    } catch {
      // Verifiers throw only `VerificationError`. Any other error must reject the request as well.
      throw VerificationError(.malformed, "The request could not be verified.", remedy: "Sign it again.")
    }
  }
}
