// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// The unverified statements of a request about its OSS signature, such as the access key ID and the version.
public struct OSSClaim: SignatureClaim, Redacted {
  /// The ID of the access key with which the request claims to be signed.
  public let accessKeyID: AccessKeyID
  /// The session token in the request, or `nil` if the request contains no session token.
  public let sessionToken: Secret?
  /// The version of the OSS signature.
  public var version: OSSSignatureVersion { if case .v4 = scheme { .v4 } else { .v1 } }
  /// The part of the request that contains the signature: the headers or the URL.
  public let placement: VerifiedRequest.Placement
  /// The request that the claim was parsed from.
  public let request: HTTPRequest

  /// The access key ID and the placement, without the token, the signature and the request.
  public var description: String { "OSSClaim(\(accessKeyID), in the \(placement))" }

  let signature: String
  let scheme: Scheme
  let target: RequestTarget
  /// The verifier that parsed the claim, and is the only one that accepts it.
  let verifier: OSSVerifier

  /// The signing time or, for a V1 URL, the expiration.
  var instant: Timestamp {
    switch scheme {
    case .v1(let scheme): scheme.instant
    case .v4(let scheme): scheme.date
    }
  }

  enum Scheme {
    case v1(V1)
    case v4(V4)
  }

  /// The values that only V1 signatures have: the date line, and its time, which is the expiration in a URL.
  struct V1 {
    let dateLine: String
    let instant: Timestamp
  }

  /// The values that only V4 signatures have.
  struct V4 {
    let day: String
    let region: String
    let product: String
    let date: Timestamp
    /// The lifetime of a URL in seconds, or `nil` for a signature in the headers.
    let lifetime: Int64?
    let additionalHeaders: [String]
    /// The value of `Date` if only this header contains the signing time.
    var httpDate: String?

    /// The accepted date lines: first the value of `Date`, which the vendor's SDKs sign (Go SDK v1, `oss/auth.go`),
    /// then the date in ISO 8601, which the documentation requires.
    var dateLines: [String] { [httpDate, date.iso8601Basic].compactMap { $0 } }
    var scope: OSSV4Scope { OSSV4Scope(date: date, region: region, product: product) }

    /// Returns the access key ID and the parts of the scope.
    static func components(
      of credential: String
    ) throws(VerificationError) -> (id: String, day: String, region: String, product: String) {
      let parts = credential.parts(between: "/").map(String.init)
      guard parts.count == 5, !parts[0].isEmpty, parts[4] == OSSText.scopeTerminator.description else {
        throw .malformed("The credential is not id/date/region/product/aliyun_v4_request.")
      }
      return (parts[0], parts[1], parts[2], parts[3])
    }
  }

  var v4: V4? { if case .v4(let scheme) = scheme { scheme } else { nil } }
  private var isV1URL: Bool { version == .v1 && placement == .query }
  /// The signing time, which V1 URLs do not contain.
  var signedAt: Timestamp? { isV1URL ? nil : instant }
  var expiration: Timestamp? { isV1URL ? instant : v4?.lifetime.map { instant.advanced(by: .seconds($0)) } }

  /// The names of the signed headers; without `x-oss-date`, the `Date` header is a line of the string to sign.
  var signedHeaders: Set<String> {
    var names = Set(request.headerFields.map(\.name.canonicalName).filter { OSSV4Request.isSignedByRule($0) })
    if let v4 { names.formUnion(v4.additionalHeaders) }
    if placement == .header, request.headerFields.contains(.date), !request.headerFields.contains(.ossDate) {
      names.insert("date")
    }
    return names
  }

  /// V4 covers all parameters except the signature; V1 covers sub-resources and, as the date line of a URL, `Expires`.
  func signsParameter(named name: ByteExactString) -> Bool {
    switch scheme {
    case .v4: name != "x-oss-signature"
    case .v1: OSSSubresources().contains(decoded: name.string) || placement == .query && name == "Expires"
    }
  }
}

