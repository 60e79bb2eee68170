// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to Alibaba Cloud OSS, in the headers or in presigned URLs.
///
/// A signer also prepares strings to sign for a key holder, and completes the requests with the key holder's
/// signatures.
///
/// ```swift
/// let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// The signature covers the bucket name even if the URL does not contain it. A custom domain therefore requires
/// `bucket`. The signer signs the path and the query as the service reads them, and never changes them; presigning
/// appends parameters.
///
/// Sources of the rules: Alibaba Cloud, for V4 "Include a V4 signature in the Authorization header (recommended)",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>, and
/// "(Recommended) V4 signatures in presigned URLs",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls>; for V1 "Include signatures in
/// the Authorization header",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>, and
/// "Include a V1 signature in a URL",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/ddd-signatures-to-urls>. Where these pages are silent,
/// the signer follows the vendor's SDKs; see `Sources/Providers/OSSAuth/OSSAuth.docc/OSS.md`.
public struct OSSSigner: TwoStepSigner, Presigner {
  /// The type of requests that the signer signs.
  public typealias Request = HTTPRequest
  /// The type of credentials with which the signer signs.
  public typealias SigningCredential = AccessKey

  /// The version of the OSS signatures.
  public let version: OSSSignatureVersion

  /// The bucket name, or `nil` if the URL of each request contains the bucket name.
  public let bucket: String?

  /// The region ID without the prefix `oss-`, such as `cn-hangzhou`.
  public let region: String

  /// The product in the V4 scope: `oss`, or `oss-cloudbox` with the ID of a cloud box as the region.
  public let product: String

  /// The position of the bucket name in the URL, or `nil` if the host determines the position.
  public let style: AddressingStyle?

  /// A Boolean value that indicates whether the signer signs ambiguous V1 URLs and forms.
  ///
  /// A V1 URL or form for a key that contains a question mark, or a V1 URL for a parameter with the same problem, is
  /// also valid for another key with other parameters.
  public let allowsAmbiguousV1: Bool

  let additionalHeaders: [String]
  let subresources: OSSSubresources
  private let problem: SigningError?

  /// Creates a signer of requests to OSS.
  ///
  /// The initializer does not throw. If the configuration is invalid, every method that signs throws the error.
  ///
  /// - Parameters:
  ///   - version: The version of the OSS signatures.
  ///   - bucket: The bucket name. It can be `nil` if the URL contains the bucket name in the path or before
  ///     `aliyuncs.com`.
  ///   - region: The region ID without the prefix `oss-`, such as `cn-hangzhou`. V1 does not need a region.
  ///   - product: The product in the V4 scope.
  ///   - style: The position of the bucket name in the URL. `nil` means the path for an IP address or `localhost`, and
  ///     otherwise the host.
  ///   - additionalHeaders: The names of headers that V4 can sign in addition to the required ones, such as `host`.
  ///     Headers that a request lacks are left out.
  ///   - additionalSubresources: The names of query parameters that V1 signs, but that are newer than this package.
  ///   - allowsAmbiguousV1: Whether to sign V1 URLs and forms for keys that contain a question mark, and V1 URLs for
  ///     parameters with the same problem.
  public init(
    _ version: OSSSignatureVersion = .v4, bucket: String? = nil, region: String = "", product: String = "oss",
    style: AddressingStyle? = nil, additionalHeaders: Set<String> = [], additionalSubresources: Set<String> = [],
    allowsAmbiguousV1: Bool = false
  ) {
    self.version = version
    self.bucket = bucket
    self.region = region
    self.product = product
    self.style = style
    self.allowsAmbiguousV1 = allowsAmbiguousV1
    self.additionalHeaders = Set(additionalHeaders.map { $0.asciiLowercased })
      .filter { !OSSV4Request.isSignedByRule($0) }.sorted()
    subresources = OSSSubresources(adding: additionalSubresources)
    problem = OSSConfiguration.problem(version: version, bucket: bucket, region: region, product: product)
  }

  /// Returns the earliest acceptable expiration of a key for a request with the given signing time.
  ///
  /// The result is two seconds after `date`, which gives the request time to reach the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Returns the earliest acceptable expiration of a key for a URL with the given signing time and lifetime.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }

  /// Throws the error of the signer's configuration if the configuration is invalid.
  func checkConfiguration() throws(SigningError) {
    if let problem { throw problem }
  }
}

