// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension ServiceDescription {
  /// Alibaba Cloud OSS.
  ///
  /// The error codes are those of the page "Error responses" of its documentation. A presigned URL states its expiration
  /// in `x-oss-date` and `x-oss-expires` (V4), or in `Expires` (V1).
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