extension OSSVerifier {
  /// Parses the unverified statements of a request about its OSS signature.
  ///
  /// - Throws: The errors of `SignatureVerifier.claim(in:)`, which also describes the parameters.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> OSSClaim? {
    try limits.check(request)
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .oss)
    let authorizations = request.headerFields[fields: .authorization].map(\.value).filter { !$0.isEmpty }
    try checkParameterCase(of: target)
    let isV1URL = Self.v1Names.contains(where: target.contains)
    let isV4URL = Self.v4Names.contains(where: target.contains)
    guard authorizations.count + (isV1URL ? 1 : 0) + (isV4URL ? 1 : 0) <= 1 else {
      throw .ambiguous(
        "Either the Signature query string parameter or the Authorization header should be specified, not both.")
    }
    let claim: OSSClaim? =
      if let authorization = authorizations.first {
        try headerClaim(authorization, of: request, at: target)
      } else if isV1URL {
        try v1URLClaim(of: request, at: target)
      } else if isV4URL {
        try v4URLClaim(of: request, at: target)
      } else {
        nil
      }
    if let claim { try checkVersion(claim.version) }
    return claim
  }

  /// Rejects a parameter that differs only in case from a reserved name, and may thus be unsigned and have an effect.
  private func checkParameterCase(of target: RequestTarget) throws(VerificationError) {
    for parameter in target.parameters where !Self.reservedNames.contains(parameter.name) {
      let lowered =
        parameter.name.isLowercaseASCII ? parameter.name : ByteExactString(parameter.name.string.lowercased())
      guard !Self.loweredReservedNames.contains(lowered),
        !lowered.starts(with: "x-oss-") || parameter.name.starts(with: "x-oss-")
      else {
        throw VerificationError(
          .malformed,
          "The parameter \"\(parameter.name.string.onOneLine)\" is not in the case that OSS gives its name.",
          remedy: "Spell the names of parameters as the documentation does.")
      }
    }
  }

  // Comparing a few names takes less time than hashing one, so these are arrays.
  private static let v1Names: [ByteExactString] = ["OSSAccessKeyId", "Signature"]
  private static let v4Names: [ByteExactString] = ["x-oss-signature", "x-oss-signature-version", "x-oss-credential"]
  private static let reservedNames: [ByteExactString] = ["OSSAccessKeyId", "Signature", "security-token"]
  private static let loweredReservedNames = reservedNames.map(\.asciiLowercased)

  private func headerClaim(
    _ authorization: String, of request: HTTPRequest, at target: RequestTarget
  ) throws(VerificationError) -> OSSClaim {
    let token = try request.headerFields.uniqueValue(for: .ossSecurityToken).map { Secret($0) }
    guard let space = authorization.utf8.firstIndex(of: UInt8(ascii: " ")) else { throw Self.invalidAuthorization }
    let credentials = authorization[authorization.utf8.index(after: space)...]
    switch authorization[..<space] {
    case "OSS":
      let parts = credentials.parts(between: ":")
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw Self.invalidAuthorization }
      return OSSClaim(
        accessKeyID: try AccessKeyID(claimed: parts[0]), sessionToken: token, placement: .header, request: request,
        signature: String(parts[1]), scheme: .v1(try v1Scheme(of: request)), target: target, verifier: self)
    case OSSText.v4Algorithm.description:
      let fields = try Self.v4Fields(credentials)
      guard let credential = fields["Credential"], let signature = fields["Signature"] else {
        throw Self.invalidAuthorization
      }
      let date = try v4Date(of: request)
      return try v4Claim(
        credential: credential, signature: signature, additionalHeaderList: fields["AdditionalHeaders"],
        date: date.instant, httpDate: date.text, lifetime: nil, token: token, of: request, at: target)
    default:
      throw VerificationError(
        .unsupported, "The scheme of the Authorization header is not one of OSS.", remedy: "Sign with OSS V4 or V1.")
    }
  }

  /// Parses the fields of a V4 authorization: in any order, separated by commas with or without spaces.
  private static func v4Fields(_ text: Substring) throws(VerificationError) -> [String: String] {
    var fields: [String: String] = [:]
    for item in text.parts(between: ",") {
      let pair = item.droppingBlanks.parts(between: "=", maxSplits: 1)
      guard pair.count == 2, ["Credential", "AdditionalHeaders", "Signature"].contains(pair[0]), !pair[1].isEmpty,
        fields.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
      else { throw Self.invalidAuthorization }
    }
    return fields
  }

  /// The error with the service's text for a header that cannot be parsed.
  private static let invalidAuthorization = VerificationError.malformed("Authorization header is invalid.")

  /// Returns the date line of a signature in the headers; `x-oss-date` precedes `Date`, as at the service.
  private func v1Scheme(of request: HTTPRequest) throws(VerificationError) -> OSSClaim.V1 {
    let ossDate = try request.headerFields.uniqueValue(for: .ossDate)
    let httpDate = try request.headerFields.uniqueValue(for: .date)
    guard let line = ossDate ?? httpDate, let date = Timestamp(httpDate: line) else {
      throw VerificationError(
        .missingDate, "The request has no valid Date and no valid x-oss-date.",
        remedy: "Send the time of signing as an HTTP date.")
    }
    return OSSClaim.V1(dateLine: line, instant: date)
  }

  /// Returns the signing time and, without `x-oss-date`, the value of `Date`, which the vendor's Go SDK v1 signs.
  private func v4Date(of request: HTTPRequest) throws(VerificationError) -> (instant: Timestamp?, text: String?) {
    if let ossDate = try request.headerFields.uniqueValue(for: .ossDate) {
      return (Timestamp(iso8601Basic: ossDate), nil)
    }
    guard let text = try request.headerFields.uniqueValue(for: .date) else { return (nil, nil) }
    return (Timestamp(httpDate: text) ?? Timestamp(iso8601Basic: text), text)
  }

  private func v1URLClaim(of request: HTTPRequest, at target: RequestTarget) throws(VerificationError) -> OSSClaim {
    guard let id = try target.uniqueValue(for: "OSSAccessKeyId"),
      let signature = try target.uniqueValue(for: "Signature"),
      let expires = try target.uniqueValue(for: "Expires"), !id.isEmpty, let end = Self.seconds(expires)
    else { throw .malformed("The URL lacks one of OSSAccessKeyId, Expires and Signature, or one is malformed.") }
    try requireNoTokenHeader(in: request)
    return OSSClaim(
      accessKeyID: try AccessKeyID(claimed: id),
      sessionToken: try target.uniqueValue(for: "security-token").map { Secret($0) },
      placement: .query, request: request, signature: signature,
      scheme: .v1(.init(dateLine: expires, instant: Timestamp(unixSeconds: end))), target: target, verifier: self)
  }

  private func v4URLClaim(of request: HTTPRequest, at target: RequestTarget) throws(VerificationError) -> OSSClaim {
    guard try target.uniqueValue(for: "x-oss-signature-version") == OSSText.v4Algorithm.description else {
      throw Self.unsupportedVersion
    }
    guard let credential = try target.uniqueValue(for: "x-oss-credential"),
      let signature = try target.uniqueValue(for: "x-oss-signature"),
      let date = try target.uniqueValue(for: "x-oss-date"), let expires = try target.uniqueValue(for: "x-oss-expires"),
      let lifetime = Self.seconds(expires)
    else { throw .malformed("The URL lacks a parameter of the V4 signature, or one is malformed.") }
    try requireNoTokenHeader(in: request)
    let token = try target.uniqueValue(for: "x-oss-security-token").map { Secret($0) }
    return try v4Claim(
      credential: credential, signature: signature,
      additionalHeaderList: target.uniqueValue(for: "x-oss-additional-headers"),
      date: Timestamp(iso8601Basic: date), lifetime: lifetime, token: token, of: request, at: target)
  }

  static let unsupportedVersion = VerificationError(
    .unsupported, "The version of the signature is not OSS4-HMAC-SHA256.", remedy: "Sign with OSS V4 or V1.")

  private func v4Claim(
    credential: String, signature: String, additionalHeaderList: String?, date: Timestamp?, httpDate: String? = nil,
    lifetime: Int64?, token: Secret?, of request: HTTPRequest, at target: RequestTarget
  ) throws(VerificationError) -> OSSClaim {
    let components = try OSSClaim.V4.components(of: credential)
    guard let date else {
      throw .malformed("x-oss-date is not a date like 20261120T080000Z, or is missing and Date is not an HTTP date.")
    }
    let hash = try request.headerFields.uniqueValue(for: .ossContentSHA256)
    guard hash.map(accepts(payloadHash:)) ?? true else {
      throw VerificationError(
        .unsupported, "The payload hash is not UNSIGNED-PAYLOAD.",
        remedy: "Send x-oss-content-sha256: UNSIGNED-PAYLOAD.")
    }
    return OSSClaim(
      accessKeyID: try AccessKeyID(claimed: components.id), sessionToken: token,
      placement: lifetime == nil ? .header : .query, request: request, signature: signature,
      scheme: .v4(
        .init(
          day: components.day, region: components.region, product: components.product, date: date, lifetime: lifetime,
          additionalHeaders: try additionalHeaders(inList: additionalHeaderList, of: request), httpDate: httpDate)),
      target: target, verifier: self)
  }

  private func accepts(payloadHash text: String) -> Bool {
    text == OSSText.unsignedPayload.description
      || acceptsPayloadHashes && text.isLowerHex(byteCount: SHA256.digestByteCount)
  }

  private func additionalHeaders(inList list: String?, of request: HTTPRequest) throws(VerificationError) -> [String] {
    guard let list else { return [] }
    let names = list.parts(between: ";").map(String.init)
    guard Set(names).count == names.count, names.allSatisfy({ $0 == $0.asciiLowercased && !$0.isEmpty }) else {
      throw .malformed("The additional headers are not a list of different names in lower case.")
    }
    var presentNames = Set(request.headerFields.map(\.name.canonicalName))
    if request.authority != nil { presentNames.insert("host") } else { presentNames.remove("host") }
    for name in names where !presentNames.contains(name) {
      throw .malformed("The additional header \(name) is declared but missing.")
    }
    return names.filter { !OSSV4Request.isSignedByRule($0) }.sorted()
  }

  private func requireNoTokenHeader(in request: HTTPRequest) throws(VerificationError) {
    if request.headerFields.contains(.ossSecurityToken) {
      throw .ambiguous("The signature is in the URL and a session token in the headers.")
    }
  }

  /// Parses a number of seconds with at most 12 digits, so that a `Timestamp` can represent the time.
  private static func seconds(_ text: String) -> Int64? {
    (1...12).contains(text.utf8.count) ? Int64(digits: text) : nil
  }
}

extension ByteExactString {
  /// Whether the string is ASCII without uppercase letters, and is therefore its own lowercase form.
  fileprivate var isLowercaseASCII: Bool {
    utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
