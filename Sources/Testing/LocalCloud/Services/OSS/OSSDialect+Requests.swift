// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth

extension OSSDialect {
  func region(of configuration: LocalCloud.Configuration) -> String { configuration.region ?? "cn-hangzhou" }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    OSSVerifier(region: configuration.region, acceptsAmbiguousV1: true, limits: .asServices)
  }

  static let table = OperationTable(
    OperationRoute.shared.map { route in
      [.putObject, .completeUpload].contains(route.operation) ? route.taking(["callback", "callback-var"]) : route
    } + [
      OperationRoute(.bucketInfo, .get, .bucket, ["bucketInfo"]),
      OperationRoute(.objectMeta, .head, .object, ["objectMeta"], taking: ["versionId"]),
    ],
    ParameterNames(signature: [
      "OSSAccessKeyId", "Expires", "Signature", "security-token", "x-oss-signature-version", "x-oss-credential",
      "x-oss-date", "x-oss-expires", "x-oss-signature", "x-oss-additional-headers", "x-oss-security-token",
    ]),
    common: ["x-oss-request-payer"], ofTransfers: ["x-oss-traffic-limit"])

  static let rules = HeaderRules(
    ["x-oss-"], everywhere: ["date", "security-token", "content-sha256", "user-agent", "request-payer"],
    HeaderRules.shared.merging([
      "acl": [.createBucket, .changeBucketAccess],
      "object-acl": HeaderRules.creations.union([.completeUpload, .changeObjectAccess]),
      "server-side-encryption-key-id": HeaderRules.creations, "server-side-data-encryption": HeaderRules.creations,
      "callback": [.putObject, .completeUpload], "callback-var": [.putObject, .completeUpload],
      "complete-all": [.completeUpload], "range-behavior": [.getObject],
    ]) { $0.union($1) },
    formFields: ["signature", "signature-version", "credential", "expires", "content-type", "additional-headers"],
    takesFormCallback: true)

  /// Parses the OSS header that specifies a copy source, `/bucket/key`.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource { try NamedSource(header, of: self) }

  /// Returns whether OSS ignores a byte range and responds with the whole object.
  ///
  /// OSS ignores a range that exceeds the object, unless the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool {
    !isStandard && !range.lies(within: byteCount)
  }
}
