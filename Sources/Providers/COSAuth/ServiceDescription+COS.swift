// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension ServiceDescription {
  /// Tencent Cloud COS.
  ///
  /// The error codes are those of the page "Error Codes". A presigned URL expires at the second time of `q-sign-time`.
  public static let cos = {
    var errorCodes = ServiceErrorCodes(canonicalRequestElement: "FormatString")
    errorCodes.meanings.merge(["BadRequest": .invalidRequest, "RequestTimeOut": .timeout]) { $1 }
    var service = ServiceDescription(
      name: "cos", headerPrefix: "x-cos-", otherPrefixes: ["x-ci-", "pic-operations"], hosts: .cos,
      domains: [".myqcloud.com", ".tencentcos.cn"], authorizationPrefix: "q-sign-",
      signatureParameters: ["q-signature"], errorCodes: errorCodes)
    service.presignedURLs = PresignedURLRules(
      prefixes: ["q-", service.headerPrefix],
      expiration: { values in
        guard let last = values["q-sign-time"]?.words(between: ";").last else { return nil }
        let end = last.utf8.firstRange(of: "%3B".utf8).map { last[$0.upperBound...] } ?? last
        return Int64(digits: end).map { Timestamp(unixSeconds: $0) }
      })
    return service
  }()
}

extension ServiceEndpoint {
  /// Returns the COS endpoint for a region, whose host name resolves to the internal network inside Tencent Cloud.
  ///
  /// - Parameter region: The region ID, such as `ap-guangzhou`, or `accelerate` for the acceleration network.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not a region ID.
  public static func cos(region: String) throws(SigningError) -> ServiceEndpoint {
    guard region.isScopePart() else {
      throw SigningError(
        .invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: "Write it like ap-guangzhou.")
    }
    return try ServiceEndpoint("https://cos.\(region).myqcloud.com")
  }
}

extension ServiceHosts {
  /// The host names of COS, such as `cos.ap-guangzhou.myqcloud.com` and `service.cos.myqcloud.com`.
  ///
  /// Source: Tencent Cloud, "Regions and Access Endpoints".
  public static let cos = ServiceHosts(label: "cos", otherLabel: "service")
}
