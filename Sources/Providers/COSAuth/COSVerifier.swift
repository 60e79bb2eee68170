// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of V5 signatures of requests to COS, in the headers or in URLs of both formats.
///
/// ```swift
/// let proof = try await COSVerifier().verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// A COS signature covers only the headers and parameters that it lists. In both modes:
///
/// - An unlisted header or parameter that starts with `x-cos-` or `x-ci-` is rejected, except the session token, which
///   some of the vendor's SDKs leave out.
/// - The request must contain each listed name, and a listed header exactly once.
/// - The authorization's own parameters must be lowercase.
/// - A validity window that is longer than ``limits`` allow is rejected.
///
/// The HTTP string is the same for headers and for a URL, so one authorization can be used in both. The HTTP string
/// does not cover the letter case of parameter names.
///
/// Source of the rules: Tencent Cloud, "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>,
/// and the behavior of the vendor's SDKs where that page is silent.
public struct COSVerifier: SignatureVerifier, Hashable {
  /// The requirements for the headers and parameters that a signature must cover.
  public enum Mode: Sendable, Hashable {
    /// The signature must cover what the vendor's SDKs sign.
    case compatible
    /// The signature must cover the host, `Content-Length`, the session token and every query parameter.
    ///
    /// In a PUT or a POST, it must also cover every header that becomes part of the object. `Transfer-Encoding` is
    /// rejected, because it leaves the length undetermined.
    case strict
  }

  /// The requirements for the headers and parameters that a signature must cover.
  public let mode: Mode

  /// The position of the bucket name in the URL, or `nil` if the host determines the position.
  public let style: AddressingStyle?

  /// The bucket name for a custom domain, or `nil` if the URL of each request contains the bucket name.
  public let bucket: String?

  /// The limits of the request size and of the lifetime of an authorization.
  public let limits: VerificationLimits

  /// Creates a verifier of requests to COS.
  ///
  /// - Parameters:
  ///   - mode: The requirements for the headers and parameters that a signature must cover.
  ///   - style: The position of the bucket name in the URL. `nil` means the path for an IP address or `localhost`, and
  ///     otherwise the first label of the host.
  ///   - bucket: The bucket name for a custom domain, or `nil` if the URL of each request contains the bucket name.
  ///   - limits: The limits of the request size and of the lifetime of an authorization.
  public init(
    mode: Mode = .compatible, style: AddressingStyle? = nil, bucket: String? = nil,
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.mode = mode
    self.style = style
    self.bucket = bucket
    self.limits = limits
  }

