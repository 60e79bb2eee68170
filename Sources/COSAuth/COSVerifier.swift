public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Checks the V5 signatures of requests to COS, in headers and in URLs of both forms.
///
/// ```swift
/// let proof = try await COSVerifier().verify(request, at: .now, lookup: accounts.key(for:))
/// ```
///
/// A COS signature covers only what it lists. In every mode a header or parameter that starts with `x-cos-` or `x-ci-`
/// and is not listed is refused, but for the session token, which some of the vendor's SDKs leave out. What is listed
/// has to be there, a header exactly once. A parameter of the authorization itself has to be in lower case.
///
/// The same text is signed for the headers and for a URL, so that one authorization can be used in both places. It does
/// not cover the case of the names of parameters. A window that is longer than ``limits`` allow is refused.
public struct COSVerifier: SignatureVerifier {
  /// How much has to be signed.
  public enum Mode: Sendable, Hashable {
    /// What the vendor's SDKs send is accepted.
    case compatible
    /// The host, Content-Length, the session token and every parameter have to be signed; in a PUT or a POST every header
    /// that becomes part of the object too. Transfer-Encoding is refused, because it leaves the length open.
    case strict
  }

  /// How much has to be signed.
  public let mode: Mode

  /// Where the bucket's name is; `nil` if the host decides.
  public let style: AddressingStyle?

  /// The bucket of a custom domain.
  public let bucket: String?

  /// How large a request may be, and how long an authorization may last.
  public let limits: VerificationLimits

  /// Sets up a verifier.
  ///
  /// - Parameters:
  ///   - mode: How much has to be signed.
  ///   - style: Where the bucket's name is; if not given, in the path for an IP address or `localhost`, else the first
  ///     label of the host.
  ///   - bucket: The bucket, for a custom domain.
  ///   - limits: How large a request may be, and how long an authorization may last.
  public init(
    mode: Mode = .compatible, style: AddressingStyle? = nil, bucket: String? = nil,
    limits: VerificationLimits = VerificationLimits()
  ) {
    self.mode = mode
    self.style = style
    self.bucket = bucket
    self.limits = limits
  }

  /// Reads what a request says about its signature.
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

  /// The session token, from a header or the URL; two have to be the same.
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

  /// Proves a claim.
  public func verify(
    _ claim: COSClaim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try claim.checkToken(against: key, at: date)
    var claim = claim
    // What is proved is read from the request that is verified, whatever the claim was read from.
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
      // The service counts whole seconds: the last one is accepted to its end.
      usableUntil: claim.window.end.advanced(by: .seconds(1)),
      signsParameter: { parameters.contains($0.name.asciiLowercased) })
  }

  /// Refuses a window that has ended or not begun.
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

  /// Compares the signature with that of every reading that a vendor's SDK may have meant.
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
  /// Headers and parameters that start like this have an effect on COS and its data processing.
  public var controlPrefixes: [String] { ["x-cos-", "x-ci-", "pic-operations"] }

  /// The words in which COS refuses, as "Error codes" of its documentation has them.
  public var refusals: RefusalVocabulary { RefusalVocabulary(canonicalRequestElement: "FormatString") }

  /// Returns whether a request carries an authorization of COS, well formed or not.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.headerFields[fields: .authorization].contains(where: { Self.startsLikeCOS($0.value) }) { return true }
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    return target.parameters.contains { parameter in
      let name = parameter.name.utf8.map(asciiLowercased)
      return Self.authorizationNames.contains(name.span)
    }
  }

  /// Whether an Authorization header starts with one of the fields of an authorization, whatever its case.
  private static func startsLikeCOS(_ value: String) -> Bool {
    value.utf8.lazy.map(asciiLowercased).starts(with: "q-".utf8)
  }

  /// The parameters of which any makes a URL a signed one, in lower case.
  private static let authorizationNames = NameTable(COSAuthorization.names + ["sign"])
}

extension COSVerifier {
  /// The texts that the signature of a request covers, read as the service reads them.
  ///
  /// - Parameters:
  ///   - claim: What the request says about its signature.
  ///   - request: The request.
  /// - Throws: A `SigningError` if the request cannot be read in one way only.
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
  /// The names of the headers that the signature lists, in lower case.
  package var signedHeaders: [String] { headers }

  /// The names of the parameters that the signature lists, in lower case.
  package var signedParameters: [String] { parameters }
}

/// What a request says about its COS signature.
public struct COSClaim: SignatureClaim {
  /// The id of the key that it says it was signed with.
  public let accessKeyID: AccessKeyID

  /// The session token that came along.
  public let sessionToken: Secret?

  /// When the signature is valid.
  public let window: COSKeyTime

  /// Where the signature is.
  public let placement: VerifiedRequest.Placement

  let signature: String
  /// The names of the signed headers, decoded, in lower case.
  let headers: [String]
  /// The names of the signed parameters, decoded, in lower case.
  let parameters: [String]
  var target: RequestTarget
}

/// The seven fields of a COS authorization.
struct COSAuthorization {
  static let names = [
    "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
  ]

  let id: String
  let window: COSKeyTime
  let headers: [String]
  let parameters: [String]
  let signature: String

  /// Reads the value of an Authorization header, or of the parameter `sign`.
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

  /// Reads fields that are decoded already.
  init(_ fields: [String: String]) throws(VerificationError) {
    guard fields.count == Self.names.count, let id = fields["q-ak"], !id.isEmpty, let signature = fields["q-signature"],
      !signature.isEmpty, let headerList = fields["q-header-list"], let parameterList = fields["q-url-param-list"]
    else { throw .malformed("The authorization lacks one of its seven fields.") }
    guard fields["q-sign-algorithm"] == "sha1" else {
      throw VerificationError(.unsupported, "The algorithm is not sha1.", remedy: "Sign with q-sign-algorithm=sha1.")
    }
    guard let text = fields["q-sign-time"], let window = COSKeyTime(text) else {
      throw .malformed("The sign time is not two numbers of seconds with a semicolon between them.")
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

  /// The names of a list; some SDKs encode them and some do not, and both mean the same name.
  private static func list(_ text: String) throws(VerificationError) -> [String] {
    var names: [String] = []
    for name in text.words(between: ";") {
      guard let bytes = String(name).percentDecodedBytes(), let decoded = String(validating: bytes, as: UTF8.self)
      else {
        throw .malformed("A list of signed names holds a broken escape.")
      }
      names.append(decoded.asciiLowercased)
    }
    return names
  }
}
