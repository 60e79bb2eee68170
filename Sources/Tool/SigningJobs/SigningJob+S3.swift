// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

extension SigningJob {
  /// Signs the job's request for S3.
  ///
  /// A line contains either the percent-encoded path, or the bucket and the key. The signature of a URL does not cover
  /// a hash of the body.
  func signS3(_ mode: Mode, _ key: AccessKey, _ context: SigningContext) throws -> SignedLine {
    guard let region, !region.isEmpty else { throw SigningJobError(message: "The line has no region.") }
    let bucket = bucket.flatMap { $0.isEmpty ? nil : $0 }
    let endpoint = try ServiceEndpoint.s3(region: region, bucket: bucket)
    let isInPath = try isBucketInPath(bucket, endpoint)
    if let host, let bucket, !isInPath, host.hasByteSuffix(ServiceDescription.s3.domains[0]),
      !host.asciiLowercased.hasBytePrefix("\(bucket).")
    {
      throw SigningJobError(message: "The host \(host.onOneLine) is not one of the bucket \(bucket.onOneLine).")
    }
    let authority = host ?? (isInPath ? nil : bucket.map { "\($0).\(endpoint.authority)" }) ?? endpoint.authority
    let keyInURL = (isInPath ? [bucket, self.key] : [self.key]).compactMap(\.self).joined(separator: "/")
    let path = wirePath ?? "/" + keyInURL.percentEncoded(.path)
    let signedHash = mode == .header ? payloadHash : nil
    let payload = signedHash.flatMap { S3Payload(header: $0) }
    guard signedHash == nil || payload != nil else {
      throw SigningJobError(message: "The payload hash is not a value that S3 accepts.")
    }
    let signer = S3Signer(
      region: region, service: service ?? "s3", payload: payload,
      additionalHeaders: Set((signedHeaders?.list ?? []) + (additionalHeaders ?? [])))
    let request = try request(
      scheme: scheme ?? "https", authority: authority,
      path: appendingQuery(to: path) { name, value in "\(name)=\(value)" })
    return try sign(request, with: signer, mode, key, context)
  }

  /// Returns whether the bucket name is in the path.
  ///
  /// If the line does not specify the addressing style, the host or the endpoint determines it.
  private func isBucketInPath(_ bucket: String?, _ endpoint: ServiceEndpoint) throws -> Bool {
    switch addressing {
    case "path": true
    case "virtual": false
    case nil: host.map { host in bucket.map { !host.hasBytePrefix("\($0).") } ?? true } ?? (endpoint.style == .path)
    default: throw SigningJobError(message: "The addressing is neither virtual nor path.")
    }
  }
}
