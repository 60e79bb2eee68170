// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The key ID, session token and signature that a request to OBS contains, before they are verified.
public struct OBSClaim: SignatureClaim {
  /// The ID of the key that the request claims to be signed with.
  public let accessKeyID: AccessKeyID

  /// The session token in the request, or `nil` if the request contains no token.
  public let sessionToken: Secret?

  /// The position of the signature: in the headers or in the URL.
  public let placement: VerifiedRequest.Placement

  /// The fourth line of the string to sign: a date, the expiration of a URL, or an empty string.
  let dateLine: String

  /// The signing time of a request, or the expiration of a presigned URL.
  let instant: Timestamp
  let signature: Secret
  let request: HTTPRequest
  let address: OBSAddress
}

extension OBSClaim: Redacted {
  /// The access key ID and the placement, without the token, the signature and the request.
  public var description: String { "OBSClaim(\(accessKeyID), in the \(placement))" }
}

/// A verifier of signatures in the headers or URLs of requests to OBS.
///
/// ```swift
/// let proof = try await OBSVerifier().verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// The signature includes the bucket, the key, the parameters that OBS calls sub-resources, Content-Type, Content-MD5
/// and the headers and parameters that start with `x-obs-`. The sender of the request can change everything else.
///
/// Source: Huawei Cloud, "Authentication of Signature in a Header" and "Authentication of Signature in a URL".
public struct OBSVerifier: SignatureVerifier {
  /// The position of the bucket name in request URLs, or `nil` to derive it from the host.
  public let style: AddressingStyle?

  /// The limits on the size of a request and on the lifetime of a presigned URL.
  public let limits: VerificationLimits

  let subresources: OBSSubresources
  private var acceptsPayloadHashes = false

  /// Creates a verifier for OBS requests.
  ///
  /// - Parameters:
  ///   - style: The position of the bucket name in request URLs, as for an ``OBSSigner``.
  ///   - additionalSubresources: The names of query parameters that the service signs and its documentation omits.
  ///   - limits: The limits on the size of a request and on the lifetime of a presigned URL.
  public init(
    style: AddressingStyle? = nil, additionalSubresources: Set<String> = [],
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.style = style
    self.limits = limits
    subresources = OBSSubresources(adding: additionalSubresources)
  }

  /// The prefix of the headers and parameters that control OBS operations, `x-obs-`.
  public var controlPrefixes: [String] { [OBSName.prefix] }

  /// The error codes for rejected requests, from "Error Codes" in the documentation.
  ///
  /// The documentation has no error code for a wrong token, so the codes of the other services apply.
  public var errorCodes: ServiceErrorCodes {
    ServiceErrorCodes(refusals: [.expired: .init(.forbidden, "RequestTimeTooSkewed")])
  }

  /// The header that contains the SHA-256 of the body, `x-obs-content-sha256`.
  public var payloadHashHeader: HTTPField.Name? { OBSField.contentSHA256 }

  /// A copy of the verifier that accepts body hashes, for a caller that compares the body with the hash.
  ///
  /// The hash is in the `x-obs-content-sha256` header.
  public var acceptingPayloadHashes: OBSVerifier {
    var copy = self
    copy.acceptsPayloadHashes = true
    return copy
  }

