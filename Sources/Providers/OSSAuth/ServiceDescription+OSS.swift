// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension ServiceDescription {
  /// Alibaba Cloud OSS.
  ///
  /// The error codes are those of the page "Error responses" in its documentation. A presigned URL expires
  /// `x-oss-expires` seconds after `x-oss-date` (V4), or at `Expires` (V1).
  public static let oss = {
    var errorCodes = ServiceErrorCodes(
      subject: .host("HostId"), headHeader: .ossError,
      refusals: [
        .invalidToken: .init(.forbidden, "InvalidSecurityToken"),
        .keyExpired: .init(.forbidden, "SecurityTokenExpired"),
      ])
    errorCodes.meanings.merge([
      "CallbackFailed": .callbackFailed, "DownloadTrafficRateLimitExceeded": .throttled,
      "InvalidSecurityToken": .invalidCredential, "QpsLimitExceeded": .throttled,
      "SecurityTokenExpired": .credentialExpired, "UploadTrafficRateLimitExceeded": .throttled,
    ]) { $1 }
    errorCodes.messageMeanings.append(("InvalidArgument", "Invalid signing date", .clockSkew))
    var service = ServiceDescription(
      name: "oss", headerPrefix: "x-oss-", hosts: .oss, domains: [".aliyuncs.com"], authorizationPrefix: "OSS",
      signatureParameters: ["x-oss-signature", "OSSAccessKeyId"], errorCodes: errorCodes)
    let (date, lifetime) = (service.header("date"), service.header("expires"))
    service.presignedURLs = PresignedURLRules(
      prefixes: [service.headerPrefix], names: ["expires", "ossaccesskeyid", "security-token", "signature"],
      exceptions: [service.header("process")], callbackNames: ["callback", service.header("callback")],
      expiration: { values in
        if let date = values[date] { return PresignedURLRules.expiration(from: date, after: values[lifetime]) }
        return values["expires"].flatMap { Int64(digits: $0) }.map { Timestamp(unixSeconds: $0) }
      })
    return service
  }()
}

/// A network through which a client reaches OSS.
public enum OSSNetwork: Sendable, Hashable, CaseIterable {
  /// The public internet.
  case `public`
  /// The cloud's internal network within the same region, whose traffic is free of charge.
  case `internal`
  /// The acceleration network, for a bucket with transfer acceleration enabled.
  case accelerated
}

extension ServiceEndpoint {
  /// Returns the OSS endpoint for a region.
  ///
  /// - Parameters:
  ///   - region: The region ID without the prefix `oss-`, such as `cn-hangzhou`.
  ///   - network: The network through which the client reaches OSS.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not a region ID.
  public static func oss(region: String, network: OSSNetwork = .public) throws(SigningError) -> ServiceEndpoint {
    if let error = OSSRegion.error(for: region) { throw error }
    switch network {
    case .public: return try ServiceEndpoint("https://oss-\(region).aliyuncs.com")
    case .internal: return try ServiceEndpoint("https://oss-\(region)-internal.aliyuncs.com")
    case .accelerated: return try ServiceEndpoint("https://oss-accelerate.aliyuncs.com")
    }
  }
}

extension ServiceHosts {
  /// The host names of OSS, such as `oss-cn-hangzhou.aliyuncs.com`.
  ///
  /// In other domains, a host whose first label is `oss` is the service itself rather than a bucket. A dual-stack
  /// endpoint such as `cn-hangzhou.oss.aliyuncs.com` counts as the host of a bucket at the older `oss.aliyuncs.com`, so
  /// requests without a bucket need another endpoint. Source: Alibaba Cloud, "OSS domain names".
  public static let oss = ServiceHosts(label: "oss", domain: ".aliyuncs.com", labelCount: 3)
}

enum OSSRegion {
  /// Returns the error for a string that is not a region ID, with a corrected ID if the mistake is clear.
  static func error(for region: String) -> SigningError? {
    let example = "Write it like cn-hangzhou."
    var remedy: String?
    if region.isEmpty {
      return SigningError(.invalidConfiguration, "V4 signatures need the region of the bucket.", remedy: example)
    } else if region.hasBytePrefix("oss-") {
      remedy = "Leave out \"oss-\": \(region.dropFirst(4))."
    } else if region.hasByteSuffix("-internal") {
      remedy = "Leave out \"-internal\": \(region.dropLast(9)). It belongs in the endpoint."
    } else if !region.isScopePart() {
      remedy = "Use lower-case letters, digits and hyphens. " + example
    } else if !region.hasByte("-") {
      remedy = "Add the country as a prefix. " + example
    }
    return remedy.map { SigningError(.invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: $0) }
  }
}
