// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension ServiceDescription {
  /// Tencent Cloud COS.
  ///
  /// The error codes are those of the page "Error Codes" of its documentation.
  public static let cos = ServiceDescription(
    name: "cos", headerPrefix: "x-cos-", otherPrefixes: ["x-ci-", "pic-operations"], hosts: .cos,
    domains: [".myqcloud.com", ".tencentcos.cn"], authorizationPrefix: "q-sign-", signatureParameters: ["q-signature"],
    errorCodes: ServiceErrorCodes(canonicalRequestElement: "FormatString"))
}
