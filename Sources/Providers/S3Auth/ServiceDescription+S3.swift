// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension ServiceDescription {
  /// Amazon S3.
  ///
  /// The error codes are those of <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>. A presigned
  /// URL expires `X-Amz-Expires` seconds after `X-Amz-Date`.
  public static let s3 = {
    var errorCodes = ServiceErrorCodes(
      refusals: [
        .invalidToken: .init(.badRequest, "InvalidToken"), .keyExpired: .init(.badRequest, "ExpiredToken"),
        .notYetValid: .init(.forbidden, "AccessDenied"), .malformed: .init(.badRequest, "InvalidRequest"),
        .invalidPolicy: .init(.badRequest, "InvalidPolicyDocument"),
        .policyExpired: .init(.forbidden, "AccessDenied"), .conditionFailed: .init(.forbidden, "AccessDenied"),
      ],
      statuses: [
        "SignatureDoesNotMatch": .forbidden, "AccessDenied": .forbidden, "NotImplemented": .notImplemented,
        "MissingContentLength": .lengthRequired, "BadDigest": .badRequest,
      ])
    errorCodes.meanings.merge([
      "AuthorizationHeaderMalformed": .wrongEndpoint, "ConditionalRequestConflict": .conflict,
      "IllegalLocationConstraintException": .wrongEndpoint, "PriorRequestNotComplete": .throttled,
      "RequestLimitExceeded": .throttled, "ThrottlingException": .throttled, "XAmzContentSHA256Mismatch": .badDigest,
    ]) { $1 }
    var service = ServiceDescription(
      name: "s3", headerPrefix: "x-amz-", hosts: .s3, domains: [".amazonaws.com", ".amazonaws.com.cn"],
      authorizationPrefix: "AWS4-HMAC-SHA256 ", signatureParameters: ["X-Amz-Signature"],
      keyByteLimit: ServiceEndpoint.s3KeyByteLimit, errorCodes: errorCodes)
    let (date, lifetime) = (service.header("date"), service.header("expires"))
    service.presignedURLs = PresignedURLRules(
      prefixes: [service.headerPrefix],
      expiration: { PresignedURLRules.expiration(from: $0[date], after: $0[lifetime]) })
    return service
  }()
}

/// The network options of an S3 endpoint in a region.
///
/// Source: AWS, <https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html>.
public struct S3Network: OptionSet, Sendable, Hashable {
  /// The bit mask of the options.
  public let rawValue: UInt8

  /// Creates network options from a bit mask.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Hosts that have both IPv4 and IPv6 addresses.
  public static let dualStack = S3Network(rawValue: 1)
  /// Hosts with cryptography that is validated under FIPS 140, in the regions of the United States and Canada.
  public static let fips = S3Network(rawValue: 2)
  /// The endpoint for S3 Transfer Acceleration, which must be enabled for the bucket; its name must not contain dots.
  public static let accelerated = S3Network(rawValue: 4)
}

extension ServiceEndpoint {
  /// Returns the Amazon S3 endpoint for a region; see ``s3(_:style:)`` for services that are compatible with S3.
  ///
  /// - Parameters:
  ///   - region: The region ID, such as `eu-central-1`.
  ///   - network: The network options. Acceleration cannot be combined with FIPS.
  ///   - bucket: The bucket name, which only determines the addressing style. A name that contains dots, or that is not
  ///     a host label, becomes part of the path, because the certificate covers a single label.
  /// - Throws: `SigningError.Code.invalidConfiguration` if `region` is no region ID, or the options exclude each other.
  public static func s3(
    region: String, network: S3Network = [], bucket: String? = nil
  ) throws(SigningError) -> ServiceEndpoint {
    guard region.isAmazonScopePart, region != "aws-global" else {
      throw SigningError(
        .invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: "Write it like eu-central-1.")
    }
    let isLabel = bucket.map { !$0.hasByte(".") && $0 == $0.asciiLowercased } ?? true
    let domain = region.hasBytePrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let dualStack = network.contains(.dualStack) ? ".dualstack" : ""
    if network.contains(.accelerated) {
      guard !network.contains(.fips), isLabel else {
        throw SigningError(
          .invalidConfiguration, "Acceleration cannot be combined with FIPS or with a bucket whose name has dots.",
          remedy: "Use the endpoint of the region.")
      }
      return try .s3("https://s3-accelerate\(dualStack).\(domain)", style: .virtualHosted)
    }
    let service = network.contains(.fips) ? "s3-fips" : "s3"
    return try .s3("https://\(service)\(dualStack).\(region).\(domain)", style: isLabel ? .virtualHosted : .path)
  }

  /// Returns the endpoint for a service that is compatible with S3, with object keys of up to 1,024 bytes.
  ///
  /// ```swift
  /// let minio = try ServiceEndpoint.s3("https://minio.example.com:9000", style: .path)
  /// let r2 = try ServiceEndpoint.s3("https://<account>.r2.cloudflarestorage.com", style: .path)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the service, without a path.
  ///   - style: The position of the bucket name; `nil` means the path for an IP address or `localhost`, else the host.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not a URL without a path.
  public static func s3(_ url: String, style: AddressingStyle? = nil) throws(SigningError) -> ServiceEndpoint {
    try ServiceEndpoint(url, style: style, keyByteLimit: s3KeyByteLimit)
  }

  /// The maximum length of an S3 object key in bytes of UTF-8.
  public static let s3KeyByteLimit = 1024
}

extension ServiceHosts {
  /// The host names of services that are compatible with S3; Amazon's own host names are parsed separately.
  public static let s3 = ServiceHosts(label: "s3")
}
