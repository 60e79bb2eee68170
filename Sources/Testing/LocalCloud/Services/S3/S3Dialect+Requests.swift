// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth

extension S3Dialect {
  /// Returns whether a string is a valid S3 region name.
  static func isRegion(_ name: String) -> Bool { (try? ServiceEndpoint.s3(region: name)) != nil }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    S3HostVerifier(region: configuration.s3Region)
  }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try S3HostVerifier(region: region).verifier(for: head).target(of: head)
  }

  static let table = OperationTable(
    OperationRoute.shared.filter { $0.operation != .listBuckets } + [
      OperationRoute(.listBuckets, .get, .service, taking: ["prefix", "continuation-token", "max-buckets"]),
      OperationRoute(.readTags, .get, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.changeTags, .put, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.deleteTags, .delete, .object, ["tagging"], taking: ["versionId"]),
      OperationRoute(.objectAttributes, .get, .object, ["attributes"], taking: ["versionId"]),
    ],
    ParameterNames(signature: [
      "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
      "X-Amz-Security-Token", "X-Amz-Content-Sha256",
    ]),
    common: ["x-amz-request-payer"], ofTransfers: ["x-amz-checksum-mode"])

  private static let checksummed: Set<Operation> = [
    .putObject, .uploadPart, .deleteObjects, .completeUpload, .changeTags,
  ]

  static let rules = HeaderRules(
    ["x-amz-"],
    everywhere: [
      "date", "security-token", "content-sha256", "user-agent", "request-payer", "sdk-checksum-algorithm",
    ],
    HeaderRules.shared.filter { $0.key != "traffic-limit" && $0.key != "forbid-overwrite" }
      .merging(HeaderRules.customerKeys) { $0.union($1) }
      .merging([
        "acl": HeaderRules.creations.union([.createBucket, .changeBucketAccess, .changeObjectAccess]),
        "server-side-encryption-aws-kms-key-id": HeaderRules.creations,
        "server-side-encryption-context": HeaderRules.creations,
        "server-side-encryption-bucket-key-enabled": HeaderRules.creations,
        "decoded-content-length": [.putObject, .uploadPart], "trailer": [.putObject, .uploadPart],
        "checksum-algorithm": [.initiateUpload, .copyObject], "checksum-mode": [.getObject, .headObject],
        "checksum-type": [.initiateUpload, .completeUpload], "mp-object-size": [.completeUpload],
        "object-attributes": [.objectAttributes],
        "checksum-crc32": checksummed, "checksum-crc32c": checksummed, "checksum-crc64nvme": checksummed,
        "checksum-sha1": checksummed, "checksum-sha256": checksummed,
      ]) { $0.union($1) },
    conditions: [
      "if-match": [.putObject, .copyObject, .completeUpload, .deleteObject],
      "if-none-match": [.putObject, .copyObject, .completeUpload],
    ], formFields: ["algorithm", "credential", "signature"])

  /// Parses the S3 header that specifies a copy source, `bucket/key` or `/bucket/key`.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource { try NamedSource(header, of: self) }

  // MARK: Signatures

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind { .s3V4 }

  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind { .s3V4 }

  var formAccessField: String { objectAccessHeader }
}

/// A verifier for S3 requests that expects the bucket name in the path or in the host, depending on the request's host.
///
/// If the host is an IP address, `localhost` or a host of the service itself, the bucket name is in the path.
/// Otherwise, it is in the host.
struct S3HostVerifier: SignatureVerifier, FormVerifier {
  private let inPath: S3Verifier
  private let inHost: S3Verifier

  init(region: String) {
    inPath = S3Verifier(region: region, limits: .asServices)
    inHost = S3Verifier(region: region, style: .virtualHosted, limits: .asServices)
  }

  /// Returns the verifier that fits a request's host: for path-style or virtual-hosted-style requests.
  func verifier(for request: HTTPRequest) -> S3Verifier {
    let authority = request.authority ?? ""
    let isService = authority.hasBytePrefix("s3.") || AddressingStyle(authority: authority) == .path
    return isService ? inPath : inHost
  }

  func claim(in request: HTTPRequest) throws(VerificationError) -> S3Claim? {
    try verifier(for: request).claim(in: request)
  }

  func verify(
    _ claim: S3Claim, of request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    try verifier(for: request).verify(claim, of: request, against: key, at: date)
  }

  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim { try inPath.claim(in: form) }

  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    try inPath.verify(form, against: key, at: date)
  }
}