  /// Parses the unverified statements of a request about its COS signature.
  ///
  /// - Throws: The errors of `SignatureVerifier.claim(in:)`, which also describes the parameters.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> COSClaim? {
    try limits.check(request)
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    let authorizations = request.headerFields[fields: .authorization].map(\.value).filter { !$0.isEmpty }
    try checkNames(of: target)
    let hasParameters = COSAuthorization.names.contains { target.contains(ByteExactString($0)) }
    let hasSignParameter = target.contains("sign")
    guard authorizations.count + (hasParameters ? 1 : 0) + (hasSignParameter ? 1 : 0) <= 1 else {
      throw .ambiguous("There is more than one authorization.")
    }
    let authorization: COSAuthorization
    if let text = authorizations.first {
      authorization = try COSAuthorization(text)
    } else if hasSignParameter, let text = try target.uniqueValue(for: "sign") {
      authorization = try COSAuthorization(text)
    } else if hasParameters {
      var fields: [String: String] = [:]
      for name in COSAuthorization.names { fields[name] = try target.uniqueValue(for: ByteExactString(name)) }
      authorization = try COSAuthorization(fields)
    } else {
      return nil
    }
    return COSClaim(
      accessKeyID: try AccessKeyID(claimed: authorization.id), sessionToken: try token(of: request, target),
      window: authorization.window,
      placement: authorizations.isEmpty ? .query : .header, request: request, signature: authorization.signature,
      headers: authorization.headers, parameters: authorization.parameters, target: target, verifier: self)
  }

  /// Verifies the signature that a request claims to have.
  ///
  /// - Throws: The errors of `SignatureVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ claim: COSClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard claim.verifier == self else { throw .claimOfAnotherVerifier }
    try claim.checkToken(against: key, at: date)
    let request = claim.request
    do throws(VerificationError) {
      try checkWindow(claim.window, at: date)
      try checkHeaders(of: claim, request)
      try checkParameters(of: claim)
      try checkSignature(of: claim, asSigned(claim), against: key)
      try checkStoredHeaders(of: claim, request)
      try limits.checkLifetime(from: claim.window.start, until: claim.window.end, at: date, in: claim.placement)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
    let signedParameters = claim.parameterNames
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: false, target: claim.target.ignoringCase,
      signedHeaders: claim.signedHeaders, signature: Secret(claim.signature),
      expiration: claim.window.end,
      usableFrom: claim.window.start,
      // The service counts whole seconds, so that the last second is accepted to its end.
      usableUntil: claim.window.end.advanced(by: .seconds(1)),
      signsParameter: { signedParameters.contains($0.name.asciiLowercased) })
  }

  /// The prefixes of the header and parameter names that control COS and its data processing.
  public var controlPrefixes: [String] { ServiceDescription.cos.controlPrefixes }

  /// The status codes and error codes with which COS rejects a request, from the page "Error Codes" of its
  /// documentation.
  public var errorCodes: ServiceErrorCodes { ServiceDescription.cos.errorCodes }

  /// Returns a Boolean value that indicates whether a request contains a COS authorization, well-formed or not.
  ///
  /// - Parameter request: The request as received.
  /// - Throws: A `VerificationError` if the request cannot be parsed, or if it exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.hasAuthorization(startingWith: "q-") { return true }
    return try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
      .hasParameter(among: Self.authorizationNames)
  }

  /// The lowercase names of query parameters; any of them marks a URL as presigned.
  private static let authorizationNames = NameTable(COSAuthorization.names + ["sign"])

  /// Returns the session token from a header or the URL; several must be equal.
  private func token(of request: HTTPRequest, _ target: RequestTarget) throws(VerificationError) -> Secret? {
    let candidates = [
      try request.headerFields.uniqueValue(for: .cosSecurityToken),
      try request.headerFields.uniqueValue(for: .ciSecurityToken),
      try target.uniqueValue(for: "x-cos-security-token"),
    ].compactMap { $0 }.filter { !$0.isEmpty }
    guard candidates.allSatisfy({ $0 == candidates[0] }) else {
      throw .ambiguous("There are two different session tokens.")
    }
    return candidates.first.map { Secret($0) }
  }

  func checkWindow(_ window: COSKeyTime, at now: Timestamp) throws(VerificationError) {
    let second = now.wholeSeconds
    if second > window.end {
      throw VerificationError(
        .expired, "The signature was valid until \(window.end).", remedy: "Sign again; check the clock."
      ).with(instant: window.end)
    }
    if second < window.start {
      throw VerificationError(
        .notYetValid, "The signature is valid from \(window.start).",
        remedy: "Set the clock of the machine that signs, or use the start time of the token server."
      ).with(instant: window.start)
    }
  }

  private func checkSignature(
    of claim: COSClaim, _ request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) {
    let mismatch: VerificationError?
    do throws(SigningError) {
      mismatch = try findMismatch(of: claim, request, with: key)
    } catch {
      mismatch = VerificationError(error)
    }
    if let mismatch { throw mismatch }
  }

  /// Compares the signature with the signatures of all HTTP strings that the vendor's SDKs may have signed.
  ///
  /// The result is `nil` if one of them is equal.
  private func findMismatch(
    of claim: COSClaim, _ request: HTTPRequest, with key: AccessKey
  ) throws(SigningError) -> VerificationError? {
    let signingKey = claim.window.signingKey(of: key)
    for reading in readings(of: claim, request) {
      let hash = try reading.withHTTPString(request, fields: request.headerFields, path: request.path ?? "/") {
        text, _, _ in SHA1.hash(writing: text)
      }
      let expected = signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: claim.window) }.hex
      if constantTimeEqual(expected, claim.signature) { return nil }
    }
    return try claim.mismatch(claim.signature, with: key) { () throws(SigningError) in try signedTexts(of: claim) }
  }

  /// Returns the HTTP string and the string to sign for a request, in the documented form.
  package func signedTexts(of claim: COSClaim) throws(SigningError) -> SignedTexts {
    let reading = COSHTTPString(policy: .only(Set(claim.headers)), parameterNames: claim.parameterNames)
    let signed = asSigned(claim)
    let (text, hash) = try reading.withHTTPString(
      signed, fields: signed.headerFields, path: signed.path ?? "/"
    ) { text, _, _ in
      (String(writing: text), SHA1.hash(writing: text))
    }
    return SignedTexts(
      stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: claim.window) }), canonicalRequest: text)
  }
}

