// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The position of the bucket name in the URL of an S3 request.
package struct S3Address {
  /// The bucket name in the host, or `nil` if the host is the service itself.
  let bucket: String?
  let isBucketInPath: Bool

  /// Creates an address from the host of a request.
  ///
  /// In Amazon's hosts, `s3.<region>…` is the service, and the labels before it, including their dots, are the bucket
  /// name. For other hosts, the style determines the position; without a style, the bucket name is in the path. The
  /// bucket of a custom domain is the given one, or the domain.
  init(authority: String, style: AddressingStyle?, customDomainBucket: String? = nil) {
    let host = hostWithoutPort(authority).asciiLowercased
    if style == .customDomain {
      bucket = customDomainBucket ?? host
      isBucketInPath = false
    } else if style != .path, let (labels, serviceIndex) = Self.amazonLabels(of: host) {
      let name = labels[..<serviceIndex].joined(separator: ".")
      bucket = name.isEmpty ? nil : name
      isBucketInPath = name.isEmpty
    } else if style == .virtualHosted, !isAddressOrLocalhost(host) {
      bucket = ServiceHosts.s3.bucket(in: host)
      isBucketInPath = bucket == nil
    } else {
      bucket = nil
      isBucketInPath = true
    }
  }

  /// Returns the labels before the domain in one of Amazon's hosts, and the index of the service's label.
  private static func amazonLabels(of host: String) -> (labels: [Substring], serviceIndex: Int)? {
    guard let name = host.removingByteSuffix(".amazonaws.com") ?? host.removingByteSuffix(".amazonaws.com.cn") else {
      return nil
    }
    let labels = name.parts(between: ".")
    return labels.lastIndex { $0 == "s3" || $0.hasBytePrefix("s3-") }.map { (labels, $0) }
  }

  /// Returns the region in one of Amazon's hosts, or `nil` if the host contains no region.
  package static func region(in authority: String) -> String? {
    guard let (labels, serviceIndex) = amazonLabels(of: hostWithoutPort(authority).asciiLowercased) else { return nil }
    let regionLabels = labels[serviceIndex...].dropFirst().filter { $0 != "dualstack" }
    switch labels[serviceIndex] {
    case "s3", "s3-fips": return regionLabels.count == 1 ? String(regionLabels[0]) : nil
    case "s3-accelerate", "s3-accesspoint": return nil
    // The older form: `s3-eu-west-1.amazonaws.com`.
    default: return regionLabels.isEmpty ? labels[serviceIndex].removingBytePrefix("s3-").map { String($0) } : nil
    }
  }

  /// Returns whether the host and the given path address a bucket, or no bucket at all.
  func addresses(_ bucket: String, path: String) -> Bool {
    if let hostBucket = self.bucket { return hostBucket.isIdentical(to: bucket) }
    let pathWithoutSlash = path.removingBytePrefix("/") ?? path[...]
    if pathWithoutSlash.isEmpty || pathWithoutSlash.beginsWithByte("?") { return true }
    guard let remainder = pathWithoutSlash.removingBytePrefix(bucket) else { return false }
    return remainder.isEmpty || remainder.beginsWithByte("/") || remainder.beginsWithByte("?")
  }

  static func reasonUnsupported(host authority: String) -> String? {
    // This check runs for every signature, so it looks only at the hyphens of the host, and creates no strings.
    let (isGlobal, isExpress) = withBytes(of: authority) { host in
      var (isGlobal, isExpress) = (false, false)
      var index = 0
      while true {
        index = host.end(ofRunFrom: index) { $0.equal(UInt8(ascii: "-")).inverted }
        guard index < host.count else { break }
        if host.contains(".accesspoint.s3-global.amazonaws.com", from: index - 15) { isGlobal = true }
        if host.contains(".s3express-", from: index - 10) || host.contains("--x-s3.", from: index) { isExpress = true }
        index += 1
      }
      return (isGlobal, isExpress)
    }
    if isGlobal { return "Multi-region access points need Signature Version 4A, which is not supported." }
    return isExpress
      ? "Directory buckets (S3 Express One Zone) are not supported: they require a separate session." : nil
  }
}

extension Span<UInt8> {
  /// Returns whether the bytes from an index, which may be negative, start with a text.
  @inline(__always)
  fileprivate func contains(_ text: StaticString, from index: Int) -> Bool {
    index >= 0 && extracting(index...).starts(with: text)
  }
}
