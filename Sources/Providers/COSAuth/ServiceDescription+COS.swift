// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension ServiceDescription {
  /// Tencent Cloud COS.
  ///
  /// The error codes are those of the page "Error Codes" of its documentation. A presigned URL states its expiration as
  /// the second time of `q-sign-time`.
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
