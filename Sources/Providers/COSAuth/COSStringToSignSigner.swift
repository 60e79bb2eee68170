// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of strings to sign from clients without a key, which parses each string before it signs the string.
///
/// `StringToSignSigner` describes the checks, and ``COSSigner`` names the source of the format. The host must be
/// signed, because it contains the bucket name.
///
/// A COS signature does not reveal what it leaves out. A service that is not in strict mode accepts a request with more
/// headers and parameters than were signed, such as `x-cos-copy-source` or `?acl`, and a server cannot prevent this by
/// what it signs. Therefore the server's key should have no more permissions than the callers need.
///
/// ```swift
/// let signer = COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
/// let response = try signer.sign(signingRequest, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct COSStringToSignSigner: StringToSignSigner {
  /// The COS endpoint to which every signed request must be addressed.
  public let endpoint: ServiceEndpoint
  /// The bucket name for a custom domain, or `nil` if the host contains the bucket name.
  public let bucket: String?

  /// The short name of the service: `cos`.
  public var service: String { SignatureScheme.cosV5.service }

  /// Whether the rules must also allow each request without its query parameters.
  ///
  /// The signature does not cover the letter case of parameter names, and a service may ignore `?PREFIX=`. The rules for
  /// listing a prefix must then allow listing all keys, the rules for completing an upload must allow deleting its
  /// object, and the rules for deleting many objects must allow a form upload. Set it to `false` if the service is known
  /// to process or to reject such names, or if the policy of the key is as narrow as the callers'.
  public let checksWithoutParameters: Bool

  /// Creates a signer of COS strings to sign; the parameters are the properties.
  public init(endpoint: ServiceEndpoint, bucket: String? = nil, checksWithoutParameters: Bool = true) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.checksWithoutParameters = checksWithoutParameters
  }

  /// Parses the request that a signature of the client's string would authorize.
  ///
  /// - Parameter signingRequest: The client's request for a signature, with the string to sign.
  /// - Returns: The only request that the string represents.
  /// - Throws: A `SigningRefusal` if the request is not for the endpoint, or if its string to sign differs in any byte.
  public func intent(of signingRequest: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest {
    guard signingRequest.scheme == .cosV5 else { throw .unsupportedScheme }
    let canonicalRequest = try signingRequest.requiredCanonicalRequest
    let window = try parseWindow(of: signingRequest, canonicalRequest: canonicalRequest)
    let request = try parseRequest(of: signingRequest, canonicalRequest: canonicalRequest)
    var target = try parseTarget(of: request)
    let headerToken = request.headerFields[.cosSecurityToken]
    let urlToken = try target.removeParameter(named: "x-cos-security-token")
    guard headerToken == nil || urlToken == nil else { throw .malformed("The session token is in two places.") }
    // Without a token, the string to sign does not show where the signature will be.
    let placement: VerifiedRequest.Placement? = headerToken != nil ? .header : urlToken != nil ? .query : nil
    return AuthorizedRequest(
      .cosV5, method: request.method, target: target, headers: request.headerFields, placement: placement,
      date: window.start, expiration: window.end, accessKeyID: nil,
      sessionToken: (headerToken ?? urlToken).map { Secret($0) }, signableNames: .cos,
      otherTargets: checksWithoutParameters ? Self.targetsWithoutParameters(target, method: request.method) : [])
  }

  /// Computes the signature, 40 hexadecimal digits.
  ///
  /// - Throws: The errors of `StringToSignSigner.signature(of:_:with:at:)`, which also describes the parameters.
  public func signature(
    of signingRequest: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    guard let start = intent.date, let end = intent.expiration else { throw .notCanonical }
    let signingKey = COSKeyTime(from: start, until: end).signingKey(of: key)
    return signingKey.authenticationCode(for: signingRequest.stringToSign).hex
  }

  /// Returns the window in a string to sign, which must contain the hash of the canonical request.
  private func parseWindow(
    of signingRequest: SigningRequest, canonicalRequest: String
  ) throws(SigningRefusal) -> COSKeyTime {
    var lines = StringToSignReader(signingRequest.stringToSign)
    guard try lines.readFirst() == "sha1", lines.remaining.count == 3, let window = COSKeyTime(try lines.readFirst()),
      window.start < window.end
    else { throw .malformed("The string is not sha1, a window and a hash, a line each.") }
    let hash = SHA1.hash(writing: { $0.append(canonicalRequest) })
    try signingRequest.requireStringToSign(equalTo: String(writing: { $0.append(cosStringToSign: hash, in: window) }))
    return window
  }

  /// Parses the request in an HTTP string, whose path may contain line feeds, unlike the last two lines.
  private func parseRequest(
    of signingRequest: SigningRequest, canonicalRequest: String
  ) throws(SigningRefusal) -> HTTPRequest {
    var lines = StringToSignReader(canonicalRequest)
    let loweredMethod = try lines.readFirst()
    guard loweredMethod == loweredMethod.asciiLowercased else { throw .malformed("The method is not in lower case.") }
    let method = try signingRequest.checked(HTTPRequest.Method(signed: loweredMethod.asciiUppercased))
    guard try lines.readLast().isEmpty else { throw .notCanonical }
    let headerLine = try lines.readLast()
    let query = try lines.readLast()
    var path = lines.remainder.percentEncoded(.path)
    if !query.isEmpty { path += "?\(query)" }
    let (headers, host) = try Self.parseHeaders(of: headerLine)
    let request = HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: headers)
    let names = Set(headers.map(\.name.canonicalName) + ["host"])
    try SigningRefusal.requireCanonical(canonicalRequest) { () throws(SigningError) in
      try COSHTTPString(policy: .only(names)).withHTTPString(
        request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
      ) { appendText, _, _ in String(writing: appendText) }
    }
    return request
  }

  /// Parses the last line of an HTTP string: headers as `name=value`, percent-encoded, with `&` between them.
  private static func parseHeaders(of line: String) throws(SigningRefusal) -> (headers: HTTPFields, host: String?) {
    var headers = HTTPFields()
    var host: String?
    for item in line.isEmpty ? [] : line.parts(between: "&") {
      let pair = item.parts(between: "=", maxSplits: 1)
      guard pair.count == 2, let name = pair[0].percentDecoded(), let value = pair[1].percentDecoded() else {
        throw .malformed("The line of headers is not name=value, encoded, with & between them.")
      }
      guard name == "host" else {
        try headers.append(signed: name, value)
        continue
      }
      guard host == nil else { throw .malformed("There are two hosts.") }
      host = value
    }
    return (headers, host)
  }

  /// Returns the target of a request, which must be addressed to the endpoint.
  private func parseTarget(of request: HTTPRequest) throws(SigningRefusal) -> RequestTarget {
    let target: RequestTarget
    do throws(VerificationError) {
      target = try RequestTarget(of: request, style: endpoint.style, bucket: bucket, hosts: .cos)
    } catch { throw .malformed("The host is not signed, or the path or the query is not UTF-8.") }
    var host = endpoint.authority
    if endpoint.style == .virtualHosted, let bucket = target.bucket { host = "\(bucket).\(host)" }
    guard request.authority == host else {
      throw .wrongScope("The host is not that of a bucket at \(endpoint.authority).")
    }
    return target
  }

  /// Returns the target without parameters, at which a POST has an effect only for a bucket, where it is a form upload.
  private static func targetsWithoutParameters(_ target: RequestTarget, method: HTTPRequest.Method) -> [RequestTarget] {
    guard !target.parameters.isEmpty, method != .post || target.key == nil else { return [] }
    return [target.withoutParameters]
  }
}

extension SignatureScheme {
  /// The scheme COS V5, which uses HMAC-SHA-1 with a start time and an end time.
  public static let cosV5 = SignatureScheme(service: ServiceDescription.cos.name, version: "v5")
}

extension SignableNames {
  /// The names in COS requests, and the properties of the COS signature.
  ///
  /// The signature does not cover the letter case of parameter names. An older kind of form upload contains the
  /// signature of a POST to the bucket in a field. The date of a request is the start of `q-sign-time`.
  static let cos = SignableNames(
    headerPrefix: ServiceDescription.cos.headerPrefix,
    harmlessHeaders: [
      "security-token", "forbid-overwrite", "storage-class", "server-side-encryption", "traffic-limit",
      "hash-crc64ecma", "date", "content-sha256",
    ],
    refusedHeaders: ["pic-operations", "ci-process"], ignoresParameterCase: true, uploadsUnsignedForms: true,
    datesWindows: true)
}
