// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A verifier for all signatures of requests and form uploads to a storage service.
struct Authenticator: Sendable {
  let verifier: any SignatureVerifier & FormVerifier
  let provider: LocalCloud.Provider
  let context: CloudContext

  private func key(_ id: AccessKeyID, at date: Timestamp) -> AccessKey? {
    let limit = TokenTable.UseLimit(uses: context.injector.faults.requestsPerCredential)
    return context.keys.key(id, of: provider, at: date, counting: limit)
  }

  func verify(_ form: SubmittedForm, at date: Timestamp) async throws -> VerifiedForm {
    try await verifier.verify(form, at: date) { key($0, at: date) }
  }

  func claimedKeyID(of request: HTTPRequest) -> AccessKeyID? { (try? verifier.claim(in: request))?.accessKeyID }

  /// Returns whether the signature of a request is valid for a key.
  func fits(_ request: HTTPRequest, _ key: AccessKey, at date: Timestamp) -> Bool {
    // A function of its own, because the verifier's type must be known to pass its claim back to it.
    func verifies(_ verifier: some SignatureVerifier) throws -> Bool {
      guard let claim = try verifier.claim(in: request) else { return false }
      _ = try verifier.verify(claim, against: key, at: date)
      return true
    }
    return (try? verifies(verifier)) ?? false
  }

  /// Verifies the signature of a request, or returns `nil` if the request contains no authorization.
  func verify(_ request: HTTPRequest, at date: Timestamp) async throws(VerificationError) -> VerifiedRequest? {
    do {
      guard try verifier.claim(in: request) != nil else { return nil }
      return try await verifier.verify(request, at: date) { key($0, at: date) }
    } catch let error as VerificationError {
      throw error
    } catch {
      // Verifiers throw only `VerificationError`. Any other error must reject the request as well.
      throw VerificationError(.malformed, "The request could not be verified.", remedy: "Sign it again.")
    }
  }
}
