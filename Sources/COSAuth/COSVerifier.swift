// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A verifier of the V5 signatures of requests to COS, in headers and in URLs of both forms.
///
/// ```swift
/// let proof = try await COSVerifier().verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// A COS signature covers only the headers and parameters that it lists. In both modes the verifier rejects a header or
/// parameter that starts with `x-cos-` or `x-ci-` and is not listed, except for the session token, which some of the
/// vendor's SDKs leave out. Each listed name must be in the request, a header exactly once. The parameters of the
/// authorization itself must be in lower case.
///
/// The HTTP string is the same for headers and for a URL, so that one authorization can be used in both. It does not
/// cover the case of parameter names. A window that is longer than ``limits`` allow is rejected.
///
/// Source of the rules: Tencent Cloud, "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>,
/// and the behavior of the vendor's SDKs where that page is silent.
public struct COSVerifier: SignatureVerifier {
  /// The extent of what a signature must cover.
  public enum Mode: Sendable, Hashable {
    /// The verifier accepts what the vendor's SDKs send.
    case compatible
    /// The signature must cover the host, Content-Length, the session token and every parameter; in a PUT or a POST
    /// also every header that becomes part of the object.
    ///
    /// Transfer-Encoding is rejected, because it leaves the length undetermined.
    case strict
  }

  /// The extent of what a signature must cover.
  public let mode: Mode

  /// The position of the bucket name, or `nil` if the host decides.
  public let style: AddressingStyle?

  /// The bucket of a custom domain, or `nil` if the request names the bucket.
  public let bucket: String?

  /// The limits of the size of a request and of the lifetime of an authorization.
  public let limits: VerificationLimits

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - mode: The extent of what a signature must cover.
  ///   - style: The position of the bucket name; `nil` means the path for an IP address or `localhost`, and otherwise
  ///     the first label of the host.
  ///   - bucket: The bucket, for a custom domain.
  ///   - limits: The limits of the size of a request and of the lifetime of an authorization.
  public init(
    mode: Mode = .compatible, style: AddressingStyle? = nil, bucket: String? = nil,
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.mode = mode
    self.style = style
    self.bucket = bucket
    self.limits = limits
  }

  /// Parses the claim about its signature that a request contains.
  ///
  /// - Parameter request: The request as it arrived, with the path still percent-encoded and the host as the authority.
  /// - Returns: The claim, or `nil` if the request carries no authorization.
  /// - Throws: A `VerificationError` if the authorization is malformed, if the request carries two of them, or if it
  ///   exceeds the limits.
  public func claim(in request: HTTPRequest) throws(VerificationError) -> COSClaim? {
    try limits.check(request)
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    let authorizations = request.headerFields[fields: .authorization].map(\.value).filter { !$0.isEmpty }
    try checkNames(of: target)
    let hasParameters = COSAuthorization.names.contains { target.contains(WireText($0)) }
    let hasSign = target.contains("sign")
    guard authorizations.count + (hasParameters ? 1 : 0) + (hasSign ? 1 : 0) <= 1 else {
      throw .ambiguous("There is more than one authorization.")
    }
    let authorization: COSAuthorization
    if let text = authorizations.first {
      authorization = try COSAuthorization(text)
    } else if hasSign, let text = try target.uniqueValue(for: "sign") {
      authorization = try COSAuthorization(text)
    } else if hasParameters {
      var fields: [String: String] = [:]
      for name in COSAuthorization.names { fields[name] = try target.uniqueValue(for: WireText(name)) }
      authorization = try COSAuthorization(fields)
    } else {
      return nil
    }
    return COSClaim(
      accessKeyID: try AccessKeyID(claimed: authorization.id), sessionToken: try token(of: request, target),
      window: authorization.window,
      placement: authorizations.isEmpty ? .query : .header, signature: authorization.signature,
      headers: authorization.headers, parameters: authorization.parameters, target: target)
  }

  /// Returns the session token from a header or the URL; if both have one, they must be equal.
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

