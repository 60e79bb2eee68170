// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of V5 signatures of requests to COS, in the headers or in URLs of both formats.
///
/// ```swift
/// let verified = try await COSVerifier().verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// A COS signature covers only the headers and parameters that it lists. In both modes:
///
/// - An unlisted `x-cos-` or `x-ci-` header or parameter is rejected, except the session token, which some SDKs omit.
/// - The request must contain each listed name, and a listed header exactly once.
/// - The authorization's own parameters must be lowercase.
/// - A validity window that is longer than ``limits`` allow is rejected.
///
/// The HTTP string is the same for headers and for a URL, so one authorization can be used in both. It does not cover
/// the letter case of parameter names. ``COSSigner`` lists the sources.
public struct COSVerifier: SignatureVerifier, Hashable {
  /// The requirements for the headers and parameters that a signature must cover.
  public enum Mode: Sendable, Hashable {
    /// The signature must cover what the vendor's SDKs sign.
    case compatible
    /// The signature must cover the host, `Content-Length`, the session token and every query parameter.
    ///
    /// In a PUT or a POST, it must also cover every header that describes the content. `Transfer-Encoding` is rejected,
    /// because it leaves the length undetermined, and so is a body without `Content-Length`, which HTTP/2 permits.
    case strict
  }

  /// The requirements for the headers and parameters that a signature must cover.
  public let mode: Mode
  /// The position of the bucket name in the URL; `nil` means the path for an IP address or `localhost`, else the host.
  public let style: AddressingStyle?
  /// The bucket name for a custom domain, or `nil` if the URL of each request contains the bucket name.
  public let bucket: String?
  /// The limits of the request size and of the lifetime of an authorization.
  public let limits: VerificationLimits

