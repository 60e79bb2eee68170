// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension OSSSigner {
  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - context: The signing time.
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    let token = identity.sessionToken.map { HTTPField(name: .ossSecurityToken, value: $0.reveal()) }
    return try pending(draft(request, token: token, date: context.date), of: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - duration: The lifetime of the URL in whole seconds.
  ///   - context: The signing time.
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed, if the identity is invalid, or if a limit is
  ///   exceeded.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    let draft = try draft(
      presigning: request, authority: request.authority, as: identity, validFor: duration, date: context.date)
    return try pending(draft, of: request, as: identity)
  }

  private func pending(
    _ draft: borrowing OSSDraft, of request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let stringToSign: String
    var canonicalRequest: String?
    switch draft.scheme {
    case .v1(let date):
      stringToSign = try withV1String(of: draft, for: request, date) { String(writing: $0) }
    case .v4(let scope):
      let (text, hash) = try withV4Request(of: draft, for: request) { (String(writing: $0), SHA256.hash(writing: $0)) }
      canonicalRequest = text
      stringToSign = String(writing: { scope.append(stringToSign: hash, to: &$0) })
    }
    var prepared = request
    prepared.headerFields = draft.fields.fields
    if draft.isPresigned {
      prepared.path = String(writing: { append(pathOf: draft, for: request, as: identity, to: &$0) })
    }
    return PendingSignature(
      version == .v1 ? .ossV1 : .ossV4, stringToSign: stringToSign, canonicalRequest: canonicalRequest,
      identity: identity, expiration: draft.expiration, request: prepared, isPresigned: draft.isPresigned,
      signedHeaders: draft.isPresigned ? signedHeaders(of: draft.fields.fields) : [:],
      authorizationPrefix: String(writing: { append(prefixOf: draft, for: request, id: identity.id, to: &$0) }))
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Parameters:
  ///   - pending: The pending signature that `prepare` returned.
  ///   - signature: The signature, or the whole value of the `Authorization` header.
  /// - Returns: The signed request.
  /// - Throws: `SigningError.Code.invalidSignature` if the signature is malformed or belongs to another access key
  ///   ID.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = try bareSignature(signature, prefix: pending.authorizationPrefix)
    var request = pending.request
    if pending.isPresigned {
      request.path = (request.path ?? "/") + signatureParameter.description + bare.percentEncoded()
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: pending.authorizationPrefix + bare))
    }
    return request
  }

  private func bareSignature(_ signature: String, prefix: String) throws(SigningError) -> String {
    var bare = signature
    if bare.hasBytePrefix(prefix) { bare.removeFirst(prefix.count) }
    let isWellFormed =
      switch version {
      case .v1: [UInt8](base64: bare)?.count == SHA1.digestByteCount
      case .v4: bare == bare.asciiLowercased && [UInt8](hex: bare)?.count == SHA256.digestByteCount
      }
    guard isWellFormed else {
      throw SigningError(
        .invalidSignature,
        "The signature has another form than OSS \(version.rawValue.asciiUppercased), or another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    return bare
  }
}

extension OSSText {
  /// The characters that an access key ID must not contain: a comma and a slash end it in V4 headers, a colon in V1.
  static let idDelimiters: IDDelimiters = [.comma, .slash, .colon]
}