  /// Verifies a claim.
  ///
  /// - Parameters:
  ///   - claim: The result of ``claim(in:)->COSClaim?`` for the request.
  ///   - request: The request as it arrived.
  ///   - key: The key with the claimed ID.
  ///   - date: The present.
  /// - Returns: The verified request, with the only reading that the signature covers.
  /// - Throws: A `VerificationError` if the window, the token, the coverage or the signature is wrong.
  public func verify(
    _ claim: COSClaim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try claim.checkToken(against: key, at: date)
    var claim = claim
    // The target is parsed from the verified request, because the claim may have been parsed from another one.
    claim.target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    do throws(VerificationError) {
      try check(claim.window, at: date)
      try checkCoverage(of: claim, request)
      try checkSignature(of: claim, asSigned(request, claim), against: key)
      try checkStoredHeaders(of: claim, request)
      try limits.checkLifetime(from: claim.window.start, until: claim.window.end, at: date, in: claim.placement)
    } catch {
      throw error.with(accessKeyID: claim.accessKeyID)
    }
    let parameters = claim.parameterNames
    return VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: false, target: claim.target.ignoringCase,
      signedHeaders: claim.signedHeaders(of: request), signature: Secret(claim.signature),
      expiration: claim.window.end,
      // The service counts whole seconds, so that the last second is accepted to its end.
      usableUntil: claim.window.end.advanced(by: .seconds(1)),
      signsParameter: { parameters.contains($0.name.asciiLowercased) })
  }

  /// Rejects a window that has expired or not begun.
  func check(_ window: COSKeyTime, at date: Timestamp) throws(VerificationError) {
    let now = date.wholeSeconds
    if now > window.end {
      throw VerificationError(
        .expired, "The signature was valid until \(window.end).", remedy: "Sign again; check the clock."
      ).with(instant: window.end)
    }
    if now < window.start {
      throw VerificationError(
        .notYetValid, "The signature is valid from \(window.start).",
        remedy: "Set the clock of the machine that signs, or use the start time of the token server."
      ).with(instant: window.start)
    }
  }

  private func checkSignature(
    of claim: COSClaim, _ request: HTTPRequest, against key: AccessKey
  ) throws(VerificationError) {
    let outcome: VerificationError?
    do throws(SigningError) {
      outcome = try compare(claim, request, with: key)
    } catch {
      outcome = VerificationError(error)
    }
    if let outcome { throw outcome }
  }

  /// Compares the signature with that of every form of the HTTP string that one of the vendor's SDKs may have signed.
  private func compare(
    _ claim: COSClaim, _ request: HTTPRequest, with key: AccessKey
  ) throws(SigningError) -> VerificationError? {
    let signingKey = claim.window.signingKey(of: key)
    let readings = readings(of: claim, request)
    for reading in readings {
      let hash = try reading.withHTTPString(request, fields: request.headerFields, path: request.path ?? "/") {
        text, _, _ in SHA1.hash(writing: text)
      }
      let expected = signingKey.authenticationCode { $0.append(cosStringToSign: hash, in: claim.window) }.hex
      if constantTimeEqual(expected, claim.signature) { return nil }
    }
    return try claim.mismatch(claim.signature, with: key) { () throws(SigningError) in
      try texts(of: claim, in: request)
    }
  }
}

extension COSVerifier {
  /// The prefixes of the header and parameter names that have an effect in COS and its data processing.
  public var controlPrefixes: [String] { ["x-cos-", "x-ci-", "pic-operations"] }

  /// The status codes and error codes with which COS refuses a request, from "Error Codes" of its documentation.
  public var refusals: RefusalVocabulary { RefusalVocabulary(canonicalRequestElement: "FormatString") }

  /// Returns whether a request carries an authorization of COS, well-formed or not.
  ///
  /// - Parameter request: The request as it arrived.
  /// - Throws: A `VerificationError` if the request cannot be parsed, or exceeds the limits.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.headerFields[fields: .authorization].contains(where: { Self.startsLikeCOS($0.value) }) { return true }
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    return target.parameters.contains { parameter in
      let name = parameter.name.utf8.map(asciiLowercased)
      return Self.authorizationNames.contains(name.span)
    }
  }

  /// Returns whether the value of an Authorization header starts with `q-`, in upper or lower case.
  private static func startsLikeCOS(_ value: String) -> Bool {
    value.utf8.lazy.map(asciiLowercased).starts(with: "q-".utf8)
  }

  /// The lower-case names of the parameters each of which marks a URL as presigned.
  private static let authorizationNames = NameTable(COSAuthorization.names + ["sign"])
}

