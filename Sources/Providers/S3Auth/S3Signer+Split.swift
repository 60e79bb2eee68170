// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension S3Signer {
  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - context: The signing time.
  /// - Returns: The string to sign and the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: S3Text.idDelimiters)
    let token = identity.sessionToken.map { HTTPField(name: .s3SecurityToken, value: $0.reveal()) }
    return try pending(draft(request, token: token, date: context.date), of: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - duration: The lifetime of the URL in whole seconds: 1 to 604,800.
  ///   - context: The signing time.
  /// - Returns: The string to sign and the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed, if the identity is invalid, or if a limit is
  ///   exceeded.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: S3Text.idDelimiters)
    return try pending(
      draft(presigning: request, as: identity, validFor: duration, date: context.date), of: request, as: identity)
  }

  private func pending(
    _ draft: borrowing S3Draft, of request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let (text, hash) = try withCanonicalRequest(of: draft, for: request) { text, _ in
      (String(writing: text), SHA256.hash(writing: text))
    }
    let names = try canonicalRequest.names(of: draft.fields.fields, authority: request.authority)
    let scope = draft.scope
    var prepared = request
    prepared.headerFields = draft.fields.fields
    if draft.isPresigned { prepared.path = draft.path }
    return PendingSignature(
      .s3V4, stringToSign: String(writing: { scope.append(stringToSign: hash, to: &$0) }), canonicalRequest: text,
      identity: identity, expiration: draft.expiration, request: prepared, isPresigned: draft.isPresigned,
      signedHeaders: draft.isPresigned ? signedHeaders(of: draft.fields.fields) : [:],
      authorizationPrefix: String(
        writing: { append(prefixTo: &$0, in: scope, id: identity.id, names: { $0.append(names) }) }))
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Parameters:
  ///   - pending: The pending signature that `prepare` returned.
  ///   - signature: The signature in hexadecimal, or the whole value of the `Authorization` header.
  /// - Returns: The signed request.
  /// - Throws: `SigningError.Code.invalidSignature` if the signature is malformed or belongs to another access key
  ///   ID.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = signature.removingBytePrefix(pending.authorizationPrefix).map { String($0) } ?? signature
    guard isLowerHex(bare) else {
      throw SigningError(
        .invalidSignature, "The signature is not 64 hexadecimal digits in lower case, or has another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    var request = pending.request
    if pending.isPresigned {
      request.path = (request.path ?? "/") + Self.signaturePrefix.description + bare
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: pending.authorizationPrefix + bare))
    }
    return request
  }
}

extension S3Text {
  /// The characters that an access key ID must not contain.
  ///
  /// A comma ends the `Credential` in the header. The scope behind the ID has four parts, and is read from the right end,
  /// so that the ID can contain slashes.
  static let idDelimiters = IDDelimiters.comma
}