extension COSVerifier {
  /// Rejects an authorization or session token parameter whose name is not lowercase.
  ///
  /// Only these parameters may be left out of the signature's list. In another letter case, such a parameter would be
  /// neither signed nor recognized.
  func checkNames(of target: RequestTarget) throws(VerificationError) {
    for parameter in target.parameters {
      // All case mappings of Unicode count, including the mapping of U+212A (KELVIN SIGN) to `k`, because the program
      // that reads the name may use any of them.
      let lowered = ByteExactString(parameter.name.string.lowercased())
      guard Self.isAuthorization(lowered) || Self.tokenNames.contains(lowered), parameter.name != lowered else {
        continue
      }
      throw VerificationError(
        .malformed, "The parameter \"\(parameter.name.string.onOneLine)\" is not in lower case.",
        remedy: "Spell the parameters of the authorization in lower case.")
    }
  }

  /// Rejects lists of headers that do not match the request, and unlisted headers that have an effect.
  private func checkHeaders(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    let listed = Set(claim.headers)
    guard listed.count == claim.headers.count else { throw .ambiguous("The list of signed headers names one twice.") }
    var present: [String: Int] = [:]
    for field in request.headerFields { present[field.name.canonicalName, default: 0] += 1 }
    for name in claim.headers where name != "host" {
      let count = present[name] ?? 0
      guard count == 1 || count == 0 && isTokenInURL(name, claim) else {
        throw count == 0
          ? .malformed("The header \(name) is listed as signed and not there.")
          : .ambiguous("The header \(name) is signed and there \(count) times.")
      }
    }
    for field in request.headerFields where !listed.contains(field.name.canonicalName) {
      let name = field.name.canonicalName
      if mode == .compatible, Self.tokenNames.contains(ByteExactString(name)) { continue }
      if Self.hasEffect(name) || mode == .strict && name == "content-length" { throw Self.unsigned("header \(name)") }
    }
    if mode == .strict { try checkHostAndLength(of: claim, request) }
  }

  /// Rejects a request whose host is not signed, or whose body is chunked, so that the sender determines its length.
  private func checkHostAndLength(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    guard claim.headers.contains("host") else { throw Self.unsigned("host") }
    guard !request.headerFields.contains(.transferEncoding) else {
      throw VerificationError(
        .unsignedField, "The length of a body with Transfer-Encoding cannot be signed.",
        remedy: "Send the body with a Content-Length, and sign that.")
    }
  }

  /// Rejects, in strict mode, an unsigned header that becomes part of the object.
  func checkStoredHeaders(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    guard mode == .strict, request.method == .put || request.method == .post else { return }
    for field in request.headerFields {
      let name = field.name.canonicalName
      if Self.storedNames.contains(name), !claim.headers.contains(name) { throw Self.unsigned("header \(name)") }
    }
  }

  private static let storedNames: Set<String> = [
    "cache-control", "content-disposition", "content-encoding", "content-md5", "content-type", "expires",
  ]

