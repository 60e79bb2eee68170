// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension COSSigner {
  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - context: The signing time.
  /// - Returns: The string to sign, and the HTTP string whose hash it contains.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: COSKeyTime.idDelimiters)
    let token = identity.sessionToken.map { HTTPField(name: .cosSecurityToken, value: $0.reveal()) }
    let draft = try draft(request, token: token)
    let window = try headerWindow(for: identity, at: context.date)
    return try pending(request, draft.fields, with: httpString, as: identity, in: window)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - duration: The lifetime of the URL in whole seconds.
  ///   - context: The signing time.
  /// - Returns: The string to sign, and the HTTP string whose hash it contains.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: COSKeyTime.idDelimiters)
    let (fields, path) = try draft(presigning: request, as: identity)
    let window = try urlWindow(for: identity, validFor: duration, at: context.date)
    return try pending(
      request, fields, path: path, with: httpString(presigning: request), as: identity, in: window)
  }

  /// Returns the pending signature of a presigned URL if `path` is given, or of a request that is signed in its
  /// headers.
  private func pending(
    _ original: HTTPRequest, _ fields: HTTPFields, path: String? = nil, with string: COSHTTPString,
    as identity: Identity, in window: COSKeyTime
  ) throws(SigningError) -> PendingSignature {
    try string.withHTTPString(original, fields: fields, path: path ?? original.path ?? "/") {
      text, headerList, parameterList in
      let hash = SHA1.hash(writing: text)
      var request = original
      request.headerFields = fields
      if let path {
        request.path = String(writing: { writer in
          writer.append(path)
          append(
            signatureParametersOf: identity.id, after: path, in: window, headerList: headerList,
            parameterList: parameterList, to: &writer)
        })
      }
      return PendingSignature(
        .cosV5, stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: window) }),
        canonicalRequest: String(writing: text), identity: identity, expiration: window.end, request: request,
        isPresigned: path != nil, signedHeaders: path == nil ? [:] : signedHeaders(of: fields),
        authorizationPrefix: String(writing: {
          $0.append(
            authorizationOf: identity.id, in: window, headerList: headerList, parameterList: parameterList)
        }))
    }
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Parameters:
  ///   - pending: The pending signature that `prepare` returned.
  ///   - signature: The signature, or the whole value of the `Authorization` header.
  /// - Returns: The signed request.
  /// - Throws: `SigningError.Code.invalidSignature` if the signature is malformed, or belongs to another access key
  ///   ID or request.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    var bare = signature
    if bare.hasBytePrefix(pending.authorizationPrefix) { bare.removeFirst(pending.authorizationPrefix.count) }
    guard bare == bare.asciiLowercased, [UInt8](hex: bare)?.count == SHA1.digestByteCount else {
      throw SigningError(
        .invalidSignature, "The signature is not 40 lower-case hexadecimal digits, or is for another id or request.",
        remedy: "Let the server return the bare signature, or the Authorization for the same string to sign.")
    }
    var request = pending.request
    if pending.isPresigned {
      request.path = (request.path ?? "/") + bare
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: pending.authorizationPrefix + bare))
    }
    return request
  }
}

extension COSKeyTime {
  /// The characters that an access key ID must not contain, because the header has the form of a query.
  static let idDelimiters: IDDelimiters = [.ampersand, .equals, .semicolon, .percent]
}
