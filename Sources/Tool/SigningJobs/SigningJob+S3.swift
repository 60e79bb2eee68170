// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

extension SigningJob {
  /// Signs the request; the line contains either the percent-encoded path, or the bucket and the key.
  func signS3(_ mode: Mode, _ accessKey: AccessKey, _ context: SigningContext) throws -> SignedLine {
    guard let region, !region.isEmpty else { throw SigningJobError(message: "The line has no region.") }
    let (authority, path) = try address(in: region)
    let signer = S3Signer(
      region: region, service: service ?? "s3", payload: try payload(for: mode),
      additionalHeaders: Set((signedHeaders?.list ?? []) + (additionalHeaders ?? [])))
    let request = try request(
      scheme: scheme ?? "https", authority: authority,
      path: appendingQuery(to: path) { name, value in "\(name)=\(value)" })
    return try sign(request, with: signer, mode, accessKey, context)
  }

  /// Returns the host and the percent-encoded path; the line's own host and path override those of the bucket.
  private func address(in region: String) throws -> (authority: String, path: String) {
    let bucket = bucket.flatMap { $0.isEmpty ? nil : $0 }
    let endpoint = try ServiceEndpoint.s3(region: region, bucket: bucket)
    let bucketIsInPath = try isBucketInPath(bucket, endpoint)
    if let bucket, let host, !bucketIsInPath { try requireHost(host, of: bucket) }
    let bucketHost = bucketIsInPath ? nil : bucket.map { "\($0).\(endpoint.authority)" }
    let unencodedPath = (bucketIsInPath ? [bucket, key] : [key]).compactMap(\.self).joined(separator: "/")
    return (host ?? bucketHost ?? endpoint.authority, wirePath ?? "/" + unencodedPath.percentEncoded(.path))
  }

  /// Throws an error if a host of S3 does not start with the bucket; other hosts may have any name.
  private func requireHost(_ host: String, of bucket: String) throws(SigningJobError) {
    let isOfS3 = host.hasByteSuffix(ServiceDescription.s3.domains[0])
    guard isOfS3, !host.asciiLowercased.hasBytePrefix("\(bucket).") else { return }
    throw SigningJobError(message: "The host \(host.onOneLine) is not one of the bucket \(bucket.onOneLine).")
  }

  /// Returns the line's payload hash, which only a signature in the headers covers.
  private func payload(for mode: Mode) throws(SigningJobError) -> S3Payload? {
    guard mode == .header, let payloadHash else { return nil }
    guard let payload = S3Payload(header: payloadHash) else {
      throw SigningJobError(message: "The payload hash is not a value that S3 accepts.")
    }
    return payload
  }

  /// Returns whether the bucket name is in the path, by the line's addressing style, its host, or the endpoint.
  private func isBucketInPath(_ bucket: String?, _ endpoint: ServiceEndpoint) throws(SigningJobError) -> Bool {
    switch addressing {
    case "path": return true
    case "virtual": return false
    case nil:
      guard let host else { return endpoint.style == .path }
      guard let bucket else { return true }
      return !host.asciiLowercased.hasBytePrefix("\(bucket.asciiLowercased).")
    default: throw SigningJobError(message: "The addressing is neither virtual nor path.")
    }
  }
}