  /// Returns the request as the client signed it, with the token as a header if the signature lists one.
  func asSigned(_ claim: COSClaim) -> HTTPRequest {
    var request = claim.request
    guard claim.headers.contains("x-cos-security-token"), !request.headerFields.contains(.cosSecurityToken),
      let token = claim.sessionToken
    else { return request }
    request.headerFields.append(HTTPField(name: .cosSecurityToken, value: token.reveal()))
    return request
  }

  /// Returns whether a listed header is the session token in a URL, which the iOS SDK lists as a header even there.
  private func isTokenInURL(_ name: String, _ claim: COSClaim) -> Bool {
    mode == .compatible && claim.placement == .query && name == "x-cos-security-token"
      && claim.target.contains(ByteExactString(name))
  }

  private static let tokenNames: Set<ByteExactString> = ["x-cos-security-token", "x-ci-security-token"]

  /// Rejects lists of parameters that do not match the URL, and unlisted parameters that have an effect.
  private func checkParameters(of claim: COSClaim) throws(VerificationError) {
    var present: [ByteExactString: Int] = [:]
    for parameter in claim.target.parameters { present[parameter.name.asciiLowercased, default: 0] += 1 }
    let listed = claim.parameters.reduce(into: [ByteExactString: Int]()) { $0[ByteExactString($1), default: 0] += 1 }
    for name in claim.parameters.map({ ByteExactString($0) }) {
      let listedCount = listed[name] ?? 0
      guard let presentCount = present[name] else {
        throw .malformed("The parameter \(name) is listed as signed and not there.")
      }
      // The Go SDK lists a repeated name as often as it occurs, and the Android SDK lists it once.
      guard listedCount == presentCount || mode == .compatible && listedCount == 1 else {
        throw .ambiguous("The parameter \(name) is listed \(listedCount) times and there \(presentCount) times.")
      }
    }
    for name in claim.target.parameters.map(\.name.asciiLowercased)
    where listed[name] == nil && !Self.isAuthorization(name) {
      if mode == .compatible, name == "x-cos-security-token" { continue }
      if mode == .strict || Self.hasEffect(name.string) { throw Self.unsigned("parameter \(name)") }
    }
  }

  /// Returns whether a lowercase name has an effect; `pic-operations` makes an upload write other objects too.
  private static func hasEffect(_ name: String) -> Bool {
    name == "pic-operations" || withBytes(of: name) { COSHeaderPolicy.hasEffectPrefix($0) }
  }

  private static func isAuthorization(_ name: ByteExactString) -> Bool {
    name == "sign" || COSAuthorization.names.contains { name == ByteExactString($0) }
  }

  private static func unsigned(_ part: String) -> VerificationError {
    VerificationError(.unsignedField, "The \(part) is not signed.", remedy: "Sign it: list it in the authorization.")
  }

  /// Returns the HTTP strings that the vendor's SDKs may have signed, starting with the documented form.
  func readings(of claim: COSClaim, _ request: HTTPRequest) -> [COSHTTPString] {
    let headers = Set(claim.headers)
    let standard = COSHTTPString(policy: .only(headers), parameterNames: claim.parameterNames)
    guard mode == .compatible else { return [standard] }
    // All SDKs encode and sort the names that need no encoding in the same way.
    let isPlain =
      claim.parameters.allSatisfy { $0.utf8.allSatisfy(PercentEncoding.component.keeps) }
      && hasDistinctParameters(claim)
    var readings =
      isPlain
      ? [standard]
      : COSSpelling.allCases.map { spelling in
        var reading = standard
        reading.spelling = spelling
        return reading
      }
    if let authority = request.authority, headers.contains("host") {
      // The Python SDK signs the host without its port.
      let host = hostWithoutPort(authority)
      if host != authority {
        readings += readings.map { reading in
          var reading = reading
          reading.host = host.asciiLowercased
          return reading
        }
      }
    }
    return readings
  }

  private func hasDistinctParameters(_ claim: COSClaim) -> Bool {
    let names = claim.target.parameters.map(\.name.asciiLowercased)
    return Set(names).count == names.count
  }
}
