// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension ServiceDescription {
  /// Alibaba Cloud OSS.
  ///
  /// The error codes are those of the page "Error responses" of its documentation.
  public static let oss = ServiceDescription(
    name: "oss", headerPrefix: "x-oss-", hosts: .oss, domains: [".aliyuncs.com"], authorizationPrefix: "OSS",
    signatureParameters: ["x-oss-signature", "OSSAccessKeyId"],
    errorCodes: ServiceErrorCodes(
      subject: .host("HostId"), headHeader: .ossError,
      refusals: [
        .invalidToken: .init(.forbidden, "InvalidSecurityToken"),
        .keyExpired: .init(.forbidden, "SecurityTokenExpired"),
      ]))
}