  /// Returns a Boolean value that indicates whether a request contains an OBS authorization, well-formed or not.
  ///
  /// - Parameter request: The request as it arrived.
  /// - Throws: A `VerificationError` if the request cannot be parsed, or exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    let values = request.headerFields[values: .authorization].map { ByteExactString($0).asciiLowercased }
    if values.contains(where: { $0.starts(with: "obs ") }) { return true }
    return try OBSAddress(of: request, style: style).target.parameters.contains {
      OBSName.authorization.contains($0.name.asciiLowercased)
    }
  }

  /// Parses the key ID, session token and signature that a request contains.
  ///
  /// - Parameter request: The request as it arrived, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request contains no authorization.
  /// - Throws: A `VerificationError` if the authorization is malformed, if the request contains two authorizations, or
  ///   if the request exceeds the limits.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> OBSClaim? {
    try limits.check(request)
    let address = try OBSAddress(of: request, style: style)
    let target = address.target
    for parameter in target.parameters
    where parameter.name != OBSName.id && parameter.name != OBSName.signature
      && OBSName.authorization.contains(parameter.name.asciiLowercased)
    {
      throw .malformed("The parameter \"\(parameter.name)\" is not in the case that OBS gives its name.")
    }
    let authorizations = request.headerFields[values: .authorization].filter { !$0.isEmpty }
    let isURL = target.contains(OBSName.id) || target.contains(OBSName.signature)
    guard authorizations.count + (isURL ? 1 : 0) < 2 else {
      throw .ambiguous("The request carries more than one authorization.")
    }
    guard isURL || !authorizations.isEmpty else { return nil }
    if let hash = try request.headerFields.uniqueValue(for: OBSField.contentSHA256) {
      guard acceptsPayloadHashes, hash.utf8.count == 64, hash.utf8.allSatisfy(Self.isLowerHex) else {
        throw VerificationError(
          .unsupported, "The hash of the body is not 64 lower-case hexadecimal digits, or is not checked here.",
          remedy: "Leave x-obs-content-sha256 out.")
      }
    }
    guard let authorization = authorizations.first else { return try urlClaim(request, address) }
    return try headerClaim(authorization, request, address)
  }

  private func headerClaim(
    _ authorization: String, _ request: HTTPRequest, _ address: OBSAddress
  ) throws(VerificationError) -> OBSClaim {
    let fields = request.headerFields
    guard ByteExactString(authorization).starts(with: "OBS ") else {
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not OBS.", remedy: "Sign with OBS.")
    }
    let parts = authorization.utf8.dropFirst(4).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw .malformed("The Authorization header is not OBS id:signature.")
    }
    guard !address.target.contains(OBSName.token) else {
      throw .ambiguous("The signature is in the headers and a session token in the URL.")
    }
    let chosen = try fields.uniqueValue(for: OBSField.date)
    let plain = try fields.uniqueValue(for: .date)
    guard let date = (chosen ?? plain).flatMap({ Timestamp(httpDate: $0) }) else {
      throw VerificationError(
        .missingDate, "OBS authentication requires a valid Date or x-obs-date header.",
        remedy: "Send the time of signing as an HTTP date.")
    }
    return OBSClaim(
      accessKeyID: try AccessKeyID(claimed: Substring(parts[0])),
      sessionToken: try fields.uniqueValue(for: OBSField.token).map { Secret($0) }, placement: .header,
      dateLine: chosen == nil ? plain ?? "" : "", instant: date, signature: Secret(String(Substring(parts[1]))),
      request: request, address: address)
  }

  private func urlClaim(_ request: HTTPRequest, _ address: OBSAddress) throws(VerificationError) -> OBSClaim {
    let target = address.target
    guard !target.contains(OBSName.policy) else {
      throw VerificationError(
        .unsupported, "The URL is signed for a policy and not for an object.", remedy: "Sign the URL of the object.")
    }
    guard let id = try target.uniqueValue(for: OBSName.id),
      let signature = try target.uniqueValue(for: OBSName.signature),
      let expires = try target.uniqueValue(for: OBSName.expires), (1...12).contains(expires.utf8.count),
      expires.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let end = Int64(expires)
    else { throw .malformed("The URL lacks one of AccessKeyId, Expires and Signature, or one is malformed.") }
    guard !request.headerFields.contains(OBSField.token) else {
      throw .ambiguous("The signature is in the URL and a session token in the headers.")
    }
    return OBSClaim(
      accessKeyID: try AccessKeyID(claimed: id),
      sessionToken: try target.uniqueValue(for: OBSName.token).map { Secret($0) },
      placement: .query, dateLine: expires, instant: Timestamp(unixSeconds: end), signature: Secret(signature),
      request: request, address: address)
  }

  private static func isLowerHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Verifies the claimed signature of a request.
  ///
  /// - Parameters:
  ///   - claim: The result of ``claim(in:)`` of a verifier with the same settings.
  ///   - key: The key with the claimed ID.
  ///   - date: The current time.
  /// - Returns: The verified request, with the only interpretation that the signature authorizes.
  /// - Throws: A `VerificationError` if the time, the session token or the signature is wrong.
  public func verify(
    _ claim: OBSClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try claim.checkToken(against: key, at: date)
    try checkTime(of: claim, at: date)
    let text: String
    do throws(SigningError) {
      text = try OBSStringToSign(address: claim.address, subresources: subresources).text(
        of: claim.request, date: claim.dateLine)
    } catch {
      throw VerificationError(error).with(accessKeyID: claim.accessKeyID)
    }
    let code = key.authenticationCode(for: text, using: .hmacSHA1)
    guard Secret(code.base64) == claim.signature else {
      throw claim.mismatch(claim.signature.reveal(), with: key) {
        SignedTexts(stringToSign: text, canonicalRequest: nil)
      }
    }
    if claim.placement == .query {
      try limits.checkLifetime(from: date, until: claim.instant, at: date, in: .query)
    }
    return verified(claim)
  }

  private func checkTime(of claim: OBSClaim, at date: Timestamp) throws(VerificationError) {
    let rest = date.duration(to: claim.instant)
    let error: VerificationError?
    switch claim.placement {
    case .header:
      error =
        rest.magnitude <= VerificationLimits.clockTolerance
        ? nil
        : VerificationError(
          .clockSkew, "The request was signed at \(claim.instant), and it is \(date).", remedy: "Set the clock.")
    case .query:
      if date > claim.instant {
        error = VerificationError(.expired, "The URL expired at \(claim.instant).", remedy: "Sign a new one.")
      } else if rest >= OBSSigner.urlLifetime {
        error = VerificationError(
          .lifetimeOutOfRange, "The URL expires 20 years from now or later.", remedy: "Sign for a shorter time.")
      } else {
        error = nil
      }
    }
    if let error { throw error.with(accessKeyID: claim.accessKeyID, instant: claim.instant) }
  }

  private func verified(_ claim: OBSClaim) -> VerifiedRequest {
    var headers = Set(claim.request.headerFields.map(\.name.canonicalName).filter(OBSName.signsHeader))
    if !claim.dateLine.isEmpty, claim.placement == .header { headers.insert("date") }
    let isURL = claim.placement == .query
    return VerifiedRequest(
      accessKeyID: claim.accessKeyID, placement: claim.placement,
      // The fourth line of a URL is a number; the fourth line of a header signature is a date or empty.
      signsPlacement: true, target: claim.address.target, signedHeaders: headers, signature: claim.signature,
      expiration: isURL ? claim.instant : nil,
      usableFrom: isURL ? nil : claim.instant.advanced(by: .zero - VerificationLimits.clockTolerance),
      usableUntil: isURL ? claim.instant : claim.instant.advanced(by: VerificationLimits.clockTolerance),
      signsParameter: { subresources.contains($0.name) || isURL && $0.name == OBSName.expires })
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
