internal import HTTPTypes
internal import StorageAuth

/// Signs requests with a key that is kept elsewhere: the one step of signing that may wait.
protocol RemoteRequestSigner<SigningCredential>: Sendable {
  associatedtype SigningCredential: Credential

  /// Has a request signed in its headers.
  func signed(_ request: HTTPRequest, as credential: SigningCredential, in context: SigningContext) async throws
    -> HTTPRequest

  /// Has a URL signed.
  func presign(
    _ request: HTTPRequest, as credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) async throws -> PresignedRequest
}

/// Puts the two halves of a split signer around the answer of whoever holds the key.
struct SplitRequestSigner<Base: SplitSigner<AccessKey>>: RemoteRequestSigner {
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

  /// Prepares, has it signed, and puts the signature in.
  ///
  /// A signer that nobody knew before says its id in its answer. Where the id is part of the text, that is signed anew.
  private func finished(
    _ identity: Identity, _ prepare: (Identity) throws(SigningError) -> PendingSignature
  ) async throws -> (pending: PendingSignature, request: HTTPRequest) {
    var pending = try prepare(identity)
    var answer = try await sign(SigningRequest(pending))
    if answer.accessKeyID != identity.id {
      guard identity == .unknown else { throw SigningRefusal.anotherKey("The signature is of another access key id.") }
      let known = try prepare(Identity(id: answer.accessKeyID))
      if known.stringToSign != pending.stringToSign { answer = try await sign(SigningRequest(known)) }
      guard answer.accessKeyID == known.identity.id else {
        throw SigningRefusal.anotherKey("Two signatures are of different access key ids.")
      }
      pending = known
    }
    if let token = answer.sessionToken, token != pending.identity.sessionToken {
      throw SigningRefusal.anotherKey("The signature is for another session token.")
    }
    return (pending, try signer.finish(pending, signature: answer.signature))
  }
}
