// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of strings to sign from clients without a key, which parses each string before it signs the string.
///
/// `StringToSignSigner` describes the checks, and ``S3Signer`` lists the sources of the format.
///
/// The signature covers the host, which determines the position of the bucket name. A signer therefore signs only for
/// the hosts of one endpoint, at each of which every service reads the same bucket and key: the endpoint itself, whose
/// paths start with the bucket name, and, for virtual-hosted addressing, the endpoint with a bucket name before it.
///
/// ```swift
/// let signer = try S3StringToSignSigner(region: "eu-central-1", endpoint: .s3(region: "eu-central-1"))
/// let response = try signer.sign(signingRequest, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct S3StringToSignSigner: StringToSignSigner {
  /// The region that the scope of each string to sign must contain, such as `eu-central-1`.
  public let region: String
  /// The service that the scope of each string to sign must contain.
  public let signingService: String
  /// The endpoint to whose hosts every signed request must be addressed.
  public let endpoint: ServiceEndpoint

  /// The short name of the service: `s3`.
  public var service: String { SignatureScheme.s3V4.service }

  /// Creates a signer of S3 strings to sign; the parameters are the properties.
  public init(region: String, signingService: String = "s3", endpoint: ServiceEndpoint) {
    self.region = region
    self.signingService = signingService
    self.endpoint = endpoint
  }

  /// Parses the request that a signature of the client's string would authorize.
  ///
  /// - Parameter signingRequest: The client's request for a signature, with the string to sign.
  /// - Returns: The only request that the string represents.
  /// - Throws: A `SigningRefusal` if the string differs in any byte from the string to sign of the parsed request.
  public func intent(of signingRequest: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest {
    guard signingRequest.scheme == .s3V4 else { throw .unsupportedScheme }
    let canonicalRequest = try signingRequest.requiredCanonicalRequest
    var lines = StringToSignReader(signingRequest.stringToSign)
    guard try lines.readFirst() == S3Text.algorithm.description, lines.remaining.count == 3 else {
      throw .malformed("The string is not four lines that begin with \(S3Text.algorithm).")
    }
    guard let date = Timestamp(iso8601Basic: try lines.readFirst()) else {
      throw .malformed("The second line is not a date like 20261120T080000Z.")
    }
    let scope = scope(at: date)
    guard try lines.readFirst().isIdentical(to: String(writing: { scope.append(to: &$0) })) else {
      throw .wrongScope(
        "The string is not for the day of its date, the region \(region) and the service \(signingService).")
    }
    let hash = SHA256.hash(writing: { $0.append(canonicalRequest) })
    try signingRequest.requireStringToSign(equalTo: String(writing: { scope.append(stringToSign: hash, to: &$0) }))
    let (request, payload) = try parseRequest(of: signingRequest, canonicalRequest: canonicalRequest)
    return try authorizedRequest(request, payload: payload, in: scope)
  }

  /// Computes the signature, 64 hexadecimal digits.
  ///
  /// - Throws: The errors of `StringToSignSigner.signature(of:_:with:at:)`, which also describes the parameters.
  public func signature(
    of signingRequest: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    scope(at: intent.date ?? date).signingKey(of: key).authenticationCode(for: signingRequest.stringToSign).hex
  }

  private func scope(at date: Timestamp) -> S3Scope { S3Scope(date: date, region: region, service: signingService) }

  /// Parses the request in a canonical request, whose own canonical request must be equal to the given one.
  private func parseRequest(
    of signingRequest: SigningRequest, canonicalRequest: String
  ) throws(SigningRefusal) -> (request: HTTPRequest, payload: S3Payload) {
    var lines = StringToSignReader(canonicalRequest)
    let method = try signingRequest.checked(HTTPRequest.Method(signed: lines.readFirst()))
    let path = try lines.readFirst()
    let query = try lines.readFirst()
    let (headers, host) = try lines.readHeaders()
    let names = try lines.readFirst().parts(between: ";").map { String($0) }
    let payload = S3Payload(header: try lines.readFirst())
    guard let payload, lines.remaining.isEmpty, let host, isHost(host) else { throw .notCanonical }
    guard !payload.hasSignedChunks else {
      throw .malformed("The chunks of a body cannot be signed with a key that another party holds.")
    }
    let request = HTTPRequest(
      method: method, scheme: nil, authority: host, path: query.isEmpty ? path : "\(path)?\(query)",
      headerFields: headers)
    try SigningRefusal.requireCanonical(canonicalRequest) { () throws(SigningError) in
      try S3CanonicalRequest(selection: .listed(names), payload: payload.text).withCanonicalRequest(
        request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
      ) { appendText, _ in String(writing: appendText) }
    }
    guard names.areSortedAndDistinct else { throw .notCanonical }
    return (request, payload)
  }

  /// Returns the authorized URL if the query contains the signature's parameters, or else the authorized request.
  private func authorizedRequest(
    _ request: HTTPRequest, payload: S3Payload, in scope: S3Scope
  ) throws(SigningRefusal) -> AuthorizedRequest {
    var target = try parseTarget(of: request)
    let fields = request.headerFields
    if let algorithm = try target.removeParameter(named: "X-Amz-Algorithm") {
      return try authorizedURL(request, at: target, algorithm: algorithm, payload: payload, in: scope)
    }
    guard fields[.s3Date] == scope.date.iso8601Basic, fields[.s3ContentSHA256] == payload.text else {
      throw .malformed("The header x-amz-date or x-amz-content-sha256 is missing, or is not that of the string.")
    }
    try refuseSignatureParameters(in: target)
    return AuthorizedRequest(
      .s3V4, method: request.method, target: target, headers: fields, placement: .header, date: scope.date,
      expiration: nil, accessKeyID: nil, sessionToken: fields[.s3SecurityToken].map { Secret($0) }, signableNames: .s3)
  }

  /// Returns the authorized URL, without the parameters of its signature, all of which must belong to the string.
  private func authorizedURL(
    _ request: HTTPRequest, at signedTarget: RequestTarget, algorithm: String, payload: S3Payload, in scope: S3Scope
  ) throws(SigningRefusal) -> AuthorizedRequest {
    var target = signedTarget
    let fields = request.headerFields
    let credential = try target.removeParameter(named: "X-Amz-Credential") ?? ""
    let suffix = "/" + String(writing: { scope.append(to: &$0) })
    guard algorithm == S3Text.algorithm.description, let id = credential.removingByteSuffix(suffix), !id.isEmpty,
      try target.removeParameter(named: "X-Amz-Date") == scope.date.iso8601Basic,
      let expires = try target.removeParameter(named: "X-Amz-Expires"), let seconds = Int64(digits: expires),
      "\(seconds)" == expires,
      !fields.contains(.s3Date), !fields.contains(.s3SecurityToken), !fields.contains(.s3ContentSHA256),
      payload == .unsigned
    else { throw .malformed("The parameters of the signature do not belong to the string.") }
    let names = Set(fields.map(\.name.canonicalName) + ["host"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let listedNames = try target.removeParameter(named: "X-Amz-SignedHeaders")
    guard let listedNames, listedNames.isIdentical(to: names.joined(separator: ";")) else {
      throw .malformed("The signed headers are not those of the URL.")
    }
    let token = try target.removeParameter(named: "X-Amz-Security-Token").map { Secret($0) }
    try refuseSignatureParameters(in: target)
    try SigningRefusal.requireLifetime(seconds, in: S3Limits.urlLifetimeSeconds)
    return AuthorizedRequest(
      .s3V4, method: request.method, target: target, headers: fields, placement: .query, date: scope.date,
      expiration: scope.date.advanced(by: .seconds(seconds)), accessKeyID: AccessKeyID(String(id)),
      sessionToken: token, signableNames: .s3)
  }

  /// Rejects a query parameter, in any letter case, that acts like a header or belongs to a signature.
  private func refuseSignatureParameters(in target: RequestTarget) throws(SigningRefusal) {
    for parameter in target.parameters {
      let lowercaseName = ByteExactString(parameter.name.string.lowercased())
      guard !lowercaseName.starts(with: "x-amz-"), !S3Verifier.lowercaseParameters.contains(lowercaseName) else {
        throw .unknownOperation("A parameter acts like a header, or belongs to a signature.")
      }
    }
  }

  /// Returns the target of a request, which must be addressed to the endpoint.
  private func parseTarget(of request: HTTPRequest) throws(SigningRefusal) -> RequestTarget {
    let host = request.authority ?? ""
    let serviceHost = String(writing: { $0.append(canonicalHost: endpoint.authority, scheme: endpoint.scheme) })
    let isService = host.isIdentical(to: serviceHost)
    var bucket: String?
    if !isService {
      guard endpoint.style == .virtualHosted, let name = host.removingByteSuffix("." + serviceHost), !name.isEmpty
      else { throw .wrongScope("The string is for the host \(host.onOneLine), and not for \(serviceHost).") }
      bucket = String(name)
    }
    do throws(VerificationError) {
      return try RequestTarget(of: request, style: isService ? .path : .customDomain, bucket: bucket)
    } catch { throw .malformed("The path or the query is not UTF-8.") }
  }
}

extension SignatureScheme {
  /// The scheme S3 V4, which uses HMAC-SHA-256 (Signature Version 4).
  public static let s3V4 = SignatureScheme(service: ServiceDescription.s3.name, version: "v4")
}

extension SignableNames {
  static let s3 = SignableNames(
    headerPrefix: ServiceDescription.s3.headerPrefix,
    harmlessHeaders: [
      "date", "content-sha256", "security-token", "storage-class", "server-side-encryption", "decoded-content-length",
      "trailer", "sdk-checksum-algorithm", "checksum-mode", "checksum-crc32", "checksum-crc32c", "checksum-crc64nvme",
      "checksum-sha1", "checksum-sha256", "expected-bucket-owner",
    ], hasDottedBuckets: true)
}