extension COSVerifier {
  /// Returns the HTTP string and the string to sign of a request in the documented form.
  ///
  /// - Parameters:
  ///   - claim: The claim about its signature that the request contains.
  ///   - request: The request.
  /// - Throws: A `SigningError` if the request cannot be parsed in exactly one way.
  package func texts(of claim: COSClaim, in request: HTTPRequest) throws(SigningError) -> SignedTexts {
    let reading = COSHTTPString(policy: .only(Set(claim.headers)), parameterNames: claim.parameterNames)
    let signed = asSigned(request, claim)
    let (text, hash) = try reading.withHTTPString(
      signed, fields: signed.headerFields, path: signed.path ?? "/"
    ) { text, _, _ in
      (String(writing: text), SHA1.hash(writing: text))
    }
    return SignedTexts(
      stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: claim.window) }), canonicalRequest: text)
  }
}

extension COSClaim {
  /// The lower-case names of the headers that the signature lists.
  package var signedHeaders: [String] { headers }

  /// The lower-case names of the parameters that the signature lists.
  package var signedParameters: [String] { parameters }
}

/// The claim about its COS signature that a request contains.
public struct COSClaim: SignatureClaim {
  /// The ID of the key that the request claims to be signed with.
  public let accessKeyID: AccessKeyID

  /// The session token in the request, or `nil` if it contains none.
  public let sessionToken: Secret?

  /// The window in which the signature is valid.
  public let window: COSKeyTime

  /// The position of the signature: in the headers or in the URL.
  public let placement: VerifiedRequest.Placement

  let signature: String
  /// The names of the signed headers, decoded and in lower case.
  let headers: [String]
  /// The names of the signed parameters, decoded and in lower case.
  let parameters: [String]
  var target: RequestTarget
}

/// The seven fields of a COS authorization.
///
/// Source: Tencent Cloud, "Request Signature", <https://www.tencentcloud.com/document/product/436/7778>.
struct COSAuthorization {
  static let names = [
    "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
  ]

  let id: String
  let window: COSKeyTime
  let headers: [String]
  let parameters: [String]
  let signature: String

  /// Parses the value of an Authorization header, or of the parameter `sign`.
  init(_ text: String) throws(VerificationError) {
    var fields: [String: String] = [:]
    for item in text.parts(between: "&") {
      let pair = item.parts(between: "=", atMost: 1)
      guard pair.count == 2, Self.names.contains(String(pair[0])),
        fields.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
      else { throw .malformed("The authorization has a field that is unknown or there twice.") }
    }
    try self.init(fields)
  }

  /// Parses fields that are percent-decoded already.
  init(_ fields: [String: String]) throws(VerificationError) {
    guard fields.count == Self.names.count, let id = fields["q-ak"], !id.isEmpty, let signature = fields["q-signature"],
      !signature.isEmpty, let headerList = fields["q-header-list"], let parameterList = fields["q-url-param-list"]
    else { throw .malformed("The authorization lacks one of its seven fields.") }
    guard fields["q-sign-algorithm"] == "sha1" else {
      throw VerificationError(.unsupported, "The algorithm is not sha1.", remedy: "Sign with q-sign-algorithm=sha1.")
    }
    guard let text = fields["q-sign-time"], let window = COSKeyTime(text) else {
      throw .malformed("The sign time is not two times in seconds, separated by a semicolon.")
    }
    guard fields["q-key-time"] == text else {
      throw .malformed("The key time is not the sign time.")
    }
    guard window.start <= window.end else { throw .malformed("The sign time ends before it starts.") }
    self.id = id
    self.window = window
    self.signature = signature
    headers = try Self.list(headerList)
    parameters = try Self.list(parameterList)
  }

  /// Parses a list of names.
  ///
  /// Some SDKs percent-encode the names and some do not; both forms mean the same name.
  private static func list(_ text: String) throws(VerificationError) -> [String] {
    var names: [String] = []
    for name in text.words(between: ";") {
      guard let bytes = String(name).percentDecodedBytes(), let decoded = String(validating: bytes, as: UTF8.self)
      else {
        throw .malformed("A list of signed names contains a malformed escape.")
      }
      names.append(decoded.asciiLowercased)
    }
    return names
  }
}
