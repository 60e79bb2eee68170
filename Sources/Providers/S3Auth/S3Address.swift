// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The place of the bucket name in the URL of an S3 request: the host or the path.
package struct S3Address {
  /// The bucket name in the host, or `nil` if the host contains none.
  let bucket: String?

  /// Whether the bucket name, if the request has one, is the first segment of the path.
  var isBucketInPath: Bool { bucket == nil }

  /// Creates an address from the host of a request.
  ///
  /// In Amazon's hosts, `s3.<region>…` is the service, and the labels before it, including their dots, are the bucket
  /// name. For other hosts, the style determines the place; without a style, the bucket name is in the path. The
  /// bucket of a custom domain is the given one, or the domain.
  init(authority: String, style: AddressingStyle?, customDomainBucket: String? = nil) {
    let host = hostWithoutPort(authority).asciiLowercased
    switch style {
    case .path: bucket = nil
    case .customDomain: bucket = customDomainBucket ?? host
    default:
      if let (labels, serviceIndex) = Self.amazonLabels(of: host) {
        let name = labels[..<serviceIndex].joined(separator: ".")
        bucket = name.isEmpty ? nil : name
      } else {
        bucket = style == .virtualHosted && !isAddressOrLocalhost(host) ? ServiceHosts.s3.bucket(in: host) : nil
      }
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
    let labelsAfterService = labels[(serviceIndex + 1)...].filter { $0 != "dualstack" }
    guard let region = labelsAfterService.first else { return region(inServiceLabel: labels[serviceIndex]) }
    return labelsAfterService.count == 1 ? String(region) : nil
  }

  /// Returns the region in the service's label of an older host, such as `s3-eu-west-1.amazonaws.com`.
  private static func region(inServiceLabel label: Substring) -> String? {
    switch label {
    case "s3", "s3-fips", "s3-accelerate", "s3-accesspoint", "s3-website": return nil
    case "s3-external-1": return "us-east-1"
    default:
      let prefix = ["s3-website-", "s3-fips-", "s3-"].first { label.hasBytePrefix($0) }
      return prefix.flatMap { label.removingBytePrefix($0) }.map { String($0) }
    }
  }

  /// Returns whether the host and the given path address a bucket, or no bucket at all.
  func matches(bucket expectedBucket: String, path: String) -> Bool {
    if let bucket { return bucket.isIdentical(to: expectedBucket) }
    let pathWithoutSlash = path.removingBytePrefix("/") ?? path[...]
    if pathWithoutSlash.isEmpty || pathWithoutSlash.beginsWithByte("?") { return true }
    guard let remainder = pathWithoutSlash.removingBytePrefix(expectedBucket) else { return false }
    return remainder.isEmpty || remainder.beginsWithByte("/") || remainder.beginsWithByte("?")
  }

  /// Returns the reason why requests to a host cannot be signed, or `nil` if they can.
  static func refusalReason(forHost authority: String) -> String? {
    // This check runs for every signature, so it creates no strings, and compares texts around a hyphen only if the byte
    // beside the hyphen is that of the text.
    let (isGlobal, isExpress) = withBytes(of: authority) { host in
      var (isGlobal, isExpress) = (false, false)
      var hyphen = host.end(ofRunFrom: 0, without: UInt8(ascii: "-"))
      while hyphen < host.count {
        let previousByte = hyphen > 0 ? host[hyphen - 1] | 0x20 : 0
        if previousByte == UInt8(ascii: "3") {
          if host.hasTexts(".accesspoint.s3", "-global.amazonaws.com", around: hyphen) { isGlobal = true }
        } else if previousByte == UInt8(ascii: "s") {
          if host.hasTexts(".s3express", "-", around: hyphen) { isExpress = true }
        }
        if hyphen + 1 < host.count, host[hyphen + 1] == UInt8(ascii: "-"),
          host.hasTexts("", "--x-s3.", around: hyphen)
        {
          isExpress = true
        }
        hyphen = host.end(ofRunFrom: hyphen + 1, without: UInt8(ascii: "-"))
      }
      return (isGlobal, isExpress)
    }
    if isGlobal { return "Multi-region access points need Signature Version 4A, which is not supported." }
    return isExpress
      ? "Directory buckets (S3 Express One Zone) are not supported: they require a separate session." : nil
  }
}

extension Span<UInt8> {
  /// Returns whether one lowercase text ends before an index and another starts there, in any letter case of ASCII.
  @inline(__always)
  fileprivate func hasTexts(_ textBefore: StaticString, _ textFrom: StaticString, around index: Int) -> Bool {
    let start = index - textBefore.utf8CodeUnitCount
    let end = index + textFrom.utf8CodeUnitCount
    return start >= 0 && end <= count && HostName.equalsIgnoringCase(extracting(start..<index), textBefore)
      && HostName.equalsIgnoringCase(extracting(index..<end), textFrom)
  }
}
