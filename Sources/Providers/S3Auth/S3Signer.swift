// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to Amazon S3 and compatible services that uses Signature Version 4, in the headers or in URLs.
///
/// ```swift
/// let signer = S3Signer(region: "eu-central-1")
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// The signature covers the host and, if a request has them, every `x-amz-` header, `content-type`, `content-md5`,
/// `range` and the conditional headers (`if-match`, …). The path and the query are signed as S3 reads them (decoded
/// once, encoded once and not normalized), and never changed; presigning appends parameters. A signer also prepares
/// strings to sign for a key holder, and completes the requests with the key holder's signatures.
///
/// Sources: AWS, <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html> and
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html>.
public struct S3Signer: HeaderSigner, TwoStepSigner, Presigner {
  /// The region in the scope of signatures: `eu-central-1`, or `auto` for Cloudflare R2 and Google Cloud Storage.
  public let region: String
  /// The service in the scope of signatures: `s3`, `s3-object-lambda` or `s3-outposts`.
  public let service: String
  /// The only bucket for which the signer signs requests, or `nil` to allow any bucket.
  public let bucket: String?
  /// The position of the bucket name in the URL, to check ``bucket``, or `nil` if the host determines the position.
  public let style: AddressingStyle?

  /// The value that signatures cover for the body.
  ///
  /// If it is `nil`, the `x-amz-content-sha256` header of a request is used, or ``S3Payload/unsigned`` without it.
  public let payload: S3Payload?

  let additionalHeaders: [String]
  private let configurationError: SigningError?
  private let payloadField: HTTPField?

  /// Creates a signer of requests to S3.
  ///
  /// The initializer does not throw. Every method that signs throws the error of an invalid configuration.
  ///
  /// - Parameters:
  ///   - region: The region in the scope of signatures, such as `eu-central-1`.
  ///   - service: The service in the scope of signatures.
  ///   - bucket: The only bucket for which the signer signs requests, or `nil` to allow any bucket.
  ///   - style: The position of the bucket name in the URL, or `nil` if the host determines the position.
  ///   - payload: The value that signatures cover for the body. If it is `nil`, the `x-amz-content-sha256` header of a
  ///     request is used, or ``S3Payload/unsigned`` without that header.
  ///   - additionalHeaders: The names of additional headers, such as `content-length`, to sign if a request contains
  ///     them. Do not include headers that a proxy changes, such as `accept-encoding`.
  public init(
    region: String, service: String = "s3", bucket: String? = nil, style: AddressingStyle? = nil,
    payload: S3Payload? = nil, additionalHeaders: Set<String> = []
  ) {
    self.region = region
    self.service = service
    self.bucket = bucket
    self.style = style
    self.payload = payload
    self.additionalHeaders = Set(additionalHeaders.map { $0.asciiLowercased })
      .filter { $0 != "host" && $0 != "authorization" && !S3CanonicalRequest.isSignedByRule($0) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    configurationError = Self.configurationError(region: region, service: service, payload: payload)
    payloadField = payload.map { HTTPField(name: .s3ContentSHA256, value: $0.text) }
  }

  /// Returns a copy of the signer that signs requests with the given payload.
  public func with(payload: S3Payload) -> S3Signer {
    S3Signer(
      region: region, service: service, bucket: bucket, style: style, payload: payload,
      additionalHeaders: Set(additionalHeaders))
  }

  private static func configurationError(region: String, service: String, payload: S3Payload?) -> SigningError? {
    func invalid(_ message: String, remedy: String) -> SigningError {
      SigningError(.invalidConfiguration, message, remedy: remedy)
    }
    if service == "s3express" {
      return invalid(
        "Directory buckets (S3 Express One Zone) are not supported: they require a separate session.",
        remedy: "Use a general purpose bucket.")
    }
    guard region.isAmazonScopePart else {
      return invalid("\"\(region)\" is not the name of a region.", remedy: "Write it like eu-central-1.")
    }
    guard region != "aws-global" else {
      return invalid(
        "aws-global is a partition and not a region.", remedy: "Use the region of the bucket, such as us-east-1.")
    }
    guard service.isAmazonScopePart else {
      return invalid("\"\(service)\" is not the name of a service.", remedy: "Use s3.")
    }
    guard payload?.isWellFormed ?? true else {
      return invalid("The hash of the body is not a SHA-256.", remedy: "Give 64 hexadecimal digits.")
    }
    return nil
  }

  var canonicalRequest: S3CanonicalRequest { S3CanonicalRequest(headers: .byRule(adding: additionalHeaders)) }
  func scope(at date: Timestamp) -> S3Scope { S3Scope(date: date, region: region, service: service) }
  func checkConfiguration() throws(SigningError) { if let configurationError { throw configurationError } }

  /// Signs a request by adding the signature to its headers.
  ///
  /// The method sets `x-amz-date`, `x-amz-content-sha256`, `Authorization` and, for a temporary key, the session token.
  /// A chunked body requires `x-amz-decoded-content-length`, and trailers require `x-amz-trailer`.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    request.headerFields = try signedFields(of: request, .joined, with: prepared(key, at: context.date)).fields
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in the same order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    return try signedFields(of: request, .apart, with: prepared(key, at: context.date)).authorization()
  }

