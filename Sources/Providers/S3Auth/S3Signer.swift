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
  /// The only bucket for which the signer signs requests and forms, or `nil` to allow any bucket.
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
  /// `additionalHeaders` are the names of headers, such as `content-length`, to sign besides the others if a request
  /// contains them, but not of headers that a proxy changes, such as `accept-encoding`. The other parameters are the
  /// properties.
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

  /// Signs a request by adding the signature to its headers.
  ///
  /// The method sets `x-amz-date`, `x-amz-content-sha256`, `Authorization` and, for a temporary key, the session token.
  /// A chunked body requires `x-amz-decoded-content-length`, and trailers require `x-amz-trailer`.
  ///
  /// - Throws: The errors of `Signer.sign(_:with:in:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    let keyAtTime = try checkedKey(key, at: context.date)
    request.headerFields = try signedFields(of: request, additions: .joined, with: keyAtTime).fields
  }

  /// Returns the header fields that ``sign(_:with:in:)`` sets, in their order.
  ///
  /// - Throws: The errors of `HeaderSigner.fields(for:with:in:)`, which also describes the parameters.
  public func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    return try signedFields(of: request, additions: .apart, with: checkedKey(key, at: context.date)).authorization()
  }

  /// Creates a signer of requests with one access key at one time.
  ///
  /// - Throws: The errors of `HeaderSigner.preparedSigner(with:in:)`, which also describes the parameters.
  public func preparedSigner(with key: AccessKey, in context: SigningContext) throws(SigningError) -> PreparedSigner {
    if key.isAnonymous { return PreparedSigner(date: context.date, signedFields: nil) }
    var keyAtTime = try checkedKey(key, at: context.date)
    keyAtTime.startedKey = keyAtTime.scope.startedSigningKey(of: key)
    return PreparedSigner(date: context.date) { [keyAtTime] request, additions throws(SigningError) in
      try signedFields(of: request, additions: additions, with: keyAtTime)
    }
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
    let draft = try urlDraft(of: request, as: key.identity, validFor: duration, date: context.date)
    let hash = try withCanonicalRequest(of: draft, for: request) { appendText, _ in SHA256.hash(writing: appendText) }
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
    let draft = try urlDraft(of: request, as: key.identity, validFor: duration, date: context.date)
    // A request for the path "/" needs no bucket name, but the path of each object does.
    try requireSignable(path.request("/", like: request))
    if bucket == nil, path.start == "/", let authority = request.authority {
      // The host of another service can contain the bucket name.
      let style = style ?? AddressingStyle(authority: authority)
      if S3Address(authority: authority, style: style).isBucketInPath { throw .bucketNotInPath }
    }
    let text = SignedFrame(
      start: try withCanonicalRequest(of: draft, for: request, part: .throughPath) { appendText, _ in
        [UInt8](writing: appendText)
      },
      end: try withCanonicalRequest(of: draft, for: request, part: .afterPath) { appendText, _ in
        [UInt8](writing: appendText)
      })
    return ObjectPresigner(
      .hashedSHA256(draft.scope.startedSigningKey(of: key)), text: text,
      url: SignedFrame(urlFor: request, dividing: path) { writer in
        writer.append(draft.path)
        writer.append(Self.signatureParameterPrefix)
      }, method: request.method, headers: signedHeaders(of: draft.fields.fields),
      expiration: draft.expiration ?? context.date)
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
    let draft = try headerDraft(of: request, token: token, scope: scope, dateText: scope.dateText)
    return try pendingSignature(of: draft, for: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Returns: The string to sign and the canonical request.
  /// - Throws: The errors of `TwoStepSigner.prepare(presigning:as:validFor:in:)`, which also describes the parameters.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: S3Text.idDelimiters)
    let draft = try urlDraft(of: request, as: identity, validFor: duration, date: context.date)
    return try pendingSignature(of: draft, for: request, as: identity)
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Throws: The errors of `TwoStepSigner.finish(_:signature:)`, which also describes the parameters.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let digits = pending.bare(signature)
    guard digits.isLowerHex(byteCount: SHA256.digestByteCount) else {
      throw SigningError(
        .invalidSignature, "The signature is not 64 hexadecimal digits in lower case, or has another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    return pending.request(with: digits, urlSuffix: Self.signatureParameterPrefix.description + digits)
  }

  @inline(__always)
  private func checkedKey(_ key: AccessKey, at date: Timestamp) throws(SigningError) -> S3KeyAtTime {
    try key.check(idWithout: S3Text.idDelimiters)
    try checkConfiguration()
    let scope = scope(at: date)
    return S3KeyAtTime(
      key: key, tokenField: key.tokenField(named: .s3SecurityToken), scope: scope, dateText: scope.dateText)
  }

  /// Returns the fields of a request with those of its signature, which the draft can keep apart.
  private func signedFields(
    of request: HTTPRequest, additions: FieldDraft.Additions, with keyAtTime: S3KeyAtTime
  ) throws(SigningError) -> FieldDraft {
    var draft = try headerDraft(
      of: request, additions: additions, token: keyAtTime.tokenField, scope: keyAtTime.scope,
      dateText: keyAtTime.dateText)
    let authorization = try withCanonicalRequest(of: draft, for: request) { appendText, names in
      let signature = keyAtTime.signature(of: SHA256.hash(writing: appendText))
      return String(writing: { writer in
        appendAuthorizationPrefix(in: draft.scope, id: keyAtTime.key.id, names: names, to: &writer)
        writer.append(hex: signature)
      })
    }
    draft.fields.set(authorization, named: .authorization)
    return draft.fields
  }

  /// Returns the draft of a signature in the headers, with all of its fields except `Authorization`.
  private func headerDraft(
    of request: HTTPRequest, additions: FieldDraft.Additions = .joined, token: HTTPField?, scope: S3Scope,
    dateText: String
  ) throws(SigningError) -> S3Draft {
    try requireSignable(request)
    var fields = FieldDraft(request.headerFields, adding: 4, additions)
    fields.set(dateText, named: .s3Date)
    try setPayloadHash(of: &fields)
    fields.set(token, named: .s3SecurityToken)
    return S3Draft(fields: fields, path: request.path ?? "/", scope: scope, expiration: nil)
  }

  /// Sets `x-amz-content-sha256`, and checks the other headers that a chunked body needs.
  private func setPayloadHash(of fields: inout FieldDraft) throws(SigningError) {
    var signedPayload = payload
    if let payloadField {
      fields.set(payloadField)
    } else if let index = fields.index(of: .s3ContentSHA256) {
      signedPayload = S3Payload(header: fields.value(at: index))
      guard signedPayload != nil else {
        throw SigningError(
          .invalidHeader, "The header x-amz-content-sha256 is not one of the values that S3 knows.",
          remedy: "Leave it out, and give the signer the payload.")
      }
    } else {
      fields.set(Self.unsignedPayloadField)
    }
    guard let signedPayload, signedPayload.isChunked else { return }
    guard let length = fields.fields[.s3DecodedContentLength], Int64(digits: length) != nil else {
      throw SigningError(
        .invalidRequest, "A body in chunks needs its length in the header x-amz-decoded-content-length.",
        remedy: "Send the number of bytes of the object.")
    }
    guard fields.fields.contains(.s3Trailer) == signedPayload.hasTrailer else {
      throw SigningError(
        .invalidRequest, "The header x-amz-trailer does not go with the form of the body.",
        remedy: "Name the trailers in it, for a body with trailers alone.")
    }
  }

  private static let unsignedPayloadField = HTTPField(name: .s3ContentSHA256, value: S3Payload.unsigned.text)

  /// Returns the draft of a signature in a URL, which is valid for the given duration from a date.
  private func urlDraft(
    of request: HTTPRequest, as identity: Identity, validFor duration: Duration, date: Timestamp
  ) throws(SigningError) -> S3Draft {
    try requireSignable(request)
    let seconds = duration.components.seconds
    guard S3Limits.urlLifetimeSeconds.contains(seconds) else {
      throw SigningError(
        .lifetimeOutOfRange, "A URL cannot be valid for \(seconds) seconds.",
        remedy: "Request 1 to \(S3Limits.urlLifetimeSeconds.upperBound) seconds.")
    }
    let expiration = date.advanced(bySeconds: seconds)
    try identity.requireValidity(until: expiration)
    let fields = request.headerFields.without(Self.signatureHeaders)
    let path = request.path ?? "/"
    let names = try canonicalRequest.names(of: FieldDraft(fields), authority: request.authority)
    let scope = scope(at: date)
    let signedPath = String(writing: { writer in
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
    return S3Draft(fields: FieldDraft(fields), path: signedPath, scope: scope, expiration: expiration)
  }

  private static let signatureHeaders: [HTTPField.Name] = [.authorization, .s3SecurityToken, .s3Date, .s3ContentSHA256]

  private static let signatureParameterPrefix: StaticString = "&X-Amz-Signature="

  /// Returns the headers that the user of a presigned URL must send.
  private func signedHeaders(of fields: HTTPFields) -> HTTPFields {
    if fields.isEmpty { return [:] }
    return fields.filter { canonicalRequest.signs($0.name.canonicalName) }
  }

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
    _ body: (_ appendText: (inout ByteWriter) -> Void, _ names: Span<UInt8>) -> Result
  ) throws(SigningError) -> Result {
    try canonicalRequest.withCanonicalRequest(
      request, fields: draft.fields, path: draft.path,
      refusing: RefusedParameters(S3Text.signatureParameters, before: request.path?.utf8.count ?? 1), part: part, body)
  }

  /// Appends the value of `Authorization` up to the signature.
  private func appendAuthorizationPrefix(
    in scope: S3Scope, id: AccessKeyID, names: Span<UInt8>, to writer: inout ByteWriter
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

  private func pendingSignature(
    of draft: borrowing S3Draft, for request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    try withCanonicalRequest(of: draft, for: request) { appendText, names in
      let hash = SHA256.hash(writing: appendText)
      return PendingSignature(
        .s3V4, of: request, fields: draft.fields.fields, path: draft.expiration == nil ? nil : draft.path,
        as: identity, until: draft.expiration,
        texts: SignedTexts(
          stringToSign: String(writing: { draft.scope.append(stringToSign: hash, to: &$0) }),
          canonicalRequest: String(writing: appendText)),
        signedHeaders: signedHeaders(of: draft.fields.fields),
        prefix: String(writing: {
          appendAuthorizationPrefix(in: draft.scope, id: identity.id, names: names, to: &$0)
        }))
    }
  }

  var canonicalRequest: S3CanonicalRequest { S3CanonicalRequest(selection: .byRule(adding: additionalHeaders)) }
  func scope(at date: Timestamp) -> S3Scope { S3Scope(date: date, region: region, service: service) }
  func checkConfiguration() throws(SigningError) { if let configurationError { throw configurationError } }

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
}

/// An access key at one time, with the values that its signatures then have in common.
private struct S3KeyAtTime {
  let key: AccessKey
  let tokenField: HTTPField?
  let scope: S3Scope
  let dateText: String
  /// The signing key after it has hashed the string to sign up to the hash, or `nil` for a single request.
  var startedKey: HMACKey<SHA256>?

  /// Returns the signature of a canonical request with the given hash.
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
