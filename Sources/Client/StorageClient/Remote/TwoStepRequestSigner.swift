// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A signer for requests whose key is kept elsewhere, so that signing is asynchronous.
package protocol RemoteRequestSigner<SigningCredential>: Sendable {
  associatedtype SigningCredential: Credential

  /// Returns a copy of the request with the signature in its headers.
  func signed(_ request: HTTPRequest, as credential: SigningCredential, in context: SigningContext) async throws
    -> HTTPRequest

  /// Returns a presigned URL for the request.
  func presign(
    _ request: HTTPRequest, as credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) async throws -> PresignedRequest
}

/// A remote signer that prepares and completes requests with a two-step signer, and requests the signatures from the key
/// holder.
struct TwoStepRequestSigner<Base: TwoStepSigner<AccessKey>>: RemoteRequestSigner {
  let signer: Base
  let sign: RemoteSigning.Sign

  func signed(_ request: HTTPRequest, as key: AccessKey, in context: SigningContext) async throws -> HTTPRequest {
    try await finished(key.identity) { identity throws(SigningError) in
      try signer.prepare(request, as: identity, in: context)
    }.request
  }

  func presign(
    _ request: HTTPRequest, as key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) async throws -> PresignedRequest {
    let (pending, signed) = try await finished(key.identity) { identity throws(SigningError) in
      try signer.prepare(presigning: request, as: identity, validFor: duration, in: context)
    }
    return PresignedRequest(
      method: signed.method,
      url: "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")",
      headers: pending.signedHeaders, expiration: pending.expiration ?? context.date)
  }

  /// Prepares a request, requests its signature from the key holder, and adds the signature to the request.
  ///
  /// A signer with an unknown identity reports its key ID in the response. If the ID is part of the string to sign, a
  /// second signature is requested.
  private func finished(
    _ identity: Identity, _ prepare: (Identity) throws(SigningError) -> PendingSignature
  ) async throws -> (pending: PendingSignature, request: HTTPRequest) {
    var pending = try prepare(identity)
    var response = try await sign(SigningRequest(pending))
    if response.accessKeyID != identity.id {
      guard identity == .unknown else { throw SigningRefusal.anotherKey("The signature is for another access key id.") }
      let known = try prepare(Identity(id: response.accessKeyID))
      if known.stringToSign != pending.stringToSign { response = try await sign(SigningRequest(known)) }
      guard response.accessKeyID == known.identity.id else {
        throw SigningRefusal.anotherKey("Two signatures are for different access key ids.")
      }
      pending = known
    }
    if let token = response.sessionToken, token != pending.identity.sessionToken {
      throw SigningRefusal.anotherKey("The signature is for another session token.")
    }
    return (pending, try signer.finish(pending, signature: response.signature))
  }
}