  /// Creates a signer of requests with one access key at one time.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var prepared = try prepared(key, at: context.date)
    prepared.startedKey = prepared.scope.startedSigningKey(of: key)
    return PreparedSigner(date: context.date) { [prepared] request, additions throws(SigningError) in
      try signedFields(of: request, additions, with: prepared)
    }
  }

  @inline(__always)
  private func prepared(_ key: AccessKey, at date: Timestamp) throws(SigningError) -> S3PreparedKey {
    try key.check(idWithout: S3Text.idDelimiters)
    try checkConfiguration()
    return S3PreparedKey(key, scope: scope(at: date))
  }

  private func signedFields(
    of request: HTTPRequest, _ additions: FieldDraft.Additions, with prepared: S3PreparedKey
  ) throws(SigningError) -> FieldDraft {
    var draft = try draft(
      request, additions, token: prepared.tokenField, scope: prepared.scope, dateText: prepared.dateText)
    let authorization = try withCanonicalRequest(of: draft, for: request) { text, names in
      let signature = prepared.signature(of: SHA256.hash(writing: text))
      return String(writing: { writer in
        append(authorizationPrefixTo: &writer, in: draft.scope, id: prepared.key.id, names: names)
        writer.append(hex: signature)
      })
    }
    draft.fields.set(authorization, named: .authorization)
    return draft.fields
  }

  private func draft(
    _ original: HTTPRequest, _ additions: FieldDraft.Additions = .joined, token: HTTPField?, scope: S3Scope,
    dateText: String
  ) throws(SigningError) -> S3Draft {
    try requireSignable(original)
    var fields = FieldDraft(original.headerFields, adding: 4, additions)
    fields.set(dateText, named: .s3Date)
    try setPayloadHash(of: &fields)
    fields.set(token, named: .s3SecurityToken)
    return S3Draft(fields: fields, path: original.path ?? "/", scope: scope, expiration: nil)
  }

  private func setPayloadHash(of headers: inout FieldDraft) throws(SigningError) {
    var payload = payload
    if let payloadField {
      headers.set(payloadField)
    } else if let index = headers.index(of: .s3ContentSHA256) {
      payload = S3Payload(header: headers.value(at: index))
      guard payload != nil else {
        throw SigningError(
          .invalidHeader, "The header x-amz-content-sha256 is not one of the values that S3 knows.",
          remedy: "Leave it out, and give the signer the payload.")
      }
    } else {
      headers.set(Self.unsignedPayloadField)
    }
    guard let payload, payload.isChunked else { return }
    guard let length = headers.fields[.s3DecodedContentLength], Int64(digits: length) != nil, !length.isEmpty else {
      throw SigningError(
        .invalidRequest, "A body in chunks needs its length in the header x-amz-decoded-content-length.",
        remedy: "Send the number of bytes of the object.")
    }
    guard headers.fields.contains(.s3Trailer) == payload.hasTrailer else {
      throw SigningError(
        .invalidRequest, "The header x-amz-trailer does not go with the form of the body.",
        remedy: "Name the trailers in it, for a body with trailers alone.")
    }
  }

  private static let unsignedPayloadField = HTTPField(name: .s3ContentSHA256, value: S3Payload.unsigned.text)

  /// Rejects a request that this signer cannot sign, or that is for a bucket other than ``bucket``.
  private func requireSignable(_ request: HTTPRequest) throws(SigningError) {
    try checkConfiguration()
    guard let authority = request.authority, isHost(authority) else {
      throw .noHost(example: "photos.s3.eu-central-1.amazonaws.com")
    }
    if let reason = S3Address.refusalReason(forHost: authority) {
      throw SigningError(.invalidConfiguration, reason, remedy: "Use the endpoint of a region.")
    }
    guard let bucket, style != .customDomain else { return }
    guard S3Address(authority: authority, style: style).matches(bucket: bucket, path: request.path ?? "/") else {
      throw SigningError(
        .invalidRequest, "The URL is not for the bucket \"\(bucket)\".",
        remedy: "Start the host or the path with the bucket, or set the addressing style.")
    }
  }

  private func withCanonicalRequest<Result>(
    of draft: borrowing S3Draft, for request: HTTPRequest, part: SignedTextPart = .whole,
    _ body: (_ text: (inout ByteWriter) -> Void, _ names: Span<UInt8>) -> Result
  ) throws(SigningError) -> Result {
    try canonicalRequest.withCanonicalRequest(
      request, fields: draft.fields, path: draft.path,
      refusing: RefusedParameters(S3Text.signatureParameters, before: request.path?.utf8.count ?? 1), part: part, body)
  }

  private func append(
    authorizationPrefixTo writer: inout ByteWriter, in scope: S3Scope, id: AccessKeyID, names: Span<UInt8>
  ) {
    writer.append(S3Text.algorithm)
    writer.append(" Credential=")
    writer.append(id.string)
    writer.append(UInt8(ascii: "/"))
    scope.append(to: &writer)
    writer.append(", SignedHeaders=")
    writer.append(names)
    writer.append(", Signature=")
  }

  /// Creates a presigned URL for a request to S3.
  ///
  /// The client that uses the URL must send exactly the headers of the result, and no other `x-amz-` header. The
  /// signature does not cover the body. A URL is valid for 1 second to 7 days.
  ///
  /// - Throws: The errors of `Presigner.presign(_:with:validFor:in:)`, which also describes the parameters.
  public func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: S3Text.idDelimiters)
    let draft = try draft(presigning: request, as: key.identity, validFor: duration, date: context.date)
    let hash = try withCanonicalRequest(of: draft, for: request) { text, _ in SHA256.hash(writing: text) }
    let signature = draft.scope.signature(of: hash, with: key)
    let url = String(writing: { writer in
      writer.append(originOf: request)
      writer.append(draft.path)
      writer.append(Self.signatureParameterPrefix)
      writer.append(hex: signature)
    })
    return PresignedRequest(
      method: request.method, url: url, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date)
  }

  /// Creates a presigner of URLs that differ only in their objects' keys.
  ///
  /// The limits and the rules of a single presigned URL apply. The path must contain a bucket name that belongs there.
  ///
  /// - Throws: The errors of `Presigner.presigner(for:with:validFor:in:)`, which also describes the parameters.
  public func presigner(
    for request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> ObjectPresigner {
    if key.isAnonymous { throw .anonymousURL }
    try key.check(idWithout: S3Text.idDelimiters)
    let path = try ObjectPath(of: request)
    let draft = try draft(presigning: request, as: key.identity, validFor: duration, date: context.date)
    // A request for the path "/" needs no bucket name, but the path of each object does.
    try requireSignable(path.request("/", like: request))
    if bucket == nil, path.start == "/", let authority = request.authority {
      // The host of another service can contain the bucket name.
      let style = style ?? AddressingStyle(authority: authority)
      if S3Address(authority: authority, style: style).isBucketInPath { throw .bucketNotInPath }
    }
    let start = try withCanonicalRequest(of: draft, for: request, part: .throughPath) { text, _ in
      [UInt8](writing: text)
    }
    let end = try withCanonicalRequest(of: draft, for: request, part: .afterPath) { text, _ in [UInt8](writing: text) }
    return ObjectPresigner(
      .hashedSHA256(draft.scope.startedSigningKey(of: key)), text: SignedFrame(start: start, end: end),
      url: SignedFrame(urlFor: request, dividing: path) { writer in
        writer.append(draft.path)
        writer.append(Self.signatureParameterPrefix)
      }, method: request.method, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date)
  }

  private static let signatureParameterPrefix: StaticString = "&X-Amz-Signature="

  private func draft(
    presigning original: HTTPRequest, as identity: Identity, validFor duration: Duration, date: Timestamp
  ) throws(SigningError) -> S3Draft {
    try requireSignable(original)
    let seconds = duration.components.seconds
    guard S3Limits.urlLifetimeSeconds.contains(seconds) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 to \(S3Limits.urlLifetimeSeconds.upperBound) seconds.")
    }
    let end = date.advanced(bySeconds: seconds)
    try identity.requireValidity(until: end)
    let fields = original.headerFields.without(Self.signatureHeaders)
    let path = original.path ?? "/"
    let names = try canonicalRequest.names(of: FieldDraft(fields), authority: original.authority)
    let scope = scope(at: date)
    let extended = String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("X-Amz-Algorithm=")
      writer.append(S3Text.algorithm)
      writer.append("&X-Amz-Credential=")
      writer.append(percentEncoding: identity.id.string)
      writer.append("%2F")
      scope.append(to: &writer, separator: "%2F")
      writer.append("&X-Amz-Date=")
      writer.append(scope.time)
      writer.append("&X-Amz-Expires=")
      writer.append(seconds)
      writer.append("&X-Amz-SignedHeaders=")
      writer.append(percentEncoding: names)
      if let token = identity.sessionToken {
        writer.append("&X-Amz-Security-Token=")
        writer.append(percentEncoding: token)
      }
    })
    return S3Draft(fields: FieldDraft(fields), path: extended, scope: scope, expiration: end)
  }

  private static let signatureHeaders: [HTTPField.Name] = [.authorization, .s3SecurityToken, .s3Date, .s3ContentSHA256]

  private func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    if fields.isEmpty { return [:] }
    return fields.filter { canonicalRequest.signs($0.name.canonicalName) }
  }

  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(_:as:in:)`, which also describes the parameters.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: S3Text.idDelimiters)
    let token = identity.tokenField(named: .s3SecurityToken)
    let scope = scope(at: context.date)
    let draft = try draft(request, token: token, scope: scope, dateText: scope.dateText)
    return try pendingSignature(draft, of: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(presigning:as:validFor:in:)`, which also describes the parameters.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: S3Text.idDelimiters)
    let draft = try draft(presigning: request, as: identity, validFor: duration, date: context.date)
    return try pendingSignature(draft, of: request, as: identity)
  }

  private func pendingSignature(
    _ draft: borrowing S3Draft, of request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let scope = draft.scope
    let (text, hash, prefix) = try withCanonicalRequest(of: draft, for: request) { text, names in
      (
        String(writing: text), SHA256.hash(writing: text),
        String(writing: { append(authorizationPrefixTo: &$0, in: scope, id: identity.id, names: names) })
      )
    }
    let stringToSign = String(writing: { scope.append(stringToSign: hash, to: &$0) })
    return PendingSignature(
      .s3V4, of: request, fields: draft.fields.fields, path: draft.expiration == nil ? nil : draft.path, as: identity,
      until: draft.expiration, texts: SignedTexts(stringToSign: stringToSign, canonicalRequest: text),
      signedHeaders: signedHeaders(of: draft.fields.fields), prefix: prefix)
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = pending.bare(signature)
    guard bare.isLowerHex(byteCount: SHA256.digestByteCount) else {
      throw SigningError(
        .invalidSignature, "The signature is not 64 hexadecimal digits in lower case, or has another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    return pending.request(with: bare, urlSuffix: Self.signatureParameterPrefix.description + bare)
  }
}

/// An access key with the values that its signatures at one time have in common.
private struct S3PreparedKey {
  let key: AccessKey
  let tokenField: HTTPField?
  let scope: S3Scope
  let dateText: String
  /// The signing key after it has hashed the string to sign up to the hash of the canonical request, or `nil`.
  var startedKey: HMACKey<SHA256>?

  init(_ key: AccessKey, scope: S3Scope) {
    self.key = key
    tokenField = key.tokenField(named: .s3SecurityToken)
    self.scope = scope
    dateText = scope.dateText
  }

  func signature(of hash: Digest) -> Digest {
    startedKey?.authenticationCode { $0.append(hex: hash) } ?? scope.signature(of: hash, with: key)
  }
}

/// The components of a string to sign for an S3 request, except the method and the authority.
struct S3Draft: ~Copyable {
  /// The header fields of the request, complete except for the signature.
  var fields: FieldDraft
  /// The path to sign, including the query parameters that a signature in the URL covers.
  let path: String
  let scope: S3Scope
  /// The expiration of a presigned URL, or `nil` for a signature in the headers.
  let expiration: Timestamp?
}