  /// Creates a verifier of requests to COS; the parameters are the properties.
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
    try checkParameterCase(of: target)
    let hasParameters = COSAuthorization.fieldNames.contains { target.contains(ByteExactString($0)) }
    let hasSignParameter = target.contains("sign")
    let authorizationCount = authorizations.count + (hasParameters ? 1 : 0) + (hasSignParameter ? 1 : 0)
    guard authorizationCount <= 1 else { throw .ambiguous("There is more than one authorization.") }
    let signText = hasSignParameter ? try target.uniqueValue(for: "sign") : nil
    let authorization: COSAuthorization
    if let text = authorizations.first ?? signText {
      authorization = try COSAuthorization(text)
    } else if hasParameters {
      var fields: [String: String] = [:]
      for name in COSAuthorization.fieldNames { fields[name] = try target.uniqueValue(for: ByteExactString(name)) }
      authorization = try COSAuthorization(fields)
    } else {
      return nil
    }
    return COSClaim(
      accessKeyID: try AccessKeyID(claimed: authorization.id), sessionToken: try sessionToken(of: request, at: target),
      window: authorization.window, placement: authorizations.isEmpty ? .query : .header, request: request,
      signature: authorization.signature, listedHeaders: authorization.listedHeaders,
      listedParameters: authorization.listedParameters, target: target, verifier: self)
  }

  /// Verifies the signature that a request claims to have.
  ///
  /// - Throws: The errors of `SignatureVerifier.verify(_:against:at:)`, which also describes the parameters.
  public func verify(
    _ claim: COSClaim, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard claim.verifier == self else { throw .claimOfAnotherVerifier }
    try claim.checkToken(against: key, at: date)
    do throws(VerificationError) {
      try checkWindow(claim.window, at: date)
      try checkHeaders(of: claim)
      try checkParameters(of: claim)
      try checkSignature(of: claim, against: key)
      try checkContentHeaders(of: claim)
      try limits.checkLifetime(from: claim.window.start, until: claim.window.end, at: date, in: claim.placement)
    } catch { throw error.with(accessKeyID: claim.accessKeyID) }
    let signedParameters = claim.signedParameters
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: false, target: claim.target.ignoringCase,
      signedHeaders: claim.signedHeaders, signature: Secret(claim.signature), expiration: claim.window.end,
      usableFrom: claim.window.start,
      // The service counts whole seconds, so that the last second is accepted to its end.
      usableUntil: claim.window.end.advanced(by: .seconds(1)), bodyDecoder: bodyDecoder(of: claim.request),
      signsParameter: { signedParameters.contains($0.name.asciiLowercased) })
  }

  /// The prefixes of the header and parameter names that control COS and its data processing.
  public var controlPrefixes: [String] { ServiceDescription.cos.controlPrefixes }
  /// The status codes and error codes with which COS rejects a request, from the page "Error Codes".
  public var errorCodes: ServiceErrorCodes { ServiceDescription.cos.errorCodes }

  /// Returns whether a request contains a COS authorization, well-formed or not.
  ///
  /// - Throws: The errors of `SignatureVerifier.recognizes(_:)`, which also describes the parameters.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.hasAuthorization(startingWith: "q-") { return true }
    return try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
      .hasParameter(among: Self.authorizationNames)
  }

  /// The lowercase names of query parameters; any of them marks a URL as presigned.
  private static let authorizationNames = NameTable(COSAuthorization.fieldNames + ["sign"])

  /// Returns the session token from a header or the URL; several tokens must be equal.
  private func sessionToken(of request: HTTPRequest, at target: RequestTarget) throws(VerificationError) -> Secret? {
    let tokens = [
      try request.headerFields.uniqueValue(for: .cosSecurityToken),
      try request.headerFields.uniqueValue(for: .ciSecurityToken),
      try target.uniqueValue(for: "x-cos-security-token"),
    ].compactMap { $0 }.filter { !$0.isEmpty }
    guard tokens.allSatisfy({ $0 == tokens[0] }) else { throw .ambiguous("There are two different session tokens.") }
    return tokens.first.map { Secret($0) }
  }

  func checkWindow(_ window: COSKeyTime, at now: Timestamp) throws(VerificationError) {
    // The service counts whole seconds.
    let currentSecond = now.wholeSeconds
    if currentSecond > window.end {
      throw VerificationError(
        .expired, "The signature was valid until \(window.end).", remedy: "Sign again; check the clock."
      ).with(instant: window.end)
    }
    if currentSecond < window.start {
      throw VerificationError(
        .notYetValid, "The signature is valid from \(window.start).",
        remedy: "Set the clock of the machine that signs, or use the start time of the token server."
      ).with(instant: window.start)
    }
  }

  private func checkSignature(of claim: COSClaim, against key: AccessKey) throws(VerificationError) {
    let error: VerificationError?
    do throws(SigningError) {
      error = try mismatch(of: claim, with: key)
    } catch { throw VerificationError(error) }
    if let error { throw error }
  }

  /// Returns the error if the signature belongs to none of the HTTP strings that the vendor's SDKs may have signed.
  private func mismatch(of claim: COSClaim, with key: AccessKey) throws(SigningError) -> VerificationError? {
    let request = signedRequest(of: claim)
    let signingKey = claim.window.signingKey(of: key)
    for httpString in candidateHTTPStrings(for: claim, request: request) {
      let hash = try httpString.withHTTPString(
        request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
      ) { appendText, _, _ in SHA1.hash(writing: appendText) }
      let expected = signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: claim.window) }.hex
      if constantTimeEqual(expected, claim.signature) { return nil }
    }
    return try claim.mismatch(claim.signature, with: key) { () throws(SigningError) in try signedTexts(of: claim) }
  }

  /// Returns the HTTP string and the string to sign for a request, in the documented form.
  package func signedTexts(of claim: COSClaim) throws(SigningError) -> SignedTexts {
    let httpString = COSHTTPString(policy: .only(Set(claim.listedHeaders)), parameterNames: claim.signedParameters)
    let request = signedRequest(of: claim)
    return try httpString.withHTTPString(
      request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
    ) { appendText, _, _ in
      let hash = SHA1.hash(writing: appendText)
      return SignedTexts(
        stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: claim.window) }),
        canonicalRequest: String(writing: appendText))
    }
  }

  /// Returns the request as the client signed it, with the token as a header if the signature lists one.
  private func signedRequest(of claim: COSClaim) -> HTTPRequest {
    var request = claim.request
    guard claim.listedHeaders.contains("x-cos-security-token"), !request.headerFields.contains(.cosSecurityToken),
      let token = claim.sessionToken
    else { return request }
    request.headerFields.append(HTTPField(name: .cosSecurityToken, value: token.reveal()))
    return request
  }

  /// Returns the HTTP strings that the vendor's SDKs may have signed, starting with the documented form.
  private func candidateHTTPStrings(for claim: COSClaim, request: HTTPRequest) -> [COSHTTPString] {
    let policy = COSHeaderPolicy.only(Set(claim.listedHeaders))
    let names = claim.signedParameters
    guard mode == .compatible else { return [COSHTTPString(policy: policy, parameterNames: names)] }
    let spellings = allSDKsAgree(on: claim) ? [COSSpelling.standard] : COSSpelling.allCases
    let candidates = spellings.map { COSHTTPString(policy: policy, parameterNames: names, spelling: $0) }
    guard policy.signsHost, let authority = request.authority else { return candidates }
    let host = hostWithoutPort(authority)
    if host == authority { return candidates }
    // The Python SDK signs the host without its port.
    let signedHost = host.asciiLowercased
    return candidates
      + spellings.map { COSHTTPString(policy: policy, parameterNames: names, spelling: $0, host: signedHost) }
  }

  /// Returns whether the names of the parameters are different and need no encoding, so that all SDKs sort them alike.
  private func allSDKsAgree(on claim: COSClaim) -> Bool {
    let names = claim.target.parameters.map(\.name.asciiLowercased)
    return claim.listedParameters.allSatisfy { $0.utf8.allSatisfy(PercentEncoding.component.keeps) }
      && Set(names).count == names.count
  }
}
