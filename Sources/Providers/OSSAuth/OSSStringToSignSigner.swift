// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of strings to sign from clients without a key, which parses each string before it signs the string.
///
/// `StringToSignSigner` describes the checks, and ``OSSSigner`` lists the sources of the formats.
///
/// ```swift
/// let signer = OSSStringToSignSigner(region: "cn-hangzhou")
/// let response = try signer.sign(signingRequest, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct OSSStringToSignSigner: StringToSignSigner {
  /// The region that the scope of each V4 string must contain, such as `cn-hangzhou`.
  public let region: String
  /// The product that the scope of each V4 string must contain.
  public let product: String
  /// The signature versions that the signer accepts.
  public let versions: Set<OSSSignatureVersion>

  /// The short name of the service: `oss`.
  public var service: String { SignatureScheme.ossV4.service }

  /// Creates a signer of OSS strings to sign; the parameters are the properties.
  public init(
    region: String, product: String = "oss", versions: Set<OSSSignatureVersion> = Set(OSSSignatureVersion.allCases)
  ) {
    self.region = region
    self.product = product
    self.versions = versions
  }

  /// Parses the request that a signature of the client's string would authorize.
  ///
  /// - Parameter signingRequest: The client's request for a signature, with the string to sign.
  /// - Returns: The request that the string represents and, for V1, the other targets with the same string.
  /// - Throws: A `SigningRefusal` if the string differs in any byte from the string to sign of the parsed request.
  public func intent(of signingRequest: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest {
    switch signingRequest.scheme {
    case .ossV1 where versions.contains(.v1):
      guard signingRequest.canonicalRequest == nil else { throw .malformed("OSS V1 has no canonical request.") }
      return try v1Intent(of: signingRequest)
    case .ossV4 where versions.contains(.v4):
      return try v4Intent(of: signingRequest, canonicalRequest: signingRequest.requiredCanonicalRequest)
    default: throw .unsupportedScheme
    }
  }

  /// Computes the signature, Base64 for V1 or hexadecimal for V4.
  ///
  /// - Throws: The errors of `StringToSignSigner.signature(of:_:with:at:)`, which also describes the parameters.
  public func signature(
    of signingRequest: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    if intent.scheme == .ossV1 { return key.hmacSHA1Base64(signingRequest.stringToSign) }
    let scope = OSSV4Scope(date: intent.date ?? date, region: region, product: product)
    return scope.signingKey(of: key).authenticationCode(for: signingRequest.stringToSign).hex
  }

  /// Returns the word that precedes the signature in `Authorization`: `OSS` for V1, and `nil` for V4.
  ///
  /// V1 follows the vendor's page "Add signatures on a server".
  public func authorizationWord(for scheme: SignatureScheme) -> String? { scheme == .ossV1 ? "OSS" : nil }

  private func v4Intent(
    of signingRequest: SigningRequest, canonicalRequest: String
  ) throws(SigningRefusal) -> AuthorizedRequest {
    var lines = StringToSignReader(signingRequest.stringToSign)
    guard try lines.readFirst() == OSSText.v4Algorithm.description, lines.remaining.count == 3 else {
      throw .malformed("The string is not four lines that begin with \(OSSText.v4Algorithm).")
    }
    guard let date = Timestamp(iso8601Basic: try lines.readFirst()) else {
      throw .malformed("The second line is not a date like 20261120T080000Z.")
    }
    let scope = OSSV4Scope(date: date, region: region, product: product)
    guard try lines.readFirst() == String(writing: { scope.append(to: &$0) }) else {
      throw .wrongScope("The string is not for the day of its date, the region \(region) and the product \(product).")
    }
    let hash = SHA256.hash(writing: { $0.append(canonicalRequest) })
    try signingRequest.requireStringToSign(equalTo: String(writing: { scope.append(stringToSign: hash, to: &$0) }))
    return try authorizedV4Request(v4Request(of: signingRequest, canonicalRequest: canonicalRequest), in: scope)
  }

  /// Parses the request in a canonical request, whose own canonical request must be equal to the given one.
  private func v4Request(
    of signingRequest: SigningRequest, canonicalRequest: String
  ) throws(SigningRefusal) -> HTTPRequest {
    var lines = StringToSignReader(canonicalRequest)
    let method = try signingRequest.checked(HTTPRequest.Method(signed: lines.readFirst()))
    let path = try lines.readFirst()
    let query = try lines.readFirst()
    let (headers, host) = try lines.readHeaders()
    let additionalNames = try lines.readFirst()
    let payload = try lines.readFirst()
    guard lines.remaining.isEmpty, host.map(isHost) ?? true else { throw .notCanonical }
    guard payload == OSSText.unsignedPayload.description || payload.isLowerHex(byteCount: SHA256.digestByteCount),
      headers[.ossContentSHA256] ?? OSSText.unsignedPayload.description == payload
    else { throw .malformed("The last line is not the hash of a body, and not \(OSSText.unsignedPayload).") }
    let request = HTTPRequest(
      method: method, scheme: nil, authority: host, path: query.isEmpty ? path : "\(path)?\(query)",
      headerFields: headers)
    let names = additionalNames.isEmpty ? [] : additionalNames.parts(between: ";").map { String($0) }
    try SigningRefusal.requireCanonical(canonicalRequest) { () throws(SigningError) in
      try OSSV4Request(resource: .inPath, additionalHeaders: names).withCanonicalRequest(
        request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
      ) { String(writing: $0) }
    }
    let areSorted = names.sorted() == names && Set(names).count == names.count
    guard areSorted, !names.contains(where: OSSV4Request.isSignedByRule) else { throw .notCanonical }
    return request
  }

  /// Returns the authorized URL if the query contains the signature's parameters, or else the authorized request.
  private func authorizedV4Request(
    _ request: HTTPRequest, in scope: OSSV4Scope
  ) throws(SigningRefusal) -> AuthorizedRequest {
    // The path contains the bucket. The host may be missing, although the parser of a target requires a host.
    var requestWithHost = request
    requestWithHost.authority = "localhost"
    var target = try RequestTarget(signed: requestWithHost)
    let fields = request.headerFields
    guard let version = try target.removeParameter(named: "x-oss-signature-version") else {
      guard fields[.ossDate] == scope.date.iso8601Basic else {
        throw .malformed("The header x-oss-date is missing, or not the date of the string.")
      }
      return AuthorizedRequest(
        .ossV4, method: request.method, target: target, headers: fields, placement: .header, date: scope.date,
        expiration: nil, accessKeyID: nil, sessionToken: fields[.ossSecurityToken].map { Secret($0) },
        signableNames: .oss)
    }
    return try authorizedV4URL(request, at: target, version: version, in: scope)
  }

  /// Returns the authorized URL, without the parameters of its signature, all of which must belong to the string.
  private func authorizedV4URL(
    _ request: HTTPRequest, at signedTarget: RequestTarget, version: String, in scope: OSSV4Scope
  ) throws(SigningRefusal) -> AuthorizedRequest {
    var target = signedTarget
    let fields = request.headerFields
    let credential = try target.removeParameter(named: "x-oss-credential") ?? ""
    let suffix = "/" + String(writing: { scope.append(to: &$0) })
    guard version == OSSText.v4Algorithm.description, let id = credential.removingByteSuffix(suffix),
      try target.removeParameter(named: "x-oss-date") == scope.date.iso8601Basic,
      let expires = try target.removeParameter(named: "x-oss-expires"), let seconds = Int64(digits: expires),
      "\(seconds)" == expires,
      fields[.ossDate] == nil, fields[.ossSecurityToken] == nil, fields[.ossContentSHA256] == nil
    else { throw .malformed("The parameters of the signature do not belong to the string.") }
    let additionalNames = try target.removeParameter(named: "x-oss-additional-headers") ?? ""
    guard additionalNames == Self.additionalNames(of: request) else {
      throw .malformed("The additional headers are not those of the URL.")
    }
    let token = try target.removeParameter(named: "x-oss-security-token").map { Secret($0) }
    try SigningRefusal.requireLifetime(seconds, in: OSSLimits.urlLifetimeSeconds(isTemporary: token != nil))
    return AuthorizedRequest(
      .ossV4, method: request.method, target: target, headers: fields, placement: .query, date: scope.date,
      expiration: scope.date.advanced(by: .seconds(seconds)), accessKeyID: AccessKeyID(String(id)),
      sessionToken: token, signableNames: .oss)
  }

  /// Returns the names of the signed headers, including the host, that V4 does not sign by rule, separated by `;`.
  private static func additionalNames(of request: HTTPRequest) -> String {
    var names = request.headerFields.map(\.name.canonicalName).filter { !OSSV4Request.isSignedByRule($0) }
    if request.authority != nil { names.append("host") }
    return names.sorted().joined(separator: ";")
  }

  /// Parses a V1 string to sign: four lines, a line for each `x-oss-` header, and the resource.
  ///
  /// The resource can contain line feeds. Its simplest reading must be canonical; the others become targets too.
  private func v1Intent(of signingRequest: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest {
    var lines = StringToSignReader(signingRequest.stringToSign)
    let method = try signingRequest.checked(HTTPRequest.Method(signed: lines.readFirst()))
    var headers = HTTPFields()
    let md5 = try lines.readFirst()
    if !md5.isEmpty { try headers.append(signed: "Content-MD5", md5) }
    let type = try lines.readFirst()
    if !type.isEmpty { try headers.append(signed: "Content-Type", type) }
    let dateLine = try lines.readFirst()
    for line in lines.read(while: { $0.hasBytePrefix("x-oss-") }) { try headers.append(line: line) }
    let resource = lines.remainder
    guard resource.utf8.count(where: { $0 == UInt8(ascii: "?") }) < 2 else {
      throw SigningRefusal(
        .malformed, "The resource contains more than one question mark (?): the string is that of several requests.",
        remedy: "Sign with V4, which signs the key and the parameters apart.")
    }
    let path = try Self.wirePath(ofResource: resource)
    let request = HTTPRequest(method: method, scheme: nil, authority: "localhost", path: path, headerFields: headers)
    try SigningRefusal.requireCanonical(signingRequest.stringToSign) { () throws(SigningError) in
      try OSSV1String(resource: .inPath, subresources: OSSSubresources()).withStringToSign(
        request, fields: FieldDraft(request.headerFields), path: request.path ?? "/", dateLine: .header(dateLine)
      ) { String(writing: $0) }
    }
    let otherTargets = try Self.otherTargets(ofResource: resource, of: request)
    return try authorizedV1Request(request, dateLine: dateLine, otherTargets: otherTargets)
  }

  /// Returns the targets other than that of a request whose V1 resource is the same.
  private static func otherTargets(
    ofResource resource: String, of request: HTTPRequest
  ) throws(SigningRefusal) -> [RequestTarget] {
    let ownTarget = try RequestTarget(signed: request)
    guard let targets = OSSV1Readings.targets(ofResource: resource) else {
      throw .malformed("The resource can be read in too many ways.")
    }
    let otherTargets = targets.filter { !$0.hasSameResource(as: ownTarget) }
    guard otherTargets.count == targets.count - 1 else { throw .notCanonical }
    return otherTargets
  }

  /// Returns the authorized URL if the date line is an expiration, or else the authorized request.
  private func authorizedV1Request(
    _ request: HTTPRequest, dateLine: String, otherTargets: [RequestTarget]
  ) throws(SigningRefusal) -> AuthorizedRequest {
    var target = try RequestTarget(signed: request)
    let fields = request.headerFields
    let urlToken = try target.removeParameter(named: "security-token").map { Secret($0) }
    if let seconds = Int64(digits: dateLine), "\(seconds)" == dateLine, Self.expirationRange.contains(seconds) {
      guard fields[.ossDate] == nil, fields[.ossSecurityToken] == nil else {
        throw .malformed("The string is for a URL and has headers that only a header signature has.")
      }
      return AuthorizedRequest(
        .ossV1, method: request.method, target: target, headers: fields, placement: .query, date: nil,
        expiration: Timestamp(unixSeconds: seconds), accessKeyID: nil, sessionToken: urlToken, signableNames: .oss,
        otherTargets: otherTargets.compactMap { $0.usable(by: request.method, with: urlToken) })
    }
    guard let date = Timestamp(httpDate: dateLine), date.httpDate == dateLine else {
      throw .malformed("The fourth line is neither an HTTP date nor the expiration of a URL.")
    }
    guard urlToken == nil, fields[.ossDate].map({ $0 == dateLine }) ?? true else {
      throw .malformed("There are two dates, or the session token is in the URL.")
    }
    return AuthorizedRequest(
      .ossV1, method: request.method, target: target, headers: fields, placement: .header, date: date, expiration: nil,
      accessKeyID: nil, sessionToken: fields[.ossSecurityToken].map { Secret($0) }, signableNames: .oss,
      otherTargets: otherTargets.compactMap { $0.usable(by: request.method, with: nil) })
  }

  /// The accepted expirations of V1 URLs, in seconds since 1970: those with up to twelve digits.
  private static let expirationRange: Range<Int64> = 0..<1_000_000_000_000

  /// Returns the request path for a canonical resource, whose query parameters start after its first question mark.
  private static func wirePath(ofResource resource: String) throws(SigningRefusal) -> String {
    guard resource.hasBytePrefix("/") else { throw .malformed("The resource is not a path.") }
    let parts = resource.parts(between: "?", maxSplits: 1)
    let path = String(parts[0]).percentEncoded(.path)
    guard parts.count > 1 else { return path }
    let parameters = parts[1].parts(between: "&").map { parameter in
      parameter.parts(between: "=", maxSplits: 1).map { String($0).percentEncoded() }.joined(separator: "=")
    }
    return "\(path)?\(parameters.joined(separator: "&"))"
  }
}

extension SignatureScheme {
  /// The scheme OSS V1, which uses HMAC-SHA-1.
  public static let ossV1 = SignatureScheme(service: ServiceDescription.oss.name, version: "v1")
  /// The scheme OSS V4, which uses HMAC-SHA-256.
  public static let ossV4 = SignatureScheme(service: ServiceDescription.oss.name, version: "v4")
}

extension SignableNames {
  static let oss = SignableNames(
    headerPrefix: ServiceDescription.oss.headerPrefix,
    harmlessHeaders: [
      "date", "content-sha256", "security-token", "forbid-overwrite", "storage-class", "server-side-encryption",
      "traffic-limit", "hash-crc64ecma",
    ])
}

extension RequestTarget {
  /// Returns whether two targets have the same V1 resource, in which a missing value equals an empty value.
  fileprivate func hasSameResource(as other: RequestTarget) -> Bool {
    bucket == other.bucket && key == other.key
      && parameters.elementsEqual(other.parameters) { $0.name == $1.name && ($0.value ?? "") == ($1.value ?? "") }
  }

  /// Returns the target on which the service would act, or `nil` if the service would reject the request.
  ///
  /// The service rejects a request whose session token is not the key's token. A POST to an object without parameters
  /// is not an operation. The result omits a part number that is not a number, for a service that ignores such a value.
  fileprivate func usable(by method: HTTPRequest.Method, with token: Secret?) -> RequestTarget? {
    let ownToken = parameters.first { $0.name == "security-token" }.map { Secret($0.value?.string ?? "") }
    guard ownToken == token else { return nil }
    let operationParameters = parameters.filter { parameter in
      parameter.name != "security-token"
        && (parameter.name != "partNumber" || RequestedQuery.isPartNumber(parameter.value?.string ?? ""))
    }
    if method == .post, key != nil, operationParameters.isEmpty { return nil }
    return RequestTarget(bucket: bucket?.string, key: key?.string, parameters: operationParameters)
  }

  /// Creates the target of a request from a string to sign, whose path starts with the bucket name.
  init(signed request: HTTPRequest) throws(SigningRefusal) {
    do throws(VerificationError) {
      try self.init(of: request, style: .path)
    } catch { throw .malformed("The path or the query is not UTF-8.") }
  }
}
