// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import StorageAuth

extension COSDialect {
  func region(of configuration: LocalCloud.Configuration) -> String { "ap-guangzhou" }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    COSVerifier(mode: configuration.isStrict ? .strict : .compatible, limits: .asServices)
  }

  /// The operations of COS.
  ///
  /// Query parameter names are case-insensitive, because COS signatures contain them in lowercase.
  static let table = OperationTable(
    OperationRoute.shared,
    ParameterNames(
      signature: [
        "sign", "token", "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list",
        "q-signature", "x-cos-security-token", "x-ci-security-token",
      ], ignoresCase: true),
    ofTransfers: ["x-cos-traffic-limit"])

  static let rules = HeaderRules(
    ["x-cos-", "x-ci-"],
    everywhere: ["date", "security-token", "sdk-retry", "request-payer", "x-ci-security-token"],
    HeaderRules.shared.merging([
      "acl": HeaderRules.creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]),
      "server-side-encryption-cos-kms-key-id": HeaderRules.creations,
      "server-side-encryption-context": HeaderRules.creations,
    ]) { $0.union($1) }
    .merging(HeaderRules.customerKeys) { $0.union($1) })

  /// Parses the COS header that specifies a copy source, `host/key` or `/bucket/key`.
  ///
  /// The host contains the bucket name, unless the host is an IP address or `localhost`: then the bucket name precedes
  /// the key.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource {
    try NamedSource(header, of: self) { rest in
      let first = NamedSource.takeSegment(of: &rest)
      return isAddressOrLocalhost(first) ? NamedSource.takeSegment(of: &rest) : hosts.bucket(in: first) ?? first
    }
  }
}