/// A version of the OSS signature.
public enum OSSSignatureVersion: String, Sendable, Hashable, CaseIterable {
  /// HMAC-SHA-256 with a key that is derived for a day, a region and a product; the recommended version.
  case v4
  /// HMAC-SHA-1, which OSS rejects for accounts and buckets created since 2025, and supports for older ones.
  case v1
}

/// The checks of the configuration of an OSS signer.
enum OSSConfiguration {
  /// Returns the error of a signer's configuration, or `nil` if the configuration is valid.
  static func problem(
    version: OSSSignatureVersion, bucket: String?, region: String, product: String
  ) -> SigningError? {
    if let bucket, !isBucketName(bucket) && !isHost(bucket) {
      return SigningError(
        .invalidConfiguration, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use the name as the console shows it.")
    }
    guard version == .v4 else { return nil }
    if let advice = regionProblem(region) { return advice }
    guard isScopePart(product) else {
      return SigningError(
        .invalidConfiguration, "\"\(product)\" is not a product.", remedy: "Use oss, or oss-cloudbox for a cloud box.")
    }
    return nil
  }

  /// Returns whether a string has the form of a region ID in a V4 scope.
  static func isRegion(_ text: String) -> Bool { regionProblem(text) == nil }

  /// Returns the error for a string that is not a region ID, or `nil` if the string is one.
  ///
  /// The message suggests a corrected region ID if the correction is clear.
  static func regionProblem(_ region: String) -> SigningError? {
    let example = "Write it like cn-hangzhou."
    var advice: String?
    if region.isEmpty {
      return SigningError(.invalidConfiguration, "V4 signatures need the region of the bucket.", remedy: example)
    } else if region.hasBytePrefix("oss-") {
      advice = "Leave out \"oss-\": \(region.dropFirst(4))."
    } else if region.hasByteSuffix("-internal") {
      advice = "Leave out \"-internal\": \(region.dropLast(9)). It belongs in the endpoint."
    } else if !isScopePart(region) {
      advice = "Use lower-case letters, digits and hyphens. " + example
    } else if !region.hasByte("-") {
      advice = "Add the country as a prefix. " + example
    }
    return advice.map {
      SigningError(.invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: $0)
    }
  }

  private static func isScopePart(_ text: String) -> Bool {
    !text.isEmpty && !text.hasBytePrefix("-") && !text.hasByteSuffix("-")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

extension OSSSigner {
  /// Returns the source of the bucket name for a request.
  func resource(authority: String?, path: String) throws(SigningError) -> OSSResource {
    guard let authority else { throw Self.noHost }
    return try withBytes(of: authority) { (bytes) throws(SigningError) in
      let host = HostName(bytes)
      guard host.isWellFormed else { throw Self.noHost }
      switch style ?? (host.isAddressOrLocalhost ? .path : .virtualHosted) {
      case .path:
        try checkBucket(in: path)
        return .inPath
      case .virtualHosted:
        let bucketEnd = ServiceHosts.oss.bucketEnd(of: host, in: bytes)
        if let bucket {
          // Without a style, a host outside the vendor's domains is considered a custom domain, regardless of its first
          // label.
          let isService = bucketEnd == nil && (style != nil || ServiceHosts.oss.owns(host, in: bytes))
          return isService ? .service : .bucket(bucket)
        }
        guard let bucketEnd else { return .service }
        guard ServiceHosts.oss.owns(host, in: bytes) else { throw Self.bucketNeeded(authority) }
        return .bucket(String(writing: { $0.append(bytes.extracting(..<bucketEnd)) }))
      case .customDomain:
        guard let bucket else { throw Self.bucketNeeded(authority) }
        return .bucket(bucket)
      }
    }
  }

  private static let noHost = SigningError(
    .invalidRequest, "The request has no host, or a malformed one.",
    remedy: "Set its authority, such as photos.oss-cn-hangzhou.aliyuncs.com.")

  private func checkBucket(in path: String) throws(SigningError) {
    guard let bucket else { return }
    let rest = path[path.utf8.dropFirst().startIndex...]
    if rest.isEmpty || rest.beginsWithByte("?") { return }
    let behind = rest.removingBytePrefix(bucket)
    guard let behind, behind.utf8.first.map({ "/?".utf8.contains($0) }) ?? true else {
      throw SigningError(
        .invalidRequest, "The path does not start with the bucket \"\(bucket)\", and the host has no room for it.",
        remedy: "Start the path with /\(bucket)/, or set the addressing style.")
    }
  }

  private static func bucketNeeded(_ host: String) -> SigningError {
    SigningError(
      .invalidConfiguration, "The host \(host) does not name its bucket, which the signature requires.",
      remedy: "Pass the bucket to the signer.")
  }
}

extension OSSSigner {
  /// Creates the string to sign for a request whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - context: The signing time.
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed or the identity is invalid.
  public func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    try checkConfiguration()
    let token = identity.sessionToken.map { HTTPField(name: .ossSecurityToken, value: $0.reveal()) }
    return try pending(draft(request, token: token, date: context.date), of: request, as: identity)
  }

  /// Creates the string to sign for a presigned URL whose signature another party, the key holder, computes.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The ID and the session token of the access key that will sign.
  ///   - duration: The lifetime of the URL in whole seconds.
  ///   - context: The signing time.
  /// - Returns: The string to sign and, for V4, the canonical request.
  /// - Throws: A `SigningError` if the request cannot be signed, if the identity is invalid, or if a limit is
  ///   exceeded.
  public func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try identity.check(idWithout: OSSText.idDelimiters)
    let draft = try draft(
      presigning: request, authority: request.authority, as: identity, validFor: duration, date: context.date)
    return try pending(draft, of: request, as: identity)
  }

  private func pending(
    _ draft: borrowing OSSDraft, of request: HTTPRequest, as identity: Identity
  ) throws(SigningError) -> PendingSignature {
    let stringToSign: String
    var canonicalRequest: String?
    switch draft.scheme {
    case .v1(let date):
      stringToSign = try withV1String(of: draft, for: request, date) { String(writing: $0) }
    case .v4(let scope):
      let (text, hash) = try withV4Request(of: draft, for: request) { (String(writing: $0), SHA256.hash(writing: $0)) }
      canonicalRequest = text
      stringToSign = String(writing: { scope.append(stringToSign: hash, to: &$0) })
    }
    var prepared = request
    prepared.headerFields = draft.fields.fields
    if draft.isPresigned {
      prepared.path = String(writing: { append(pathOf: draft, for: request, as: identity, to: &$0) })
    }
    return PendingSignature(
      version == .v1 ? .ossV1 : .ossV4, stringToSign: stringToSign, canonicalRequest: canonicalRequest,
      identity: identity, expiration: draft.expiration, request: prepared, isPresigned: draft.isPresigned,
      signedHeaders: draft.isPresigned ? signedHeaders(of: draft.fields.fields) : [:],
      authorizationPrefix: String(writing: { append(prefixOf: draft, for: request, id: identity.id, to: &$0) }))
  }

  /// Completes a prepared request with the signature from the key holder.
  ///
  /// - Parameters:
  ///   - pending: The pending signature that `prepare` returned.
  ///   - signature: The signature, or the whole value of the `Authorization` header.
  /// - Returns: The signed request.
  /// - Throws: `SigningError.Code.invalidSignature` if the signature is malformed or belongs to another access key
  ///   ID.
  public func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    let bare = try bareSignature(signature, prefix: pending.authorizationPrefix)
    var request = pending.request
    if pending.isPresigned {
      request.path = (request.path ?? "/") + signatureParameter.description + bare.percentEncoded()
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: pending.authorizationPrefix + bare))
    }
    return request
  }

  private func bareSignature(_ signature: String, prefix: String) throws(SigningError) -> String {
    var bare = signature
    if bare.hasBytePrefix(prefix) { bare.removeFirst(prefix.count) }
    let isWellFormed =
      switch version {
      case .v1: [UInt8](base64: bare)?.count == SHA1.digestByteCount
      case .v4: bare == bare.asciiLowercased && [UInt8](hex: bare)?.count == SHA256.digestByteCount
      }
    guard isWellFormed else {
      throw SigningError(
        .invalidSignature,
        "The signature has another form than OSS \(version.rawValue.asciiUppercased), or another id.",
        remedy: "Let the server return the bare signature, or the Authorization of the same access key id.")
    }
    return bare
  }
}

extension OSSText {
  /// The characters that an access key ID must not contain: a comma and a slash end it in V4 headers, a colon in V1.
  static let idDelimiters: IDDelimiters = [.comma, .slash, .colon]
}
