// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import OSSAuth
internal import StorageAuth

extension SigningJob {
  func signOSS(_ mode: Mode, _ accessKey: AccessKey, _ context: SigningContext) throws -> SignedLine {
    let (request, signer) = try requestForOSS()
    return try sign(request, with: signer, mode, accessKey, context)
  }

  /// Returns the unsigned request of the line, and the signer that the line describes.
  package func requestForOSS() throws -> (request: HTTPRequest, signer: OSSSigner) {
    let versionName = version ?? "v4"
    guard let version = OSSSignatureVersion(rawValue: versionName) else {
      throw SigningJobError(message: "\"\(versionName)\" is not an OSS signature version; use v4 or v1.")
    }
    let bucket = bucket.flatMap { $0.isEmpty ? nil : $0 }
    let region = region ?? ""
    // V1 needs no region, and its signature does not cover the host.
    let serviceHost = "oss-\(region.isEmpty ? "cn-hangzhou" : region)\(ServiceDescription.oss.domains[0])"
    let authority = host ?? bucket.map { "\($0).\(serviceHost)" } ?? serviceHost
    if let bucket, ServiceHosts.oss.own(authority), let hostBucket = ServiceHosts.oss.bucket(in: authority),
      !hostBucket.asciiLowercased.utf8.elementsEqual(bucket.utf8)
    {
      throw SigningJobError(message: "The host \(authority.onOneLine) is not one of the bucket \(bucket.onOneLine).")
    }
    let bucketIsInPath = bucket != nil && AddressingStyle(authority: authority) == .path
    let unencodedPath = (bucketIsInPath ? [bucket, key] : [key]).compactMap(\.self).joined(separator: "/")
    let signer = OSSSigner(
      version, bucket: bucket, region: region, product: product ?? "oss",
      additionalHeaders: Set(additionalHeaders ?? []), additionalSubresources: Set(subResource ?? []),
      allowsAmbiguousV1: allowsAmbiguousV1 ?? false)
    return (try request(authority: authority, key: unencodedPath), signer)
  }
}
